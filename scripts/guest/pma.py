#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Asks the performance management agent of a port, on RoCE, as perfquery does on
InfiniBand (it knows LIDs only).

    pma.py DEVICE GID-INDEX DESTINATION-GID ATTRIBUTE [SELECT | FIELD...]

ATTRIBUTE is info, counters or extended; get prints NAME VALUE a line. With SELECT=MASK
the selected counters are set to 0 first. METHOD=N, PORT=N and VERSION=N ask otherwise.
The exit status is 1 if there is no answer, 2 if it is an error, which is printed.
"""
import fcntl
import ipaddress
import os
import struct
import sys

PERF_CLASS = 4
GET, SET, GET_RESP = 1, 2, 0x81
ATTRIBUTES = {"info": 0x01, "samples": 0x10, "counters": 0x12, "extended": 0x1D}
QP1_QKEY = 0x80010000
TIMEOUT_MS = 3000

# struct ib_user_mad_reg_req, struct ib_user_mad_hdr of <rdma/ib_user_mad.h>.
REG_REQ = struct.Struct("=I16xBBB3xBx")
USER_MAD = struct.Struct("=IIIII4s4s2sBBBBBB16s4sH6x")
REGISTER_AGENT = 3 << 30 | REG_REQ.size << 16 | 0x1B << 8 | 1
ENABLE_PKEY = 0x1B << 8 | 3
MAD_HDR = struct.Struct(">BBBBHHQHHI")
MAD_BYTES = 256
DATA = 64

COUNTERS = struct.Struct(">xBHHBBHHHHBBxBxxHIIII")
COUNTER_NAMES = (
    "port_select counter_select symbol_error link_error_recovery link_downed"
    " port_rcv_errors port_rcv_remote_physical_errors port_rcv_switch_relay_errors"
    " port_xmit_discards port_xmit_constraint_errors port_rcv_constraint_errors"
    " link_overrun_errors VL15_dropped port_xmit_data port_rcv_data"
    " port_xmit_packets port_rcv_packets").split()
EXTENDED = struct.Struct(">xBHxxxxQQQQQQQQ")
EXTENDED_NAMES = (
    "port_select counter_select port_xmit_data port_rcv_data port_xmit_packets"
    " port_rcv_packets unicast_xmit_packets unicast_rcv_packets"
    " multicast_xmit_packets multicast_rcv_packets").split()
INFO = struct.Struct(">BBHI")
INFO_NAMES = "base_version class_version capability_mask capability_mask2_resp_time".split()
LAYOUT = {"info": (INFO, INFO_NAMES), "counters": (COUNTERS, COUNTER_NAMES),
          "extended": (EXTENDED, EXTENDED_NAMES)}


def open_umad(device):
    """The umad file of a device, with an agent for performance management."""
    for name in os.listdir("/sys/class/infiniband_mad"):
        path = f"/sys/class/infiniband_mad/{name}/ibdev"
        if name.startswith("umad") and open(path).read().strip() == device:
            break
    else:
        sys.exit(f"no umad of {device}")
    fd = os.open(f"/dev/infiniband/{name}", os.O_RDWR)
    fcntl.ioctl(fd, ENABLE_PKEY)
    request = REG_REQ.pack(0, 1, PERF_CLASS, 1, 0)
    return fd, struct.unpack_from("=I", fcntl.ioctl(fd, REGISTER_AGENT, request))[0]


def ask(device, gid_index, gid, mad):
    """Sends a MAD to QP 1 of a GID. Returns the answer, or None."""
    fd, agent = open_umad(device)
    header = USER_MAD.pack(
        agent, 0, TIMEOUT_MS, 0, 0, struct.pack(">I", 1), struct.pack(">I", QP1_QKEY),
        b"\0\0", 0, 0, 1, int(gid_index), 64, 0, ipaddress.ip_address(gid).packed,
        bytes(4), 0)
    os.write(fd, header + mad)
    answer = os.read(fd, USER_MAD.size + MAD_BYTES)
    status = struct.unpack_from("=II", answer)[1]
    return None if status else answer[USER_MAD.size:]


def main():
    """Asks, and prints what came back."""
    device, gid_index, address, attribute = sys.argv[1:5]
    options = dict(word.split("=") for word in sys.argv[5:])
    address = ipaddress.ip_address(address)
    if address.version == 4:
        address = ipaddress.ip_address(f"::ffff:{address}")
    select = int(options.get("SELECT", "0"), 0)
    method = int(options.get("METHOD", SET if select else GET))
    mad = bytearray(MAD_BYTES)
    MAD_HDR.pack_into(mad, 0, 1, PERF_CLASS, int(options.get("VERSION", 1)), method, 0, 0,
                      os.getpid(), ATTRIBUTES[attribute], 0, 0)
    mad[DATA + 1] = int(options.get("PORT", 1))
    struct.pack_into(">H", mad, DATA + 2, select)
    answer = ask(device, gid_index, str(address), bytes(mad))
    if answer is None:
        print("no answer")
        return 1
    header = MAD_HDR.unpack_from(answer)
    if header[3] != GET_RESP or header[4]:
        print(f"method {header[3]:#x} status {header[4]:#x}")
        return 2
    layout, names = LAYOUT[attribute]
    for name, value in zip(names, layout.unpack_from(answer, DATA)):
        print(name, value)
    return 0


sys.exit(main())
