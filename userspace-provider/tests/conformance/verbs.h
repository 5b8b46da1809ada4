// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Owners for verbs objects, and memory whose every byte can be judged.
#pragma once

#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

/// Destroys a verbs object. A refusal is a failure of the running test.
template <auto Destroy> struct Destroyer {
	template <typename T> void operator()(T *object) const
	{
		int error = Destroy(object);
		EXPECT_EQ(error, 0)
			<< "destroying a verbs object: " << strerror(error < 0 ? errno : error);
	}
};

/// ibv_dealloc_mw() is inline in each file: no argument for a template that several share.
struct WindowDestroyer {
	void operator()(ibv_mw *window) const
	{
		EXPECT_EQ(ibv_dealloc_mw(window), 0) << "deallocating a memory window";
	}
};

using Context = std::unique_ptr<ibv_context, Destroyer<ibv_close_device>>;
using Pd = std::unique_ptr<ibv_pd, Destroyer<ibv_dealloc_pd>>;
using Cq = std::unique_ptr<ibv_cq, Destroyer<ibv_destroy_cq>>;
using Qp = std::unique_ptr<ibv_qp, Destroyer<ibv_destroy_qp>>;
using Srq = std::unique_ptr<ibv_srq, Destroyer<ibv_destroy_srq>>;
/// A function of its own, as ibv_close_xrcd is another one in each file.
inline int close_xrcd(ibv_xrcd *xrcd)
{
	return ibv_close_xrcd(xrcd);
}
using Xrcd = std::unique_ptr<ibv_xrcd, Destroyer<close_xrcd>>;
using Mr = std::unique_ptr<ibv_mr, Destroyer<ibv_dereg_mr>>;
using Mw = std::unique_ptr<ibv_mw, WindowDestroyer>;
using Ah = std::unique_ptr<ibv_ah, Destroyer<ibv_destroy_ah>>;
using Channel = std::unique_ptr<ibv_comp_channel, Destroyer<ibv_destroy_comp_channel>>;

/// A verb that the test needs failed: the test cannot go on.
struct VerbsError : std::runtime_error {
	VerbsError(const std::string &what, int error);
	int error;
};

/// Throws unless @pointer is set; errno tells why.
template <typename T> T *must(T *pointer, const char *what)
{
	if (!pointer)
		throw VerbsError(what, errno);
	return pointer;
}

/// Throws unless @error is 0; -1 stands for errno.
void must_be_zero(int error, const char *what);

using Milliseconds = std::chrono::milliseconds;

/// How long to wait for what has to happen. Never waited out when all is well.
Milliseconds patience();
/// How long to watch that something does not happen.
Milliseconds moment();
/// True where the guest is slow (debug kernel): test sizes shrink.
bool quick();
/// @full, or @reduced in quick mode.
template <typename T> T scaled(T full, T reduced)
{
	return quick() ? reduced : full;
}

/// Polls until @count completions came or @timeout is over.
std::vector<ibv_wc> poll(ibv_cq *cq, size_t count, Milliseconds timeout = patience());

/// The byte that belongs at @index of data filled with @seed.
uint8_t pattern(uint64_t seed, uint64_t index);
void fill(std::span<uint8_t> data, uint64_t seed, uint64_t first = 0);
/// Index of the first wrong byte, or -1.
int64_t mismatch(std::span<const uint8_t> data, uint64_t seed, uint64_t first = 0);

/// Memory between two guard zones, which nobody may touch.
class Memory {
public:
	/// @length bytes that start @misalign bytes behind a multiple of 64.
	explicit Memory(uint64_t length, unsigned misalign = 0);
	~Memory();
	Memory(const Memory &) = delete;
	Memory &operator=(const Memory &) = delete;

	uint8_t *data() const { return data_; }
	uint64_t address() const { return reinterpret_cast<uintptr_t>(data_); }
	std::span<uint8_t> bytes() const { return {data_, length_}; }
	bool guards_intact() const;

private:
	void *map_;
	uint64_t map_length_;
	uint8_t *data_;
	uint64_t length_;
};

constexpr int kAllAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

inline uint32_t mtu_bytes(ibv_mtu mtu)
{
	return 128u << mtu;
}

const char *opcode_name(ibv_wr_opcode opcode);

/// The receive completion that @opcode causes at the peer carries immediate data.
inline bool has_immediate(ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}
inline bool is_send(ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_SEND_WITH_INV;
}
inline bool is_write(ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}
inline bool takes_receive(ibv_wr_opcode opcode)
{
	return is_send(opcode) || has_immediate(opcode);
}

} // namespace conformance

/// GoogleTest prints a status by its name.
inline void PrintTo(ibv_wc_status status, std::ostream *out)
{
	*out << ibv_wc_status_str(status);
}
