// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Decoding and checking of work requests.
 *
 * Numbers that a process chose and that bound a loop or index a table later are
 * passed through array_index_nospec() once, here, so that nobody behind can be
 * led past the copy by a mispredicted check.
 */
#include "wqe.h"

#define OPCODES			(SRNIC_WR_REG_MR + 1)
#define ATOMIC_BYTES		8
#define QPN_RESERVED_MASK	GENMASK(31, 24)
#define SRQN_RESERVED_MASK	GENMASK(31, 24)

#define SENDS	(BIT(SRNIC_WR_SEND) | BIT(SRNIC_WR_SEND_WITH_IMM))
#define SEND_INV	BIT(SRNIC_WR_SEND_WITH_INV)
#define WRITES	(BIT(SRNIC_WR_RDMA_WRITE) | BIT(SRNIC_WR_RDMA_WRITE_WITH_IMM))
#define ATOMICS	(BIT(SRNIC_WR_ATOMIC_CMP_AND_SWP) | \
		 BIT(SRNIC_WR_ATOMIC_FETCH_AND_ADD))
#define ATOMIC_WRITES	BIT(SRNIC_WR_ATOMIC_WRITE)
#define READS	BIT(SRNIC_WR_RDMA_READ)
#define BINDS	BIT(SRNIC_WR_BIND_MW)
#define USER_LOCALS	(BINDS | BIT(SRNIC_WR_LOCAL_INV))
#define REGS	BIT(SRNIC_WR_REG_MR)
#define LOCALS	(USER_LOCALS | REGS)
#define WITH_INV	(SEND_INV | BIT(SRNIC_WR_LOCAL_INV))
#define WITH_IMM \
	(BIT(SRNIC_WR_SEND_WITH_IMM) | BIT(SRNIC_WR_RDMA_WRITE_WITH_IMM))

#define SEND_FLAGS	(SRNIC_SEND_FENCE | SRNIC_SEND_SIGNALED | \
			 SRNIC_SEND_SOLICITED | SRNIC_SEND_INLINE)

static_assert(sizeof(struct srnic_send_wqe) == SRNIC_WQE_HEADER_BYTES);
static_assert(sizeof(struct srnic_recv_wqe) == 16);
static_assert(sizeof(struct srnic_sge) == 16);

/* What a process may post; what only the kernel may is in no row. */
static const unsigned long allowed_opcodes[] = {
	[SRNIC_WQE_RC] = SENDS | SEND_INV | WRITES | READS | ATOMICS |
			 ATOMIC_WRITES | USER_LOCALS,
	[SRNIC_WQE_UC] = SENDS | WRITES | USER_LOCALS,
	[SRNIC_WQE_UD] = SENDS,
	[SRNIC_WQE_XRC] = SENDS | SEND_INV | WRITES | READS | ATOMICS |
			  ATOMIC_WRITES | USER_LOCALS,
};

/* What the kernel may post beyond that. */
static const unsigned long kernel_opcodes[] = {
	[SRNIC_WQE_RC] = REGS,
	[SRNIC_WQE_UC] = REGS,
	[SRNIC_WQE_UD] = 0,
	[SRNIC_WQE_XRC] = 0,
};

static unsigned long allowed(const struct srnic_wqe_limits *limits)
{
	return allowed_opcodes[limits->transport] |
	       (limits->kernel ? kernel_opcodes[limits->transport] : 0);
}

static bool is_one_of(u8 opcode, unsigned long opcodes)
{
	return BIT(opcode) & opcodes;
}

static enum srnic_wqe_verdict
check_operation(const struct srnic_send_wqe *wqe,
		const struct srnic_wqe_limits *limits)
{
	u8 opcode = wqe->opcode;

	if (opcode >= OPCODES || !is_one_of(opcode, allowed(limits)))
		return SRNIC_WQE_BAD_OPCODE;
	if (wqe->flags & ~SEND_FLAGS)
		return SRNIC_WQE_BAD_FLAGS;
	if (wqe->flags & SRNIC_SEND_INLINE &&
	    is_one_of(opcode, READS | ATOMICS | LOCALS))
		return SRNIC_WQE_BAD_FLAGS;
	return SRNIC_WQE_OK;
}

/*
 * The union is nobody's in a SEND or local invalidate of a connected QP: not looked
 * at.
 */
static bool has_reserved_bits(const struct srnic_send_wqe *wqe,
			      const struct srnic_wqe_limits *limits)
{
	u32 bits = 0;
	u32 i;

	if (wqe->reserved0 || wqe->reserved2)
		return true;
	if (limits->transport == SRNIC_WQE_XRC ?
	    wqe->srqn & SRQN_RESERVED_MASK : wqe->srqn)
		return true;
	if (limits->transport == SRNIC_WQE_UD) {
		bits = wqe->ud.remote_qpn & QPN_RESERVED_MASK;
		for (i = 0; i < ARRAY_SIZE(wqe->ud.reserved); i++)
			bits |= wqe->ud.reserved[i];
	} else if (is_one_of(wqe->opcode, BINDS | REGS)) {
		bits = wqe->bind.reserved;
	} else if (!is_one_of(wqe->opcode, SENDS | WITH_INV)) {
		bits = wqe->rdma.reserved;
	}
	return bits;
}

static enum srnic_wqe_verdict
check_counts(const struct srnic_send_wqe *wqe,
	     const struct srnic_wqe_limits *limits)
{
	bool is_inline = wqe->flags & SRNIC_SEND_INLINE;

	if (wqe->num_sge > (is_inline || is_one_of(wqe->opcode, LOCALS) ?
			    0 : limits->max_sge))
		return SRNIC_WQE_BAD_SGE_COUNT;
	if (wqe->inline_length > (is_inline ? limits->max_inline : 0))
		return SRNIC_WQE_BAD_INLINE;
	return SRNIC_WQE_OK;
}

static enum srnic_wqe_verdict check_length(const struct srnic_send_wqe *wqe,
					   u64 length)
{
	if (length > SRNIC_MAX_MESSAGE_BYTES)
		return SRNIC_WQE_BAD_LENGTH;
	if (!is_one_of(wqe->opcode, ATOMICS | ATOMIC_WRITES))
		return SRNIC_WQE_OK;
	if (length != ATOMIC_BYTES)
		return SRNIC_WQE_BAD_LENGTH;
	if (!IS_ALIGNED(wqe->rdma.remote_addr, ATOMIC_BYTES))
		return SRNIC_WQE_BAD_ALIGNMENT;
	return SRNIC_WQE_OK;
}

/* Fields of the operation; those that it does not have stay zero. */
static void fill_operation(struct srnic_send_wr *wr,
			   const struct srnic_send_wqe *wqe,
			   const struct srnic_wqe_limits *limits)
{
	wr->opcode = array_index_nospec(wqe->opcode, OPCODES);
	wr->flags = wqe->flags;
	wr->srqn = wqe->srqn;
	if (is_one_of(wr->opcode, WITH_IMM))
		wr->imm = (__force __be32)wqe->imm;
	if (is_one_of(wr->opcode, WITH_INV))
		wr->inv_rkey = wqe->imm;

	if (limits->transport == SRNIC_WQE_UD) {
		wr->ah = wqe->ud.ah;
		wr->remote_qpn = wqe->ud.remote_qpn;
		wr->remote_qkey = wqe->ud.remote_qkey;
	} else if (is_one_of(wr->opcode, BINDS | REGS)) {
		wr->rkey = wqe->bind.rkey;
		wr->bind_addr = wqe->bind.addr;
		wr->bind_length = wqe->bind.length;
		wr->bind_lkey = wqe->bind.lkey;
		wr->bind_access = wqe->bind.access;
	} else if (!is_one_of(wr->opcode, SENDS | WITH_INV)) {
		wr->remote_addr = wqe->rdma.remote_addr;
		wr->rkey = wqe->rdma.rkey;
	}
	if (is_one_of(wr->opcode, ATOMICS)) {
		wr->compare_add = wqe->rdma.compare_add;
		wr->swap = wqe->rdma.swap;
	}
}

static enum srnic_wqe_verdict decode(const struct srnic_send_wqe *wqe,
				     const struct srnic_wqe_limits *limits,
				     struct srnic_send_wr *wr)
{
	const void *tail = wqe + 1;
	enum srnic_wqe_verdict verdict;
	const u8 *inline_data = NULL;
	u32 num_sge = 0;
	u64 length;

	verdict = check_operation(wqe, limits);
	if (verdict != SRNIC_WQE_OK)
		return verdict;
	if (has_reserved_bits(wqe, limits))
		return SRNIC_WQE_BAD_RESERVED;
	verdict = check_counts(wqe, limits);
	if (verdict != SRNIC_WQE_OK)
		return verdict;

	if (wqe->flags & SRNIC_SEND_INLINE) {
		inline_data = tail;
		length = array_index_nospec(wqe->inline_length,
					    limits->max_inline + 1);
	} else {
		num_sge = array_index_nospec(wqe->num_sge,
					     limits->max_sge + 1);
		length = srnic_sge_bytes(tail, num_sge);
	}
	verdict = check_length(wqe, length);
	if (verdict != SRNIC_WQE_OK)
		return verdict;

	fill_operation(wr, wqe, limits);
	wr->num_sge = num_sge;
	wr->length = length;
	wr->sge = tail;
	wr->inline_data = inline_data;
	return SRNIC_WQE_OK;
}

/**
 * srnic_send_wqe_tail_bytes() - bytes behind the header that a slot uses
 * @header: private copy of the header; may say anything
 * @limits: what the QP was created for
 *
 * Context: Any.
 * Return: at most what the stride of the QP has room for behind the header.
 */
u32 srnic_send_wqe_tail_bytes(const struct srnic_send_wqe *header,
			      const struct srnic_wqe_limits *limits)
{
	u32 max;

	if (header->flags & SRNIC_SEND_INLINE) {
		max = limits->max_inline;
		if (header->inline_length >= max)
			return max;
		return array_index_nospec(header->inline_length, max);
	}

	max = limits->max_sge;
	if (header->num_sge >= max)
		return max * sizeof(struct srnic_sge);
	return array_index_nospec((u32)header->num_sge, max) *
	       sizeof(struct srnic_sge);
}

/**
 * srnic_send_wqe_decode() - check a send work request
 * @slot: private copy of the slot, 8-byte aligned: the header and
 *	  srnic_send_wqe_tail_bytes() behind it
 * @limits: what the QP was created for
 * @wr: result; of a bad one wr_id is set and all else zero
 *
 * Context: Any.
 * Return: the first reason found to refuse it, or SRNIC_WQE_OK.
 */
enum srnic_wqe_verdict
srnic_send_wqe_decode(const void *slot, const struct srnic_wqe_limits *limits,
		      struct srnic_send_wr *wr)
{
	const struct srnic_send_wqe *wqe = slot;

	memset(wr, 0, sizeof(*wr));
	wr->wr_id = wqe->wr_id;
	return decode(wqe, limits, wr);
}

/**
 * srnic_recv_wqe_decode() - check the header of a receive work request
 * @header: private copy
 * @max_sge: elements that the queue was created for
 * @wr: result: wr_id and num_sge, which is 0 if it is bad; the list and its
 *	length are for the caller to fill in
 *
 * Context: Any.
 * Return: the reason to refuse it, or SRNIC_WQE_OK.
 */
enum srnic_wqe_verdict
srnic_recv_wqe_decode(const struct srnic_recv_wqe *header, u32 max_sge,
		      struct srnic_recv_wr *wr)
{
	wr->wr_id = header->wr_id;
	wr->num_sge = 0;
	wr->length = 0;
	if (header->reserved)
		return SRNIC_WQE_BAD_RESERVED;
	if (header->num_sge > max_sge)
		return SRNIC_WQE_BAD_SGE_COUNT;
	wr->num_sge = array_index_nospec(header->num_sge, max_sge + 1);
	return SRNIC_WQE_OK;
}

/**
 * srnic_wqe_verdict_name() - a verdict in words
 * @verdict: from one of the decoders
 *
 * Context: Any.
 * Return: a constant string.
 */
const char *srnic_wqe_verdict_name(enum srnic_wqe_verdict verdict)
{
	static const char * const names[SRNIC_WQE_VERDICTS] = {
		[SRNIC_WQE_OK] = "ok",
		[SRNIC_WQE_BAD_OPCODE] = "bad_opcode",
		[SRNIC_WQE_BAD_FLAGS] = "bad_flags",
		[SRNIC_WQE_BAD_SGE_COUNT] = "bad_sge_count",
		[SRNIC_WQE_BAD_INLINE] = "bad_inline",
		[SRNIC_WQE_BAD_LENGTH] = "bad_length",
		[SRNIC_WQE_BAD_ALIGNMENT] = "bad_alignment",
		[SRNIC_WQE_BAD_RESERVED] = "bad_reserved",
	};

	return (u32)verdict < SRNIC_WQE_VERDICTS ? names[verdict] : "invalid";
}
