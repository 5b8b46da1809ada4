// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
// Judges packets on standard input, one a line: name=value of expected header fields in
// hexadecimal, and hex= with the packet from its IP header on. Prints TAP: one test for
// all packets, and a diagnostic line for each wrong one.
#include "frame.hpp"

#include <iostream>
#include <map>
#include <sstream>

namespace {

using namespace srnic_host;

std::map<std::string, uint64_t> fields_of(const srnic_pkt &pkt)
{
	return {
		{ "opcode", pkt.opcode },
		{ "pad", pkt.pad },
		{ "solicited", pkt.solicited },
		{ "migreq", pkt.migreq },
		{ "ack_req", pkt.ack_req },
		{ "fecn", pkt.fecn },
		{ "becn", pkt.becn },
		{ "pkey", pkt.pkey },
		{ "dest_qp", pkt.dest_qp },
		{ "psn", pkt.psn },
		{ "va", pkt.va },
		{ "rkey", pkt.rkey },
		{ "dma_len", pkt.dma_len },
		{ "swap_add", pkt.swap_add },
		{ "compare", pkt.compare },
		{ "syndrome", pkt.syndrome },
		{ "msn", pkt.msn },
		{ "atomic_orig", pkt.atomic_orig },
		{ "qkey", pkt.qkey },
		{ "src_qp", pkt.src_qp },
		{ "imm", be32_to_cpu(pkt.imm) },
		{ "inv_rkey", pkt.inv_rkey },
		{ "srqn", pkt.srqn },
		{ "feth", pkt.feth },
		{ "payload_bytes", pkt.payload_bytes },
	};
}

std::vector<uint8_t> from_hex(const std::string &text)
{
	std::vector<uint8_t> bytes;

	for (size_t i = 0; i + 1 < text.size(); i += 2)
		bytes.push_back(static_cast<uint8_t>(
			std::stoul(text.substr(i, 2), nullptr, 16)));
	return bytes;
}

struct Line {
	std::map<std::string, uint64_t> want;
	std::vector<uint8_t> packet;
};

Line parse_line(const std::string &text)
{
	std::istringstream words(text);
	std::string word;
	Line line;

	while (words >> word) {
		const size_t eq = word.find('=');
		const std::string name = word.substr(0, eq), value = word.substr(eq + 1);

		if (name == "hex")
			line.packet = from_hex(value);
		else
			line.want[name] = std::stoull(value, nullptr, 16);
	}
	return line;
}

std::string check(const Line &line)
{
	const auto packet = find_in_ip(line.packet);

	if (!packet)
		return "no RoCEv2 packet";
	const Judgement j = judge(*packet);
	if (j.verdict != SRNIC_PARSE_OK)
		return srnic_parse_verdict_name(j.verdict);
	if (!j.problem.empty())
		return j.problem;

	const auto have = fields_of(j.pkt);
	for (const auto &[name, value] : line.want)
		if (!have.contains(name) || have.at(name) != value)
			return "field " + name;
	return {};
}

} // namespace

int main()
{
	size_t lines = 0, failed = 0;
	std::string text;

	while (std::getline(std::cin, text)) {
		const std::string problem = check(parse_line(text));

		lines++;
		if (!problem.empty()) {
			failed++;
			std::printf("# %s: %s\n", problem.c_str(), text.c_str());
		}
	}
	std::printf("TAP version 13\n1..1\n%sok 1 - scapy: %zu packets, %zu wrong\n",
		    lines && !failed ? "" : "not ", lines, failed);
	return lines && !failed ? 0 : 1;
}
