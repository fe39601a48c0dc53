// SPDX-License-Identifier: Apache-2.0
// Tables on stdout, and the JSON file that bench/compare.py reads.
#pragma once

#include "xp_bench_json.hpp"
#include "xp_bench_options.hpp"
#include "xp_bench_timing.hpp"

#include <string>
#include <vector>

namespace bench {

void print_header();
void print_row(const Row& row);
/// What ceilings were measured with, transfers, and what the columns mean.
void print_notes(const std::vector<Row>& rows);
/// How much faster each other device is than the first.
void print_speedups(const std::vector<Row>& rows, const std::vector<xp::Device>& devices);
/// From which size on each of the other devices is faster than the first.
void print_crossovers(const std::vector<Row>& rows, const std::vector<xp::Device>& devices);
/// How much faster the rows are than those of a JSON file of this benchmark or of a peer.
void print_speedups_over(const std::vector<Row>& rows, const Json& other, const std::string& path);

struct Skipped {
  std::string workload, variant, device, reason;
  xp::Index size;
};
/// The schema that the peers share: {"meta": {...}, "results": [{...}], "skipped": [{...}]}.
Json to_json(const std::vector<Row>& rows, const std::vector<Skipped>& skipped, const Options& options);

}  // namespace bench
