// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Captured and published packets through parser, builder and ICRC. Prints TAP, one line
// a capture file. Folder: $SRNIC_GOLDEN.
//
// What hardware does and how it is taken: reserved bits (Mellanox sends 0x10 in BTH byte
// 4) are kept in struct srnic_pkt, so that the rebuild is exact; a vendor's opcode (0x18)
// is UNKNOWN_OPCODE with the BTH decoded, and its ICRC still has to be right.
#include "frame.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace {

using namespace srnic_host;

enum LinkType : uint32_t {
	kEthernet = 1,
	kRawIpOld = 12,
	kRawIp = 101,
	kLinuxCooked = 113,
	kIpv4 = 228,
	kIpv6 = 229,
};

struct Capture {
	uint32_t link = 0;
	std::vector<std::vector<uint8_t>> frames;
	std::string problem;
};

class Reader {
public:
	explicit Reader(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

	Capture read()
	{
		Capture capture;

		if (bytes_.size() < 24 || !set_order()) {
			capture.problem = "not a pcap file";
			return capture;
		}
		capture.link = word(20) & 0xffff;
		for (size_t at = 24; at + 16 <= bytes_.size();) {
			const size_t stored = word(at + 8), sent = word(at + 12);

			at += 16;
			if (stored > bytes_.size() - at || stored < sent) {
				capture.problem = "cut frame";
				return capture;
			}
			capture.frames.emplace_back(bytes_.begin() + at,
						    bytes_.begin() + at + stored);
			at += stored;
		}
		return capture;
	}

private:
	bool set_order()
	{
		const uint32_t magic = get_unaligned_le32(bytes_.data());

		big_ = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1;
		return big_ || magic == 0xa1b2c3d4 || magic == 0xa1b23c4d;
	}

	uint32_t word(size_t at) const
	{
		const uint8_t *p = bytes_.data() + at;

		return big_ ? get_unaligned_be32(p) : get_unaligned_le32(p);
	}

	std::vector<uint8_t> bytes_;
	bool big_ = false;
};

std::optional<RocePacket> find(uint32_t link, Bytes frame)
{
	switch (link) {
	case kEthernet:
		return find_in_ethernet(frame);
	case kRawIpOld:
	case kRawIp:
	case kIpv4:
	case kIpv6:
		return find_in_ip(frame);
	case kLinuxCooked:
		return frame.size() < 16 ? std::nullopt : find_in_ip(frame.subspan(16));
	default:
		return std::nullopt;
	}
}

// RoCEv2 packets that each file has to yield (counted by tshark: udp.dstport == 4791),
// and how many of them carry an opcode that is not in the table.
struct Expected {
	size_t packets;
	size_t unknown;
};

const std::map<std::string, Expected> kExpected = {
	{ "hw_cx4lx_cnp.pcap", { 1, 0 } },
	{ "hw_cx5_cm_maskedcas_nak61.pcap", { 16, 3 } },
	{ "hw_cx5_write_read_cas_100.pcap", { 100, 0 } },
	{ "hw_huawei_send_imm.pcap", { 105, 0 } },
	{ "hw_mlx_vlan_cm_send_ack.pcap", { 5, 0 } },
	{ "rxe_ipv6_ud_60.pcap", { 60, 0 } },
	{ "rxe_nccl_write_imm.pcap", { 62, 0 } },
	{ "rxe_ops_uc_ud_atomic_send_read_write.pcap", { 120, 0 } },
	{ "rxe_rping.pcap", { 65, 0 } },
	{ "vec_gem5_ipv6.pcap", { 8, 0 } },
	{ "vec_misc_rawip.pcap", { 2, 0 } },
	{ "vec_rocecli_scapy.pcap", { 12, 0 } },
	{ "vec_scapy_uc_v4_v6.pcap", { 2, 0 } },
};

struct Result {
	size_t packets = 0;
	size_t unknown = 0;
	std::vector<std::string> problems;
};

void take(Result &result, const RocePacket &packet, size_t frame)
{
	const Judgement j = judge(packet);
	const std::string where = "frame " + std::to_string(frame + 1) + ": ";

	result.packets++;
	if (!j.problem.empty())
		result.problems.push_back(where + j.problem);
	if (j.verdict == SRNIC_PARSE_UNKNOWN_OPCODE) {
		result.unknown++;
		if (j.pkt.opcode != 0x18)
			result.problems.push_back(where + "unknown opcode " +
						  std::to_string(j.pkt.opcode));
	} else if (j.verdict != SRNIC_PARSE_OK) {
		result.problems.push_back(where + srnic_parse_verdict_name(j.verdict));
	}
}

Result run(const std::filesystem::path &path)
{
	std::ifstream in(path, std::ios::binary);
	Capture capture = Reader({ std::istreambuf_iterator<char>(in), {} }).read();
	Result result;

	if (!capture.problem.empty())
		result.problems.push_back(capture.problem);
	for (size_t i = 0; i < capture.frames.size(); i++)
		if (auto packet = find(capture.link, capture.frames[i]))
			take(result, *packet, i);

	const auto expected = kExpected.find(path.filename().string());
	if (!result.packets)
		result.problems.push_back("no RoCEv2 packet");
	if (expected != kExpected.end() && (expected->second.packets != result.packets ||
					    expected->second.unknown != result.unknown))
		result.problems.push_back("other numbers of packets than expected");
	return result;
}

int report(const std::vector<std::filesystem::path> &files)
{
	size_t failed = 0, packets = 0;

	std::printf("1..%zu\n", files.size());
	for (size_t i = 0; i < files.size(); i++) {
		const Result result = run(files[i]);

		for (const auto &problem : result.problems)
			std::printf("# %s\n", problem.c_str());
		std::printf("%sok %zu - golden %s: %zu packets, %zu of unknown opcode\n",
			    result.problems.empty() ? "" : "not ", i + 1,
			    files[i].filename().c_str(), result.packets, result.unknown);
		failed += !result.problems.empty();
		packets += result.packets;
	}
	std::printf("# golden: %zu packets; %zu passed, %zu failed, 0 skipped\n", packets,
		    files.size() - failed, failed);
	return failed ? 1 : 0;
}

} // namespace

int main()
{
	const char *folder = std::getenv("SRNIC_GOLDEN");
	std::vector<std::filesystem::path> files;
	std::error_code error;

	std::printf("TAP version 13\n");
	if (folder)
		for (const auto &entry : std::filesystem::directory_iterator(folder, error))
			if (entry.path().extension() == ".pcap")
				files.push_back(entry.path());
	if (files.empty()) {
		std::printf("1..0 # SKIP no captures in '%s' (SRNIC_GOLDEN)\n",
			    folder ? folder : "");
		return 0;
	}
	std::sort(files.begin(), files.end());
	return report(files);
}
