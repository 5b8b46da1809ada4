#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Random RoCEv2 packets made by scapy, for hex_test.

Prints one packet a line: name=value pairs of what went into its headers, then hex=
with the IPv4 packet. Extended headers that scapy has no class for are laid out here
from the specification, independently of the driver. Usage: scapy_packets.py [count [seed]]
"""
import random
import struct
import sys

try:
    from scapy.contrib.roce import AETH, BTH, cnp
    from scapy.layers.inet import IP, UDP
    from scapy.packet import Raw
except ImportError:
    sys.exit(77)

RC_UC = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b]
RC_ONLY = [0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x1c, 0x1d]
OPCODES = (RC_UC + RC_ONLY + [0x20 + op for op in RC_UC] + [0x64, 0x65] +
           [0xa0 + op for op in RC_UC + RC_ONLY])
RESPONSES = [0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12]
NO_PAYLOAD = [0x0c, 0x11, 0x12, 0x13, 0x14, 0x1c]


def bits(n):
    return random.getrandbits(n)


def extended(opcode, want):
    """Extended headers of an opcode; what they hold goes into want."""
    op, out = opcode & 0x1f, b''

    def put(fmt, **values):
        nonlocal out
        want.update(values)
        out += struct.pack(fmt, *values.values())

    if opcode >> 5 == 5 and op not in RESPONSES:
        put('>I', srqn=bits(24))
    if opcode >> 5 == 3:
        put('>II', qkey=bits(32), src_qp=bits(24))
    if op == 0x1c:
        put('>I', feth=bits(6))
    if op in (0x06, 0x0a, 0x0b, 0x0c, 0x1c, 0x1d):
        put('>QII', va=bits(64), rkey=bits(32), dma_len=bits(32))
    if op in (0x13, 0x14):
        put('>QIQQ', va=bits(64), rkey=bits(32), swap_add=bits(64), compare=bits(64))
    if op in (0x0d, 0x0f, 0x10, 0x11, 0x12):
        aeth = {'syndrome': bits(8), 'msn': bits(24)}
        want.update(aeth)
        out += bytes(AETH(**aeth))
    if op == 0x12:
        put('>Q', atomic_orig=bits(64))
    if op in (0x03, 0x05, 0x09, 0x0b):
        put('>I', imm=bits(32))
    if op in (0x16, 0x17):
        put('>I', inv_rkey=bits(32))
    return out


def packet(opcode):
    want = {'opcode': opcode}
    body = extended(opcode, want)
    payload = b'' if opcode & 0x1f in NO_PAYLOAD else random.randbytes(random.randrange(300))
    pad = -len(payload) % 4
    want.update(pkey=bits(16), fecn=bits(1), becn=bits(1), dest_qp=bits(24),
                ack_req=bits(1), psn=bits(24), solicited=bits(1), migreq=bits(1), pad=pad,
                payload_bytes=len(payload))
    bth = BTH(opcode=opcode, pkey=want['pkey'], fecn=want['fecn'], becn=want['becn'],
              dqpn=want['dest_qp'], ackreq=want['ack_req'], psn=want['psn'],
              solicited=want['solicited'], migreq=want['migreq'], padcount=pad)
    return want, bth / Raw(body + payload + bytes(pad)) if body or payload else bth


def congestion():
    qpn = bits(24)
    return {'opcode': 0x81, 'dest_qp': qpn, 'becn': 1, 'payload_bytes': 16}, cnp(qpn)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(count):
        want, bth = congestion() if i % 50 == 49 else packet(OPCODES[i % len(OPCODES)])
        ip = IP(src='10.%d.%d.%d' % (bits(8), bits(8), bits(8)), dst='10.1.2.3',
                tos=bits(8), ttl=bits(8), id=bits(16), flags=random.choice(['DF', 0]))
        udp = UDP(sport=bits(16), dport=4791, chksum=random.choice([0, bits(16)]))
        fields = ' '.join('%s=%x' % item for item in want.items())
        print(fields, 'hex=' + bytes(ip / udp / bth).hex())


main()
