/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Decoding and checking of work requests.
 *
 * Pure. The argument is always a private copy of a slot: the caller has taken
 * it out of shared memory, so that what is checked here is what is used later.
 */
#ifndef SRNIC_QUEUE_WQE_H
#define SRNIC_QUEUE_WQE_H

#include <rdma/srnic-abi.h>

#include "../env.h"

#define SRNIC_MAX_SGE		32
#define SRNIC_MAX_INLINE	512
#define SRNIC_MAX_MESSAGE_BYTES	BIT(31)

/*
 * What only the kernel may post, by its number in enum ib_wr_opcode: register a
 * region. In the slot it looks like a bind of a window: addr is the iova, rkey the
 * new key, access the rights.
 */
#define SRNIC_WR_REG_MR		32

/**
 * enum srnic_wqe_transport - what kind of QP a work request was posted to
 * @SRNIC_WQE_RC: reliable connection: everything is allowed
 * @SRNIC_WQE_UC: unreliable connection: no READ, no atomics, no SEND that
 *	invalidates
 * @SRNIC_WQE_UD: unreliable datagram: SEND only
 * @SRNIC_WQE_XRC: initiator of an extended reliable connection: as RC
 */
enum srnic_wqe_transport {
	SRNIC_WQE_RC,
	SRNIC_WQE_UC,
	SRNIC_WQE_UD,
	SRNIC_WQE_XRC,
};

/**
 * enum srnic_wqe_verdict - why a work request was refused
 * @SRNIC_WQE_OK: it is good
 * @SRNIC_WQE_BAD_OPCODE: unknown, or not for this transport or origin
 * @SRNIC_WQE_BAD_FLAGS: unknown flag, or inline with what has no payload to send
 * @SRNIC_WQE_BAD_SGE_COUNT: more elements than the QP was created for, or any
 *	together with inline data or with an operation that has no data
 * @SRNIC_WQE_BAD_INLINE: more inline data than the QP was created for, or a
 *	length of it without the flag
 * @SRNIC_WQE_BAD_LENGTH: longer than SRNIC_MAX_MESSAGE_BYTES, or an atomic
 *	that does not have exactly 8 bytes
 * @SRNIC_WQE_BAD_ALIGNMENT: an atomic whose remote address is not aligned
 * @SRNIC_WQE_BAD_RESERVED: a reserved field is not zero, or the number of a QP
 *	or SRQ has more than 24 bits
 * @SRNIC_WQE_VERDICTS: number of verdicts
 */
enum srnic_wqe_verdict {
	SRNIC_WQE_OK,
	SRNIC_WQE_BAD_OPCODE,
	SRNIC_WQE_BAD_FLAGS,
	SRNIC_WQE_BAD_SGE_COUNT,
	SRNIC_WQE_BAD_INLINE,
	SRNIC_WQE_BAD_LENGTH,
	SRNIC_WQE_BAD_ALIGNMENT,
	SRNIC_WQE_BAD_RESERVED,
	SRNIC_WQE_VERDICTS,
};

/**
 * struct srnic_wqe_limits - what a QP's creator asked for
 * @transport: kind of QP
 * @max_sge: elements in a list
 * @max_inline: bytes of inline data
 * @kernel: it was created in the kernel, and its ring is not seen by any process
 */
struct srnic_wqe_limits {
	enum srnic_wqe_transport transport;
	u32 max_sge;
	u32 max_inline;
	bool kernel;
};

/**
 * struct srnic_send_wr - a checked send work request
 * @wr_id: the poster's name for it
 * @opcode: enum srnic_wr_opcode, or SRNIC_WR_REG_MR
 * @flags: enum srnic_send_flags
 * @num_sge: elements in @sge
 * @imm: immediate data as it goes on the wire
 * @inv_rkey: key to invalidate
 * @length: bytes of the message, of all elements together
 * @srqn: XRC: SRQ at the other end
 * @remote_addr: remote virtual address
 * @rkey: remote key
 * @compare_add: operand of an atomic
 * @swap: second operand of a compare-and-swap
 * @bind_addr: bind of a window: its first byte; registration: its iova
 * @bind_length: bind of a window: its size
 * @bind_lkey: bind of a window: the region's key; @rkey is the window's
 * @bind_access: bind of a window, registration: rights
 * @ah: address handle of a datagram
 * @remote_qpn: destination QP of a datagram
 * @remote_qkey: Q_Key of a datagram
 * @sge: gather or scatter list; points into the private copy of the slot
 * @inline_data: payload, or NULL; points into the private copy of the slot
 */
struct srnic_send_wr {
	u64 wr_id;
	u8 opcode;
	u8 flags;
	u8 num_sge;
	__be32 imm;
	u32 inv_rkey;
	u32 length;
	u32 srqn;
	u64 remote_addr;
	u32 rkey;
	u64 compare_add;
	u64 swap;
	u64 bind_addr;
	u64 bind_length;
	u32 bind_lkey;
	u32 bind_access;
	u32 ah;
	u32 remote_qpn;
	u32 remote_qkey;
	const struct srnic_sge *sge;
	const u8 *inline_data;
};

/**
 * struct srnic_recv_wr - a checked receive work request
 * @wr_id: the poster's name for it
 * @num_sge: elements in @sge
 * @length: bytes of all elements together
 * @wqe_index: value of the queue's index behind it, for the CQE
 * @sge: scatter list
 */
struct srnic_recv_wr {
	u64 wr_id;
	u32 num_sge;
	u64 length;
	u32 wqe_index;
	struct srnic_sge sge[SRNIC_MAX_SGE];
};

/**
 * srnic_sge_bytes() - bytes of all elements of a list together
 * @sge: private copy of the list
 * @num_sge: elements
 *
 * Context: Any.
 * Return: the sum, which 32 bits may not hold.
 */
static inline u64 srnic_sge_bytes(const struct srnic_sge *sge, u32 num_sge)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < num_sge; i++)
		bytes += sge[i].length;
	return bytes;
}

enum srnic_wqe_verdict
srnic_send_wqe_decode(const void *slot, const struct srnic_wqe_limits *limits,
		      struct srnic_send_wr *wr);
u32 srnic_send_wqe_tail_bytes(const struct srnic_send_wqe *header,
			      const struct srnic_wqe_limits *limits);
enum srnic_wqe_verdict
srnic_recv_wqe_decode(const struct srnic_recv_wqe *header, u32 max_sge,
		      struct srnic_recv_wr *wr);
const char *srnic_wqe_verdict_name(enum srnic_wqe_verdict verdict);

#endif /* SRNIC_QUEUE_WQE_H */
