// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parse and build the transport headers of one packet.
 *
 * Both directions walk the extended headers in the same order, which is the order
 * on the wire (rule 1.4.7). A field that the opcode has no header for is 0 after
 * parse and not looked at by build, so that build after parse gives the same bytes.
 */
#include "packet.h"

#define RESV8_MASK	GENMASK(31, 24)
#define SYNDROME_MASK	GENMASK(31, 24)
#define LOW24_MASK	GENMASK(23, 0)

static void decode_bth(const u8 *p, struct srnic_pkt *out)
{
	const struct srnic_bth *bth = (const struct srnic_bth *)p;
	u32 qpn = be32_to_cpu(bth->qpn);
	u32 psn = be32_to_cpu(bth->psn);

	out->opcode = bth->opcode;
	out->solicited = bth->flags & SRNIC_BTH_SE;
	out->migreq = bth->flags & SRNIC_BTH_MIGREQ;
	out->pad = FIELD_GET(SRNIC_BTH_PAD_MASK, bth->flags);
	out->pkey = be16_to_cpu(bth->pkey);
	out->fecn = qpn & SRNIC_BTH_FECN;
	out->becn = qpn & SRNIC_BTH_BECN;
	out->resv6 = FIELD_GET(SRNIC_BTH_RESV6_MASK, qpn);
	out->dest_qp = FIELD_GET(SRNIC_BTH_QPN_MASK, qpn);
	out->ack_req = psn & SRNIC_BTH_ACK_REQ;
	out->resv7 = FIELD_GET(SRNIC_BTH_RESV7_MASK, psn);
	out->psn = FIELD_GET(SRNIC_BTH_PSN_MASK, psn);
}

/* XRCETH, DETH and FETH: what comes before address and syndrome. */
static const u8 *decode_routing(const u8 *p, struct srnic_pkt *out)
{
	const struct srnic_opcode_info *info = out->info;

	if (info->has_xrceth) {
		const struct srnic_xrceth *xrc = (const struct srnic_xrceth *)p;

		out->resv8 = FIELD_GET(RESV8_MASK, be32_to_cpu(xrc->srqn));
		out->srqn = FIELD_GET(LOW24_MASK, be32_to_cpu(xrc->srqn));
		p += sizeof(*xrc);
	}
	if (info->has_deth) {
		const struct srnic_deth *deth = (const struct srnic_deth *)p;

		out->qkey = be32_to_cpu(deth->qkey);
		out->resv8 = FIELD_GET(RESV8_MASK, be32_to_cpu(deth->src_qp));
		out->src_qp = FIELD_GET(LOW24_MASK, be32_to_cpu(deth->src_qp));
		p += sizeof(*deth);
	}
	if (info->has_feth) {
		const struct srnic_feth *feth = (const struct srnic_feth *)p;

		out->feth = be32_to_cpu(feth->flush);
		p += sizeof(*feth);
	}
	return p;
}

static const u8 *decode_address(const u8 *p, struct srnic_pkt *out)
{
	const struct srnic_opcode_info *info = out->info;

	if (info->has_reth) {
		const struct srnic_reth *reth = (const struct srnic_reth *)p;

		out->va = be64_to_cpu(reth->va);
		out->rkey = be32_to_cpu(reth->rkey);
		out->dma_len = be32_to_cpu(reth->dma_len);
		p += sizeof(*reth);
	}
	if (info->has_atomic_eth) {
		const struct srnic_atomic_eth *eth = (const struct srnic_atomic_eth *)p;

		out->va = be64_to_cpu(eth->va);
		out->rkey = be32_to_cpu(eth->rkey);
		out->swap_add = be64_to_cpu(eth->swap_add);
		out->compare = be64_to_cpu(eth->compare);
		p += sizeof(*eth);
	}
	return p;
}

static void decode_rest(const u8 *p, struct srnic_pkt *out)
{
	const struct srnic_opcode_info *info = out->info;

	if (info->has_aeth) {
		const struct srnic_aeth *aeth = (const struct srnic_aeth *)p;

		out->syndrome = FIELD_GET(SYNDROME_MASK, be32_to_cpu(aeth->syn_msn));
		out->msn = FIELD_GET(LOW24_MASK, be32_to_cpu(aeth->syn_msn));
		p += sizeof(*aeth);
	}
	if (info->has_atomic_ack) {
		const struct srnic_atomic_ack_eth *ack =
			(const struct srnic_atomic_ack_eth *)p;

		out->atomic_orig = be64_to_cpu(ack->orig);
		p += sizeof(*ack);
	}
	if (info->has_imm)
		out->imm = ((const struct srnic_immdt *)p)->imm;
	else if (info->has_ieth)
		out->inv_rkey = be32_to_cpu(((const struct srnic_ieth *)p)->rkey);
}

/*
 * What follows the headers. A request with a payload where none belongs is for
 * the responder to NAK (rule 3.2 g); a response or CNP like that is dropped here.
 */
static enum srnic_parse_verdict check_payload(u32 padded, struct srnic_pkt *out)
{
	const struct srnic_opcode_info *info = out->info;

	if (padded & 3)
		return SRNIC_PARSE_BAD_LENGTH;
	if (out->pad > padded)
		return SRNIC_PARSE_BAD_PAD;

	out->payload_bytes = padded - out->pad;
	if (info->cnp && out->payload_bytes != SRNIC_CNP_RESERVED_BYTES)
		return SRNIC_PARSE_BAD_LENGTH;
	if (info->response && !info->has_payload && padded)
		return SRNIC_PARSE_BAD_LENGTH;
	return SRNIC_PARSE_OK;
}

/**
 * srnic_pkt_parse() - decode and check the headers of a packet
 * @hdr: start of the BTH; no alignment needed
 * @readable: bytes at @hdr that may be read; SRNIC_MAX_HEADER_BYTES, or @total if
 *	that is less, always suffices
 * @total: bytes of the packet, from BTH to ICRC, both included
 * @out: where to put the result
 *
 * Never reads beyond @readable or @total. The payload itself, pad and ICRC are not
 * looked at. On SRNIC_PARSE_UNKNOWN_OPCODE the BTH fields of @out are valid and
 * @out->info is NULL; on other failures @out is unspecified.
 *
 * Context: Any.
 * Return: SRNIC_PARSE_OK, or why the packet has to be dropped.
 */
enum srnic_parse_verdict
srnic_pkt_parse(const u8 *hdr, u32 readable, u32 total, struct srnic_pkt *out)
{
	const struct srnic_opcode_info *info;
	const u8 *p;

	memset(out, 0, sizeof(*out));
	if (readable < sizeof(struct srnic_bth) ||
	    total < sizeof(struct srnic_bth) + SRNIC_ICRC_BYTES)
		return SRNIC_PARSE_TRUNCATED;

	decode_bth(hdr, out);
	if (((const struct srnic_bth *)hdr)->flags & SRNIC_BTH_TVER_MASK)
		return SRNIC_PARSE_BAD_VERSION;

	info = srnic_opcode_info(out->opcode);
	if (!info)
		return SRNIC_PARSE_UNKNOWN_OPCODE;
	if (readable < info->header_bytes ||
	    total < info->header_bytes + SRNIC_ICRC_BYTES)
		return SRNIC_PARSE_TRUNCATED;

	out->info = info;
	out->header_bytes = info->header_bytes;
	p = decode_routing(hdr + sizeof(struct srnic_bth), out);
	p = decode_address(p, out);
	decode_rest(p, out);

	return check_payload(total - info->header_bytes - SRNIC_ICRC_BYTES, out);
}

/**
 * srnic_parse_verdict_name() - a verdict in words
 * @verdict: from srnic_pkt_parse()
 *
 * Context: Any.
 * Return: a constant string.
 */
const char *srnic_parse_verdict_name(enum srnic_parse_verdict verdict)
{
	static const char * const names[SRNIC_PARSE_VERDICTS] = {
		[SRNIC_PARSE_OK] = "ok",
		[SRNIC_PARSE_TRUNCATED] = "truncated",
		[SRNIC_PARSE_BAD_VERSION] = "bad_version",
		[SRNIC_PARSE_UNKNOWN_OPCODE] = "unknown_opcode",
		[SRNIC_PARSE_BAD_PAD] = "bad_pad",
		[SRNIC_PARSE_BAD_LENGTH] = "bad_length",
	};

	return (u32)verdict < SRNIC_PARSE_VERDICTS ? names[verdict] : "invalid";
}

static void encode_bth(const struct srnic_pkt *pkt, u8 *p)
{
	struct srnic_bth *bth = (struct srnic_bth *)p;

	bth->opcode = pkt->opcode;
	bth->flags = (pkt->solicited ? SRNIC_BTH_SE : 0) |
		     (pkt->migreq ? SRNIC_BTH_MIGREQ : 0) |
		     FIELD_PREP(SRNIC_BTH_PAD_MASK, pkt->pad);
	bth->pkey = cpu_to_be16(pkt->pkey);
	bth->qpn = cpu_to_be32((pkt->fecn ? SRNIC_BTH_FECN : 0) |
			       (pkt->becn ? SRNIC_BTH_BECN : 0) |
			       FIELD_PREP(SRNIC_BTH_RESV6_MASK, pkt->resv6) |
			       FIELD_PREP(SRNIC_BTH_QPN_MASK, pkt->dest_qp));
	bth->psn = cpu_to_be32((pkt->ack_req ? SRNIC_BTH_ACK_REQ : 0) |
			       FIELD_PREP(SRNIC_BTH_RESV7_MASK, pkt->resv7) |
			       FIELD_PREP(SRNIC_BTH_PSN_MASK, pkt->psn));
}

static u8 *encode_routing(const struct srnic_opcode_info *info,
			  const struct srnic_pkt *pkt, u8 *p)
{
	u32 resv8 = FIELD_PREP(RESV8_MASK, pkt->resv8);

	if (info->has_xrceth) {
		struct srnic_xrceth *xrc = (struct srnic_xrceth *)p;

		xrc->srqn = cpu_to_be32(resv8 | FIELD_PREP(LOW24_MASK, pkt->srqn));
		p += sizeof(*xrc);
	}
	if (info->has_deth) {
		struct srnic_deth *deth = (struct srnic_deth *)p;

		deth->qkey = cpu_to_be32(pkt->qkey);
		deth->src_qp = cpu_to_be32(resv8 | FIELD_PREP(LOW24_MASK, pkt->src_qp));
		p += sizeof(*deth);
	}
	if (info->has_feth) {
		struct srnic_feth *feth = (struct srnic_feth *)p;

		feth->flush = cpu_to_be32(pkt->feth);
		p += sizeof(*feth);
	}
	return p;
}

static u8 *encode_address(const struct srnic_opcode_info *info,
			  const struct srnic_pkt *pkt, u8 *p)
{
	if (info->has_reth) {
		struct srnic_reth *reth = (struct srnic_reth *)p;

		reth->va = cpu_to_be64(pkt->va);
		reth->rkey = cpu_to_be32(pkt->rkey);
		reth->dma_len = cpu_to_be32(pkt->dma_len);
		p += sizeof(*reth);
	}
	if (info->has_atomic_eth) {
		struct srnic_atomic_eth *eth = (struct srnic_atomic_eth *)p;

		eth->va = cpu_to_be64(pkt->va);
		eth->rkey = cpu_to_be32(pkt->rkey);
		eth->swap_add = cpu_to_be64(pkt->swap_add);
		eth->compare = cpu_to_be64(pkt->compare);
		p += sizeof(*eth);
	}
	return p;
}

static void encode_rest(const struct srnic_opcode_info *info,
			const struct srnic_pkt *pkt, u8 *p)
{
	if (info->has_aeth) {
		struct srnic_aeth *aeth = (struct srnic_aeth *)p;

		aeth->syn_msn = cpu_to_be32(FIELD_PREP(SYNDROME_MASK, pkt->syndrome) |
					    FIELD_PREP(LOW24_MASK, pkt->msn));
		p += sizeof(*aeth);
	}
	if (info->has_atomic_ack) {
		struct srnic_atomic_ack_eth *ack = (struct srnic_atomic_ack_eth *)p;

		ack->orig = cpu_to_be64(pkt->atomic_orig);
		p += sizeof(*ack);
	}
	if (info->has_imm)
		((struct srnic_immdt *)p)->imm = pkt->imm;
	else if (info->has_ieth)
		((struct srnic_ieth *)p)->rkey = cpu_to_be32(pkt->inv_rkey);
}

/**
 * srnic_pkt_build() - write BTH and extended headers
 * @pkt: what to write; start from a zeroed struct. @pkt->pad has to be set;
 *	@pkt->info, @pkt->header_bytes and @pkt->payload_bytes are not used
 * @buf: room for srnic_pkt_header_bytes(@pkt->opcode); no alignment needed
 *
 * Fields wider than on the wire are cut to their width.
 *
 * Context: Any.
 * Return: bytes written, or 0 if the opcode is unknown.
 */
u32 srnic_pkt_build(const struct srnic_pkt *pkt, u8 *buf)
{
	const struct srnic_opcode_info *info = srnic_opcode_info(pkt->opcode);
	u8 *p;

	if (!info)
		return 0;

	encode_bth(pkt, buf);
	p = encode_routing(info, pkt, buf + sizeof(struct srnic_bth));
	p = encode_address(info, pkt, p);
	encode_rest(info, pkt, p);

	return info->header_bytes;
}
