/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * RoCEv2 header formats, as they are on the wire.
 *
 * Format only: nothing here decodes. packet.h turns bytes into a host-endian
 * struct srnic_pkt and back. Order after the BTH: XRCETH, DETH, FETH, then RETH or
 * AtomicETH or AETH, AtomicAckETH, then ImmDt or IETH, payload, pad, ICRC.
 */
#ifndef SRNIC_WIRE_FORMAT_H
#define SRNIC_WIRE_FORMAT_H

#include "../env.h"

#define SRNIC_UDP_PORT		4791
#define SRNIC_ICRC_BYTES	4U
#define SRNIC_GRH_BYTES		40
#define SRNIC_GSI_QPN		1
#define SRNIC_MULTICAST_QPN	0xffffff
#define SRNIC_QPN_MASK		0xffffff
#define SRNIC_CNP_RESERVED_BYTES 16
#define SRNIC_MAX_DMA_LEN	BIT(31)

#define SRNIC_BTH_SE		BIT(7)
#define SRNIC_BTH_MIGREQ	BIT(6)
#define SRNIC_BTH_PAD_MASK	GENMASK(5, 4)
#define SRNIC_BTH_TVER_MASK	GENMASK(3, 0)
#define SRNIC_BTH_FECN		BIT(31)
#define SRNIC_BTH_BECN		BIT(30)
#define SRNIC_BTH_RESV6_MASK	GENMASK(29, 24)
#define SRNIC_BTH_QPN_MASK	GENMASK(23, 0)
#define SRNIC_BTH_ACK_REQ	BIT(31)
#define SRNIC_BTH_RESV7_MASK	GENMASK(30, 24)
#define SRNIC_BTH_PSN_MASK	GENMASK(23, 0)

/* Byte of the BTH with FECN, BECN and reserved bits, which no ICRC covers. */
#define SRNIC_BTH_RESV8A_OFFSET	4

/**
 * struct srnic_bth - base transport header, in every packet
 * @opcode: service in bits 7:5, operation in bits 4:0
 * @flags: solicited event, MigReq, pad count, transport version (0)
 * @pkey: partition key
 * @qpn: FECN, BECN, 6 reserved bits, destination QP number
 * @psn: AckReq, 7 reserved bits, packet sequence number
 */
struct srnic_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 qpn;
	__be32 psn;
} __packed;

/**
 * struct srnic_xrceth - XRC extended transport header
 * @srqn: 8 reserved bits, XRC SRQ number
 */
struct srnic_xrceth {
	__be32 srqn;
} __packed;

/**
 * struct srnic_deth - datagram extended transport header
 * @qkey: queue key
 * @src_qp: 8 reserved bits, source QP number
 */
struct srnic_deth {
	__be32 qkey;
	__be32 src_qp;
} __packed;

#define SRNIC_FETH_SEL_MASK	GENMASK(5, 4)
#define SRNIC_FETH_SEL_RANGE	0
#define SRNIC_FETH_SEL_MR	1
#define SRNIC_FETH_PLT_MASK	GENMASK(3, 0)
#define SRNIC_FETH_PLT_GLOBAL	BIT(0)
#define SRNIC_FETH_PLT_PERSIST	BIT(1)

/**
 * struct srnic_feth - FLUSH extended transport header
 * @flush: 26 reserved bits, selectivity, placement
 */
struct srnic_feth {
	__be32 flush;
} __packed;

/**
 * struct srnic_reth - RDMA extended transport header
 * @va: remote virtual address
 * @rkey: remote key
 * @dma_len: bytes of the whole message
 */
struct srnic_reth {
	__be64 va;
	__be32 rkey;
	__be32 dma_len;
} __packed;

/**
 * struct srnic_atomic_eth - atomic extended transport header
 * @va: remote virtual address
 * @rkey: remote key
 * @swap_add: value to swap in, or to add
 * @compare: value to compare with (CMP_SWAP only)
 */
struct srnic_atomic_eth {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} __packed;

/**
 * struct srnic_aeth - ACK extended transport header
 * @syn_msn: syndrome in bits 31:24, message sequence number below
 */
struct srnic_aeth {
	__be32 syn_msn;
} __packed;

/**
 * struct srnic_atomic_ack_eth - result of an atomic
 * @orig: value before the operation
 */
struct srnic_atomic_ack_eth {
	__be64 orig;
} __packed;

/**
 * struct srnic_immdt - immediate data
 * @imm: opaque, handed through as it is
 */
struct srnic_immdt {
	__be32 imm;
} __packed;

/**
 * struct srnic_ieth - invalidate extended transport header
 * @rkey: key to invalidate
 */
struct srnic_ieth {
	__be32 rkey;
} __packed;

/* The largest BTH with extended headers: XRC CMP_SWAP or FETCH_ADD. */
#define SRNIC_MAX_HEADER_BYTES						\
	(sizeof(struct srnic_bth) + sizeof(struct srnic_xrceth) +	\
	 sizeof(struct srnic_atomic_eth))

static_assert(sizeof(struct srnic_bth) == 12);
static_assert(sizeof(struct srnic_xrceth) == 4);
static_assert(sizeof(struct srnic_deth) == 8);
static_assert(sizeof(struct srnic_feth) == 4);
static_assert(sizeof(struct srnic_reth) == 16);
static_assert(sizeof(struct srnic_atomic_eth) == 28);
static_assert(sizeof(struct srnic_aeth) == 4);
static_assert(sizeof(struct srnic_atomic_ack_eth) == 8);
static_assert(sizeof(struct srnic_immdt) == 4);
static_assert(sizeof(struct srnic_ieth) == 4);
static_assert(SRNIC_MAX_HEADER_BYTES == 44);

#endif /* SRNIC_WIRE_FORMAT_H */
