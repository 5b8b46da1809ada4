# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks the ICRC of each RoCEv2 packet of a pcap file: CRC-32 over the packet
with its variant fields as ones (Annex A17.3.3 of the InfiniBand specification)."""
import struct
import sys
import zlib


def frames(data):
    """The frames of a pcap file in the byte order of this machine."""
    assert struct.unpack_from("=I", data)[0] in (0xA1B2C3D4, 0xA1B23C4D), "no pcap file"
    at = 24
    while at + 16 <= len(data):
        captured, length = struct.unpack_from("=8xII", data, at)
        assert captured == length, "a truncated frame"
        yield data[at + 16 : at + 16 + captured]
        at += 16 + captured


def rocev2(frame):
    """IP header and UDP datagram of a RoCEv2 frame, else None."""
    ethertype = struct.unpack_from("!H", frame, 12)[0]
    ip = frame[14:]
    if ethertype == 0x0800 and ip[9] == 17:
        ip, size = ip[: struct.unpack_from("!H", ip, 2)[0]], (ip[0] & 15) * 4
    elif ethertype == 0x86DD and ip[6] == 17:
        ip, size = ip[: 40 + struct.unpack_from("!H", ip, 4)[0]], 40
    else:
        return None
    if struct.unpack_from("!H", ip, size + 2)[0] != 4791:
        return None
    return bytearray(ip[:size]), bytearray(ip[size:])


def icrc(ip, udp):
    """The ICRC of a packet, in the byte order of the wire."""
    if ip[0] >> 4 == 4:
        ip[1] = ip[8] = ip[10] = ip[11] = 0xFF
    else:
        ip[0] |= 0x0F
        ip[1] = ip[2] = ip[3] = ip[7] = 0xFF
    udp[6] = udp[7] = udp[12] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + udp[:-4]))


total = wrong = 0
with open(sys.argv[1], "rb") as file:
    for number, frame in enumerate(frames(file.read()), 1):
        packet = rocev2(frame)
        if not packet:
            continue
        total += 1
        found = bytes(packet[1][-4:])
        computed = icrc(*packet)
        if computed != found:
            wrong += 1
            print(f"frame {number}: {found.hex()}, not {computed.hex()}")
print(f"{total} packets, {wrong} wrong")
sys.exit(wrong != 0)
