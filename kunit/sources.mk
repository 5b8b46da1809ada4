# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The pure sources and their suites: one list for srnic_core_kunit.ko (Kbuild) and
# for the host (host/Makefile). Add a room's files here and nowhere else.

# Relative to drivers/infiniband/sw/srnic/.
SRNIC_PURE_SOURCES := \
	queue/wqe.c \
	transport/completer.c \
	transport/reply.c \
	transport/requester.c \
	transport/responder.c \
	wire/aeth.c \
	wire/icrc.c \
	wire/opcode.c \
	wire/packet.c

# Relative to kunit/: <room>_<subject>_test.c.
SRNIC_CORE_TESTS := \
	mem_check_test.c \
	queue_ring_test.c \
	queue_wqe_fields_test.c \
	queue_wqe_test.c \
	transport_ack_test.c \
	transport_reply_test.c \
	transport_request_test.c \
	transport_requester_test.c \
	transport_retry_test.c \
	transport_segment_test.c \
	transport_uc_test.c \
	wire_aeth_test.c \
	wire_icrc_test.c \
	wire_opcode_test.c \
	wire_packet_test.c \
	wire_psn_test.c \
	wire_udp_sport_test.c
