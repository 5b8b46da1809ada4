/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * srnic-abi.h - the contract between the srnic kernel module and its provider
 *
 * Rules of this file
 *
 *  - Every struct is a multiple of 8 bytes and has no implicit padding.
 *  - Reserved fields of commands, answers and work requests are zero; the
 *    receiver refuses anything else, so that they can be given a meaning later.
 *    Those of headers of queues and doorbell lines start as zero and nobody looks
 *    at them: to be given a meaning they need a bit in the caps of a ucontext.
 *  - comp_mask says which later extensions of a struct are in use. A bit that
 *    the receiver does not know makes the call fail.
 *  - Queues are mapped shared memory. The kernel trusts nothing in them: it
 *    keeps every index and all state for itself, reads each shared field once,
 *    and checks the copy. See Documentation/memory-ordering.rst.
 */
#ifndef SRNIC_ABI_H
#define SRNIC_ABI_H

#include <linux/types.h>

/* What ib_device_ops.uverbs_abi_ver and the provider's match table hold. */
#define SRNIC_ABI_VERSION	1

/*
 * Identifies the driver to libibverbs under any device name. Upstream numbers
 * its drivers from 0; this is "SRNC" and will not be reached.
 */
#define SRNIC_DRIVER_ID		0x53524e43

/* ---- ucontext ---------------------------------------------------------- */

/**
 * struct srnic_alloc_ucontext_cmd - a process opens the device
 * @comp_mask: zero
 * @abi_version: SRNIC_ABI_VERSION of the provider
 * @caps: what the provider can do; none is defined yet, unknown ones are ignored
 */
struct srnic_alloc_ucontext_cmd {
	__u32 comp_mask;
	__u32 abi_version;
	__aligned_u64 caps;
};

/**
 * struct srnic_alloc_ucontext_resp - answer to it
 * @comp_mask: zero
 * @abi_version: SRNIC_ABI_VERSION of the kernel
 * @caps: what both can do
 * @max_inline_data: most bytes of inline data that a QP can be made for
 * @max_sge: most elements of a list that a QP or SRQ can be made for
 */
struct srnic_alloc_ucontext_resp {
	__u32 comp_mask;
	__u32 abi_version;
	__aligned_u64 caps;
	__u32 max_inline_data;
	__u32 max_sge;
};

/* ---- doorbells --------------------------------------------------------- */

#define SRNIC_DOORBELL_LINE_BYTES	64
#define SRNIC_DOORBELL_BITS		64

/**
 * struct srnic_doorbell_line - one cache line of a mapped doorbell page
 * @pending: a bit for each QP of this line; set by the user when it has
 *	     posted, taken by the kernel with one exchange
 * @parked: non-zero while the kernel does not poll this line: who sets a bit
 *	    that was clear must then kick (a POST_SEND with no work request)
 * @reserved: not used
 */
struct srnic_doorbell_line {
	__aligned_u64 pending;
	__u32 parked;
	__u32 reserved[13];
};

/* ---- send and receive queues ------------------------------------------- */

/* Bytes between the start of a queue's mapping and its slot 0. */
#define SRNIC_QUEUE_HEADER_BYTES	128

/**
 * struct srnic_queue_header - start of the mapping of an SQ, RQ or SRQ
 * @producer: work requests posted since the QP was last in RESET, or since the ring
 *	      of an SRQ was made, modulo 2^32 (not modulo the size); stored by the
 *	      user with release semantics after the slots
 * @reserved: not used
 */
struct srnic_queue_header {
	__u32 producer;
	__u32 reserved[31];
};

/**
 * struct srnic_sge - one scatter/gather element
 * @addr: start, as the memory region's I/O virtual address
 * @length: bytes; an element of 0 bytes is not looked at any further
 * @lkey: local key of the memory region
 */
struct srnic_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

#define SRNIC_WQE_HEADER_BYTES	64
#define SRNIC_WQE_ALIGN		64

/* Values of &struct srnic_send_wqe.opcode are those of ib_uverbs_wr_opcode. */
enum srnic_wr_opcode {
	SRNIC_WR_RDMA_WRITE		= 0,
	SRNIC_WR_RDMA_WRITE_WITH_IMM	= 1,
	SRNIC_WR_SEND			= 2,
	SRNIC_WR_SEND_WITH_IMM		= 3,
	SRNIC_WR_RDMA_READ		= 4,
	SRNIC_WR_ATOMIC_CMP_AND_SWP	= 5,
	SRNIC_WR_ATOMIC_FETCH_AND_ADD	= 6,
	SRNIC_WR_LOCAL_INV		= 7,
	SRNIC_WR_BIND_MW		= 8,
	SRNIC_WR_SEND_WITH_INV		= 9,
	SRNIC_WR_ATOMIC_WRITE		= 15,
};

/* Values of &struct srnic_send_wqe.flags are those of ibv_send_flags. */
enum srnic_send_flags {
	SRNIC_SEND_FENCE		= 1 << 0,
	SRNIC_SEND_SIGNALED		= 1 << 1,
	SRNIC_SEND_SOLICITED		= 1 << 2,
	SRNIC_SEND_INLINE		= 1 << 3,
};

/**
 * struct srnic_send_wqe - slot of a send queue
 * @wr_id: returned in the CQE
 * @opcode: enum srnic_wr_opcode
 * @flags: enum srnic_send_flags
 * @num_sge: elements behind this header; 0 with SRNIC_SEND_INLINE
 * @reserved0: zero
 * @imm: immediate data, in the byte order in which it goes on the wire; or, for
 *	 SRNIC_WR_SEND_WITH_INV and SRNIC_WR_LOCAL_INV, the key to invalidate
 * @inline_length: bytes of payload behind this header if flagged
 *		   SRNIC_SEND_INLINE, else 0
 * @srqn: XRC QPs: number of the SRQ at the other end; else zero
 * @rdma: RDMA and atomic operations
 * @rdma.remote_addr: remote virtual address
 * @rdma.rkey: remote key
 * @rdma.reserved: zero
 * @rdma.compare_add: what to compare with, or to add
 * @rdma.swap: what to swap in
 * @bind: SRNIC_WR_BIND_MW
 * @bind.addr: first byte of the window, as the memory region names it
 * @bind.length: bytes of the window; 0 unbinds one of type 1
 * @bind.rkey: new key of the window: its index says which window it is
 * @bind.lkey: of the memory region; not looked at without a length
 * @bind.access: rights of the window: enum ibv_access_flags
 * @bind.reserved: zero
 * @ud: UD QPs
 * @ud.ah: handle that create_ah returned
 * @ud.remote_qpn: destination QP
 * @ud.remote_qkey: Q_Key to send
 * @ud.reserved: zero
 * @reserved2: zero
 *
 * Behind it, up to the stride of the slots, which is told at creation of the
 * QP: @num_sge times struct srnic_sge, the gather list (the scatter list of a
 * READ or atomic), or @inline_length bytes of payload.
 */
struct srnic_send_wqe {
	__aligned_u64 wr_id;
	__u8 opcode;
	__u8 flags;
	__u8 num_sge;
	__u8 reserved0;
	__u32 imm;
	__u32 inline_length;
	__u32 srqn;
	union {
		struct {
			__aligned_u64 remote_addr;
			__u32 rkey;
			__u32 reserved;
			__aligned_u64 compare_add;
			__aligned_u64 swap;
		} rdma;
		struct {
			__aligned_u64 addr;
			__aligned_u64 length;
			__u32 rkey;
			__u32 lkey;
			__u32 access;
			__u32 reserved;
		} bind;
		struct {
			__u32 ah;
			__u32 remote_qpn;
			__u32 remote_qkey;
			__u32 reserved[5];
		} ud;
	};
	__aligned_u64 reserved2;
};

/**
 * struct srnic_recv_wqe - slot of a receive queue, shared or not
 * @wr_id: returned in the CQE
 * @num_sge: elements behind this header
 * @reserved: zero
 *
 * Behind it: @num_sge times struct srnic_sge, the scatter list. The stride of
 * the slots is told at creation of the QP or SRQ.
 */
struct srnic_recv_wqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
};

/**
 * struct srnic_create_qp_cmd - driver's part of create_qp
 * @comp_mask: zero
 * @reserved: zero
 */
struct srnic_create_qp_cmd {
	__u32 comp_mask;
	__u32 reserved;
};

/**
 * struct srnic_create_qp_resp - where and how the queues of a QP are mapped;
 *				 nothing of a target QP of XRC, which has none
 * @comp_mask: zero
 * @max_inline_data: bytes of payload that fit in a slot
 * @sq_entries: slots of the SQ, a power of two; 0 without SQ
 * @sq_stride: bytes from slot to slot of the SQ
 * @rq_entries: slots of the RQ, a power of two; 0 without RQ
 * @rq_stride: bytes from slot to slot of the RQ
 * @sq_mmap_offset: argument of mmap() for the SQ
 * @sq_mmap_bytes: length of that mapping
 * @rq_mmap_offset: argument of mmap() for the RQ
 * @rq_mmap_bytes: length of that mapping
 * @doorbell_mmap_offset: argument of mmap() for the doorbell page; several QPs
 *	of a context share a page, which is mapped once
 * @doorbell_mmap_bytes: length of that mapping
 * @doorbell_line: index of the QP's line in that page
 * @doorbell_bit: number of the QP's bit in the line
 */
struct srnic_create_qp_resp {
	__u32 comp_mask;
	__u32 max_inline_data;
	__u32 sq_entries;
	__u32 sq_stride;
	__u32 rq_entries;
	__u32 rq_stride;
	__aligned_u64 sq_mmap_offset;
	__aligned_u64 sq_mmap_bytes;
	__aligned_u64 rq_mmap_offset;
	__aligned_u64 rq_mmap_bytes;
	__aligned_u64 doorbell_mmap_offset;
	__u32 doorbell_mmap_bytes;
	__u16 doorbell_line;
	__u16 doorbell_bit;
};

/* ---- shared receive queues --------------------------------------------- */

/*
 * The mapping of an SRQ is that of an RQ: header, then slots of struct
 * srnic_recv_wqe, which the kernel takes in the order of the ring. It copies a
 * work request when it takes it, so a slot is free from then on. The process is
 * not told of that; but it knows that no more than posted - completed of its work
 * requests are in slots, and so it never has more than all slots outstanding.
 */

/**
 * struct srnic_create_srq_cmd - driver's part of create_srq and create_xsrq
 * @comp_mask: zero
 * @reserved: zero
 */
struct srnic_create_srq_cmd {
	__u32 comp_mask;
	__u32 reserved;
};

/**
 * struct srnic_create_srq_resp - where and how the ring of an SRQ is mapped
 * @comp_mask: zero
 * @entries: slots, a power of two
 * @stride: bytes from slot to slot
 * @reserved: zero
 * @mmap_offset: argument of mmap()
 * @mmap_bytes: length of that mapping
 */
struct srnic_create_srq_resp {
	__u32 comp_mask;
	__u32 entries;
	__u32 stride;
	__u32 reserved;
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_bytes;
};

/**
 * struct srnic_modify_srq_cmd - driver's part of modify_srq
 * @comp_mask: zero
 * @reserved: zero
 * @response: with IB_SRQ_MAX_WR: address of a struct srnic_create_srq_resp, which
 *	      is written when the SRQ has got a new ring; uverbs has no answer of
 *	      the driver's here
 *
 * From then on the kernel takes what is posted into the new ring, which starts
 * empty, with producer 0. What is in the old one it takes before. The process posts
 * nothing during the call, and unmaps the old ring after it.
 */
struct srnic_modify_srq_cmd {
	__u32 comp_mask;
	__u32 reserved;
	__aligned_u64 response;
};

/* ---- completion queues ------------------------------------------------- */

/*
 * The arm word: a sequence number that the user increments each time it arms,
 * and the kind of completion it waits for. One arm raises one event at most.
 */
#define SRNIC_CQ_ARM_SOLICITED	1
#define SRNIC_CQ_ARM_ANY	2
#define SRNIC_CQ_ARM_KIND_MASK	3
#define SRNIC_CQ_ARM_SEQ_SHIFT	2

/**
 * struct srnic_cq_header - start of the mapping of a CQ
 * @consumer: CQEs taken since the ring was made, modulo 2^32; stored by the user
 *	      with release semantics when it has read them
 * @arm: the arm word, 0 before it is first armed; stored by the user, followed
 *	 by a full barrier before it polls again
 * @reserved0: not used
 * @notified: the last arm word that raised an event; written by the kernel
 *	      and never read back by it
 * @reserved1: not used
 */
struct srnic_cq_header {
	__u32 consumer;
	__u32 arm;
	__u32 reserved0[14];
	__u32 notified;
	__u32 reserved1[15];
};

/*
 * Values of &struct srnic_cqe.flags are those of ibv_wc_flags, but for the last:
 * SRNIC_WC_XRC_SRQ says that @srqn is meant. It is for the provider alone.
 */
enum srnic_wc_flags {
	SRNIC_WC_GRH			= 1 << 0,
	SRNIC_WC_WITH_IMM		= 1 << 1,
	SRNIC_WC_WITH_INV		= 1 << 3,
	SRNIC_WC_XRC_SRQ		= 1 << 7,
};

/* Receive completions have this bit in &struct srnic_cqe.opcode. */
#define SRNIC_WC_OPCODE_RECV	0x80

/*
 * Why a send work request was refused before anything of it was sent. Numbers below
 * are those of AETH syndromes.
 */
enum srnic_vendor_err {
	SRNIC_VENDOR_ERR_OPCODE		= 0x101,
	SRNIC_VENDOR_ERR_FLAGS		= 0x102,
	SRNIC_VENDOR_ERR_SGE_COUNT	= 0x103,
	SRNIC_VENDOR_ERR_INLINE		= 0x104,
	SRNIC_VENDOR_ERR_LENGTH		= 0x105,
	SRNIC_VENDOR_ERR_ALIGNMENT	= 0x106,
	SRNIC_VENDOR_ERR_RESERVED	= 0x107,
};

/**
 * struct srnic_cqe - one completion
 * @wr_id: that of the work request
 * @timestamp: CLOCK_MONOTONIC-based nanoseconds at which it was written
 * @byte_len: bytes received, read or exchanged
 * @imm: immediate data as it came over the wire, or the invalidated rkey
 * @qp_num: local QP; with SRNIC_WC_XRC_SRQ a target QP, maybe of another process
 * @src_qp: UD: the sender's QP
 * @wqe_index: value of the queue's index behind this work request: all slots
 *	       before it may be used again (send queue if @opcode has no
 *	       SRNIC_WC_OPCODE_RECV, else receive queue); of no meaning if the
 *	       work request came from an SRQ
 * @vendor_err: detail of an error, for people: enum srnic_vendor_err, or the
 *		syndrome of the NAK that has told of it (0x60 to 0x7f, or 0x20 to 0x3f
 *		for RNR); 0 if there is nothing to add
 * @status: enum ib_wc_status
 * @opcode: enum ib_uverbs_wc_opcode
 * @flags: enum srnic_wc_flags
 * @sl: service level; UD: kind of network header, 1 IPv6, 2 IPv4
 * @pkey_index: index of the packet's P_Key
 * @vlan: zero; in the kernel, GSI QP: 0x1000 + VLAN that the packet came by, or 0
 * @srqn: with SRNIC_WC_XRC_SRQ: number of the SRQ that the work request was
 *	  posted to; else zero. Other QPs are known to have an SRQ or not
 * @reserved1: zero
 * @phase: 1 for the first pass through the ring, then 0, and so on. The kernel
 *	   stores it last with release semantics. The ring starts zeroed.
 */
struct srnic_cqe {
	__aligned_u64 wr_id;
	__aligned_u64 timestamp;
	__u32 byte_len;
	__u32 imm;
	__u32 qp_num;
	__u32 src_qp;
	__u32 wqe_index;
	__u32 vendor_err;
	__u8 status;
	__u8 opcode;
	__u8 flags;
	__u8 sl;
	__u16 pkey_index;
	__u16 vlan;
	__u32 srqn;
	__u16 reserved1[5];
	__u16 phase;
};

/**
 * struct srnic_create_cq_cmd - driver's part of create_cq
 * @comp_mask: zero
 * @reserved: zero
 */
struct srnic_create_cq_cmd {
	__u32 comp_mask;
	__u32 reserved;
};

/**
 * struct srnic_create_cq_resp - where and how the ring of a CQ is mapped
 * @comp_mask: zero
 * @entries: slots, a power of two
 * @mmap_offset: argument of mmap()
 * @mmap_bytes: length of that mapping
 */
struct srnic_create_cq_resp {
	__u32 comp_mask;
	__u32 entries;
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_bytes;
};

/*
 * Resizing a CQ takes two calls. SRNIC_RESIZE_CQ_PREPARE makes a ring and tells
 * where to map it; the CQ goes on in the old one. SRNIC_RESIZE_CQ_SWITCH, with the
 * same size, makes the kernel use it: the CQEs that were not taken from the old ring
 * are the user's to copy into slots 0 to outstanding - 1, with phase 1, and the
 * kernel writes from slot outstanding on. Its header holds the arm word of the old
 * one and consumer 0. The user neither polls nor arms from before SWITCH until it
 * has copied them.
 */
enum srnic_resize_cq_step {
	SRNIC_RESIZE_CQ_PREPARE		= 0,
	SRNIC_RESIZE_CQ_SWITCH		= 1,
};

/**
 * struct srnic_resize_cq_cmd - a step of resizing a CQ
 * @comp_mask: zero
 * @step: enum srnic_resize_cq_step
 */
struct srnic_resize_cq_cmd {
	__u32 comp_mask;
	__u32 step;
};

/**
 * struct srnic_resize_cq_resp - answer to it
 * @comp_mask: zero
 * @entries: slots of the new ring, a power of two
 * @mmap_offset: PREPARE: argument of mmap() for it
 * @mmap_bytes: PREPARE: length of that mapping
 * @outstanding: SWITCH: CQEs to be copied
 * @reserved: zero
 */
struct srnic_resize_cq_resp {
	__u32 comp_mask;
	__u32 entries;
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_bytes;
	__u32 outstanding;
	__u32 reserved;
};

/* ---- address handles --------------------------------------------------- */

/**
 * struct srnic_create_ah_resp - answer to create_ah
 * @comp_mask: zero
 * @ah: the handle to put into a UD send
 */
struct srnic_create_ah_resp {
	__u32 comp_mask;
	__u32 ah;
};

#endif /* SRNIC_ABI_H */
