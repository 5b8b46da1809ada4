// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests: every limit and verdict of the contract (srnic-abi.h).
 */
#include "queue_wqe_slot.h"

#define WR_ID	0x1122334455667788ULL
#define GIB	0x40000000U

enum {
	RC = SRNIC_WQE_RC,
	UC = SRNIC_WQE_UC,
	UD = SRNIC_WQE_UD,
	XRC = SRNIC_WQE_XRC,

	WRITE_OP = SRNIC_WR_RDMA_WRITE,
	SEND_OP = SRNIC_WR_SEND,
	READ_OP = SRNIC_WR_RDMA_READ,
	CAS_OP = SRNIC_WR_ATOMIC_CMP_AND_SWP,
	FAA_OP = SRNIC_WR_ATOMIC_FETCH_AND_ADD,

	GOOD = SRNIC_WQE_OK,
	BAD_COUNT = SRNIC_WQE_BAD_SGE_COUNT,
	BAD_INLINE = SRNIC_WQE_BAD_INLINE,
	BAD_LENGTH = SRNIC_WQE_BAD_LENGTH,
};

struct list_row {
	const char *what;
	u8 transport;
	u8 opcode;
	u8 verdict;
	u32 length;
	u8 num_sge;
	u32 sge[SLOT_SGE];
};

static const struct list_row list_rows[] = {
	{ "nothing to send", RC, SEND_OP, GOOD, 0, 0 },
	{ "one element", RC, SEND_OP, GOOD, 7, 1, { 7 } },
	{ "all elements", UC, WRITE_OP, GOOD, 10, 4, { 1, 2, 3, 4 } },
	{ "empty elements count nothing", UD, SEND_OP, GOOD, 5, 3, { 0, 5, 0 } },
	{ "what is behind the list counts nothing", UD, SEND_OP, GOOD, 5, 1, { 5, 6, 7, 8 } },
	{ "one element too many", RC, SEND_OP, BAD_COUNT, 0, 5 },
	{ "most elements there can be", RC, READ_OP, BAD_COUNT, 0, 255 },

	{ "longest", RC, WRITE_OP, GOOD, 2 * GIB, 1, { 2 * GIB } },
	{ "longest in parts", RC, READ_OP, GOOD, 2 * GIB, 4, { GIB, GIB - 1, 1, 0 } },
	{ "too long", RC, WRITE_OP, BAD_LENGTH, 0, 1, { 2 * GIB + 1 } },
	{ "too long in parts", UC, SEND_OP, BAD_LENGTH, 0, 2, { 2 * GIB, 1 } },
	{ "too long for a datagram", UD, SEND_OP, BAD_LENGTH, 0, 1, { U32_MAX } },
	{ "sum is 0 in 32 bits", RC, READ_OP, BAD_LENGTH, 0, 2, { 2 * GIB, 2 * GIB } },
	{ "sum is 5 in 32 bits", RC, SEND_OP, BAD_LENGTH, 0, 2, { U32_MAX, 6 } },
	{ "sum is 8 in 32 bits", RC, FAA_OP, BAD_LENGTH, 0, 2, { U32_MAX, 9 } },

	{ "CAS", RC, CAS_OP, GOOD, 8, 1, { 8 } },
	{ "FAA in parts", RC, FAA_OP, GOOD, 8, 3, { 4, 0, 4 } },
	{ "CAS, no result", RC, CAS_OP, BAD_LENGTH, 0, 0 },
	{ "CAS, short", RC, CAS_OP, BAD_LENGTH, 0, 1, { 7 } },
	{ "FAA, long", RC, FAA_OP, BAD_LENGTH, 0, 1, { 9 } },
	{ "FAA, twice", RC, FAA_OP, BAD_LENGTH, 0, 2, { 8, 8 } },
};

static void lists(struct kunit *test)
{
	struct srnic_send_wr wr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list_rows); i++) {
		const struct list_row *row = &list_rows[i];
		struct srnic_send_wqe wqe = {
			.wr_id = WR_ID + i,
			.opcode = row->opcode,
			.num_sge = row->num_sge,
		};

		KUNIT_EXPECT_EQ_MSG(test,
				    (u32)slot_decode(test, row->transport, &wqe, row->sge, &wr),
				    (u32)row->verdict, "%s", row->what);
		if (row->verdict != SRNIC_WQE_OK)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, wr.wr_id, WR_ID + i, "%s", row->what);
		KUNIT_EXPECT_EQ_MSG(test, wr.length, row->length, "%s", row->what);
		KUNIT_EXPECT_EQ_MSG(test, wr.num_sge, row->num_sge, "%s", row->what);
	}
}

struct inline_row {
	const char *what;
	u8 flags;
	u8 num_sge;
	u32 inline_length;
	u8 verdict;
};

static const struct inline_row inline_rows[] = {
	{ "nothing", SRNIC_SEND_INLINE, 0, 0, GOOD },
	{ "a byte", SRNIC_SEND_INLINE, 0, 1, GOOD },
	{ "all there is room for", SRNIC_SEND_INLINE, 0, 100, GOOD },
	{ "one more", SRNIC_SEND_INLINE, 0, 101, BAD_INLINE },
	{ "many more", SRNIC_SEND_INLINE, 0, U32_MAX, BAD_INLINE },
	{ "with a list", SRNIC_SEND_INLINE, 1, 0, BAD_COUNT },
	{ "with a list of any length", SRNIC_SEND_INLINE, 255, 4, BAD_COUNT },
	{ "length without the flag", 0, 0, 1, BAD_INLINE },
	{ "length without the flag, and a list", 0, 1, 4, BAD_INLINE },
};

static void inline_data(struct kunit *test)
{
	static const u8 opcodes[] = { SEND_OP, WRITE_OP, SRNIC_WR_SEND_WITH_IMM,
				      SRNIC_WR_RDMA_WRITE_WITH_IMM };
	struct srnic_send_wr wr;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(inline_rows); i++) {
		for (j = 0; j < ARRAY_SIZE(opcodes); j++) {
			const struct inline_row *row = &inline_rows[i];
			struct srnic_send_wqe wqe = {
				.wr_id = WR_ID + i,
				.opcode = opcodes[j],
				.flags = row->flags,
				.num_sge = row->num_sge,
				.inline_length = row->inline_length,
			};

			KUNIT_EXPECT_EQ_MSG(test,
					    (u32)slot_decode(test, SRNIC_WQE_RC, &wqe, NULL, &wr),
					    (u32)row->verdict, "%s", row->what);
			if (row->verdict != SRNIC_WQE_OK)
				continue;
			KUNIT_EXPECT_EQ(test, wr.length, row->inline_length);
			KUNIT_EXPECT_EQ(test, wr.num_sge, 0);
		}
	}
}

struct address_row {
	u8 opcode;
	u64 remote_addr;
	bool good;
};

static const struct address_row address_rows[] = {
	{ CAS_OP, 0, true },
	{ CAS_OP, 0x1008, true },
	{ CAS_OP, 0x1001, false },
	{ FAA_OP, 0x1004, false },
	{ FAA_OP, U64_MAX, false },
	{ FAA_OP, U64_MAX - 7, true },
	{ READ_OP, 0x1001, true },
	{ WRITE_OP, U64_MAX, true },
};

static void alignment_of_atomics(struct kunit *test)
{
	static const u32 eight[SLOT_SGE] = { 8 };
	struct srnic_send_wr wr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(address_rows); i++) {
		const struct address_row *row = &address_rows[i];
		struct srnic_send_wqe wqe = {
			.opcode = row->opcode,
			.num_sge = 1,
			.rdma.remote_addr = row->remote_addr,
		};

		KUNIT_EXPECT_EQ_MSG(test,
				    (u32)slot_decode(test, SRNIC_WQE_RC, &wqe, eight, &wr),
				    (u32)(row->good ? SRNIC_WQE_OK : SRNIC_WQE_BAD_ALIGNMENT),
				    "row %zu", i);
	}
}

/*
 * Operations of each service (IBA vol. 1, table "Packet Type Support"), by the
 * numbers of ib_uverbs_wr_opcode. All others, REG_MR (0x20) among them, are refused.
 */
static bool is_allowed(enum srnic_wqe_transport transport, u32 opcode)
{
	switch (opcode) {
	case 2:		/* SEND */
	case 3:		/* SEND_WITH_IMM */
		return true;
	case 0:		/* RDMA_WRITE */
	case 1:		/* RDMA_WRITE_WITH_IMM */
		return transport != SRNIC_WQE_UD;
	case 7:		/* LOCAL_INV */
	case 8:		/* BIND_MW */
		return transport != SRNIC_WQE_UD;
	case 9:		/* SEND_WITH_INV */
	case 4:		/* RDMA_READ */
	case 5:		/* ATOMIC_CMP_AND_SWP */
	case 6:		/* ATOMIC_FETCH_AND_ADD */
	case 15:	/* ATOMIC_WRITE */
		return transport == SRNIC_WQE_RC || transport == SRNIC_WQE_XRC;
	default:
		return false;
	}
}

static void every_opcode(struct kunit *test)
{
	static const u32 eight[SLOT_SGE] = { 8 };
	struct srnic_send_wr wr;
	u32 transport, opcode;

	for (transport = SRNIC_WQE_RC; transport <= SRNIC_WQE_XRC; transport++) {
		for (opcode = 0; opcode < 256; opcode++) {
			bool local = opcode == 7 || opcode == 8;
			struct srnic_send_wqe wqe = { .opcode = opcode, .num_sge = !local };
			enum srnic_wqe_verdict want = is_allowed(transport, opcode) ?
				SRNIC_WQE_OK : SRNIC_WQE_BAD_OPCODE;

			KUNIT_EXPECT_EQ_MSG(test,
					    (u32)slot_decode(test, transport, &wqe, eight, &wr),
					    (u32)want, "opcode %u", opcode);
			if (want == SRNIC_WQE_OK)
				KUNIT_EXPECT_EQ(test, (u32)wr.opcode, opcode);
		}
	}
}

/* ibv_send_flags: FENCE 1, SIGNALED 2, SOLICITED 4, INLINE 8; IP_CSUM and others not. */
static void every_flag(struct kunit *test)
{
	struct srnic_send_wr wr;
	u32 flags;

	for (flags = 0; flags < 256; flags++) {
		struct srnic_send_wqe wqe = { .opcode = SRNIC_WR_SEND, .flags = flags };
		bool known = flags < 16;

		KUNIT_EXPECT_EQ_MSG(test,
				    (u32)slot_decode(test, SRNIC_WQE_UC, &wqe, NULL, &wr),
				    (u32)(known ? SRNIC_WQE_OK : SRNIC_WQE_BAD_FLAGS),
				    "flags %x", flags);
		KUNIT_EXPECT_EQ(test, (u32)wr.flags, known ? flags : 0);

		wqe.opcode = SRNIC_WR_RDMA_READ;
		known = flags < 8;
		KUNIT_EXPECT_EQ_MSG(test,
				    (u32)slot_decode(test, SRNIC_WQE_RC, &wqe, NULL, &wr),
				    (u32)(known ? SRNIC_WQE_OK : SRNIC_WQE_BAD_FLAGS),
				    "flags %x", flags);
	}
}

/* Bytes of the header that have to be zero, by the layout in srnic-abi.h. */
static bool is_reserved(u32 byte, bool rdma, bool ud, bool xrc)
{
	if (byte == 11 || byte >= 56)
		return true;
	/* An SRQ number of 24 bits, little-endian as all that this is tested on. */
	if (byte >= 20 && byte < 24)
		return !xrc || byte == 23;
	if (byte >= 36 && byte < 40)
		return rdma || ud;
	return ud && byte >= 40 && byte < 56;
}

static void expect_reserved_bytes(struct kunit *test, enum srnic_wqe_transport transport, u8 opcode)
{
	bool ud = transport == SRNIC_WQE_UD;
	bool xrc = transport == SRNIC_WQE_XRC;
	bool rdma = opcode != SRNIC_WR_SEND && opcode != SRNIC_WR_SEND_WITH_IMM;
	static const u32 eight[SLOT_SGE] = { 8 };
	struct srnic_send_wr wr;
	u32 byte;

	for (byte = 11; byte < SRNIC_WQE_HEADER_BYTES; byte++) {
		struct srnic_send_wqe wqe = { .opcode = opcode, .num_sge = 1 };
		enum srnic_wqe_verdict want = is_reserved(byte, rdma, ud, xrc) ?
			SRNIC_WQE_BAD_RESERVED : SRNIC_WQE_OK;

		/* Rows above are about these: inline_length, remote_addr, remote_qpn. */
		if ((byte >= 16 && byte < 20) || (byte >= 24 && byte < 32))
			continue;
		((u8 *)&wqe)[byte] = 0x80;
		KUNIT_EXPECT_EQ_MSG(test, (u32)slot_decode(test, transport, &wqe, eight, &wr),
				    (u32)want, "byte %u, opcode %u", byte, opcode);
	}
}

static void every_reserved_byte(struct kunit *test)
{
	u32 transport, opcode;

	for (transport = SRNIC_WQE_RC; transport <= SRNIC_WQE_XRC; transport++)
		for (opcode = 0; opcode < 7; opcode++)
			if (is_allowed(transport, opcode))
				expect_reserved_bytes(test, transport, opcode);
}

static struct kunit_case wqe_cases[] = {
	KUNIT_CASE(lists),
	KUNIT_CASE(inline_data),
	KUNIT_CASE(alignment_of_atomics),
	KUNIT_CASE(every_opcode),
	KUNIT_CASE(every_flag),
	KUNIT_CASE(every_reserved_byte),
	{}
};

static struct kunit_suite wqe_suite = {
	.name = "srnic_queue_wqe",
	.test_cases = wqe_cases,
};

kunit_test_suite(wqe_suite);
