// SPDX-License-Identifier: Apache-2.0
// What xp-accuracy prints, the files of its results, and docs/accuracy.md, which is made of those.
#pragma once

#include <string>
#include <vector>

#include "accuracy_measure.hpp"
#include "xp_bench_json.hpp"

namespace accuracy {

void print_header();
void print_row(const Measurement& measurement);
/// What breaks a promise, with an example of it.
void print_broken(const Measurement& measurement);
/// The rows as a Markdown table.
std::string markdown(const std::vector<Measurement>& rows);

/// {"meta": {...}, "results": [{...}]}: those rows that are a device's.
bench::Json to_json(const std::vector<Measurement>& rows, xp::Device device);
/// Writes FOLDER/DEVICE.json, in which rows that were measured before and are not among these stay. Returns its path.
std::string record(const std::string& folder, const std::vector<Measurement>& rows, xp::Device device);
/// The page, of all files in a folder.
std::string page(const std::string& folder);

}  // namespace accuracy
