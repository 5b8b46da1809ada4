# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Sources and their suites. Add a room's files here and nowhere else.
#
# Sources are relative to drivers/infiniband/sw/srnic/, suites to kunit/:
# <room>_<subject>_test.c.

# Pure: for srnic_core_kunit.ko (Kbuild) and for the host (host/Makefile).
SRNIC_PURE_SOURCES := \
	mem/segments.c \
	queue/wqe.c \
	transport/completer.c \
	transport/reply.c \
	transport/requester.c \
	transport/responder.c \
	wire/aeth.c \
	wire/icrc.c \
	wire/opcode.c \
	wire/packet.c

SRNIC_CORE_TESTS := \
	mem_check_test.c \
	mem_segments_test.c \
	mem_window_test.c \
	queue_ring_test.c \
	queue_wqe_fields_test.c \
	queue_wqe_local_test.c \
	queue_wqe_reg_test.c \
	queue_wqe_test.c \
	transport_ack_test.c \
	transport_atomic_write_test.c \
	transport_credit_test.c \
	transport_local_test.c \
	transport_reply_test.c \
	transport_request_test.c \
	transport_resource_test.c \
	transport_requester_test.c \
	transport_retry_test.c \
	transport_segment_test.c \
	transport_uc_test.c \
	transport_xrc_test.c \
	wire_aeth_test.c \
	wire_icrc_test.c \
	wire_opcode_test.c \
	wire_packet_test.c \
	wire_psn_test.c \
	wire_udp_sport_test.c

# What needs the kernel: for srnic_kunit.ko only, with all that the suites call.
SRNIC_DRIVER_SOURCES := \
	queue/cq.c \
	queue/cq_event.c \
	queue/cq_moderate.c \
	queue/cq_poll.c \
	queue/cq_resize.c \
	queue/doorbell.c \
	queue/map.c \
	queue/post.c \
	queue/rq.c \
	queue/sq.c \
	queue/srq.c \
	queue/wqe.c

SRNIC_DRIVER_TESTS := \
	queue_cq_test.c \
	queue_doorbell_test.c \
	queue_rings_test.c \
	queue_srq_test.c

# What is a consumer of verbs in the kernel: for srnic_verbs_kunit.ko only.
SRNIC_VERBS_TESTS := \
	verbs_cq_test.c \
	verbs_fast_reg_misuse_test.c \
	verbs_fast_reg_test.c \
	verbs_gsi_test.c \
	verbs_operations_test.c \
	verbs_post_test.c \
	verbs_srq_test.c
