// SPDX-License-Identifier: Apache-2.0
#include "accuracy_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "support/bounds.hpp"
#include "xp_bench_meta.hpp"

namespace accuracy {

namespace {

using bench::Json;
using xp::DType;
using xp::Op;

std::string text_of(double ulps) {
  char text[32];
  std::snprintf(text, sizeof text, ulps < 10 ? "%.3f" : ulps < 1e5 ? "%.0f" : "%.1e", ulps);
  return text;
}

// "2", "2.5"; with the magnitude below which units stay as they are.
std::string promise(double bound, double least) {
  std::ostringstream text;
  text << bound;
  if (least > 0) text << " (" << least << ")";
  return text.str();
}

std::string text_of(const Example& example) {
  return "(" + example.arguments + ") gives " + example.result + ", exactly " + example.exact;
}

std::string name_of(const Measurement& row) { return std::string(xp::info(row.op).name); }

Json to_json(const Example& example) {
  Json result = Json::object();
  result.set("arguments", example.arguments);
  result.set("result", example.result);
  result.set("exact", example.exact);
  return result;
}

// cuda:0 is measured for all of its kind.
std::string family(const std::string& device) { return device.substr(0, device.find(':')); }

std::string key_of(const std::string& function, const std::string& dtype) { return function + " " + dtype; }

}  // namespace

void print_header() {
  std::printf("%-11s %-10s %-10s %11s %10s %7s %9s  %s\n", "function", "dtype", "device", "arguments", "largest",
              "mean", "promised", "at");
}

void print_row(const Measurement& row) {
  const std::string name = name_of(row);
  std::printf("%-11s %-10s %-10s %11s %10s %7s %9s  %s%s\n", name.c_str(), std::string(xp::name(row.dtype)).c_str(),
              row.device.c_str(), row.exhaustive ? "all" : std::to_string(row.samples).c_str(),
              text_of(row.most).c_str(), text_of(row.mean).c_str(), promise(row.bound, row.least).c_str(),
              row.worst.arguments.c_str(), row.within_bound() ? "" : "  BROKEN");
  std::fflush(stdout);
}

void print_broken(const Measurement& row) {
  const std::string what = name_of(row) + " of " + std::string(xp::name(row.dtype)) + " on " + row.device;
  if (row.most > row.bound)
    std::printf("%s: %s units of %s: %s\n", what.c_str(), text_of(row.most).c_str(),
                promise(row.bound, row.least).c_str(), text_of(row.worst).c_str());
  if (row.mismatches > 0)
    std::printf("%s: %lld results of another class: %s\n", what.c_str(), static_cast<long long>(row.mismatches),
                text_of(row.mismatch).c_str());
}

std::string markdown(const std::vector<Measurement>& rows) {
  std::string text =
      "| function | dtype | device | largest | mean | promised | at |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Measurement& row : rows)
    text += "| " + name_of(row) + " | " + std::string(xp::name(row.dtype)) + " | " + row.device + " | " +
            text_of(row.most) + (row.exhaustive ? "*" : "") + " | " + text_of(row.mean) + " | " +
            promise(row.bound, row.least) + " | " + row.worst.arguments + " |\n";
  return text;
}

// ---- Files ----

Json to_json(const std::vector<Measurement>& rows, xp::Device device) {
  Json meta = bench::describe_run();
  meta.set("device", bench::describe_device(device));
  Json results = Json::list();
  for (const Measurement& row : rows) {
    if (row.device != device.name()) continue;
    Json result = Json::object();
    result.set("function", name_of(row));
    result.set("dtype", xp::name(row.dtype));
    result.set("arguments", row.samples);
    result.set("exhaustive", row.exhaustive);
    result.set("largest", row.most);
    result.set("mean", row.mean);
    result.set("promised", row.bound);
    result.set("least", row.least);
    result.set("worst", to_json(row.worst));
    result.set("mismatches", row.mismatches);
    if (row.mismatches > 0) result.set("mismatch", to_json(row.mismatch));
    results.push_back(result);
  }
  Json result = Json::object();
  result.set("meta", meta);
  result.set("results", results);
  return result;
}

std::string record(const std::string& folder, const std::vector<Measurement>& rows, xp::Device device) {
  std::filesystem::create_directories(folder);
  const std::string path = (std::filesystem::path(folder) / (family(device.name()) + ".json")).string();
  const Json fresh = to_json(rows, device);
  std::map<std::string, Json> results;
  if (std::filesystem::exists(path)) {
    const Json file = bench::read_json(path);
    for (const Json& row : file["results"].items()) results[key_of(row["function"].text(), row["dtype"].text())] = row;
  }
  for (const Json& row : fresh["results"].items()) results[key_of(row["function"].text(), row["dtype"].text())] = row;
  // In the order of the table, so that files can be compared.
  Json sorted = Json::list();
  for (const Op op : measured_functions())
    for (std::size_t i = 0; i < xp::dtype_count; ++i) {
      const auto row =
          results.find(key_of(std::string(xp::info(op).name), std::string(xp::name(static_cast<DType>(i)))));
      if (row != results.end()) sorted.push_back(row->second);
    }
  Json result = Json::object();
  result.set("meta", fresh["meta"]);
  result.set("results", sorted);
  bench::write_json(path, result);
  return path;
}

// ---- The page ----

namespace {

struct Recorded {
  std::string device;  // "host", "cuda"
  Json meta;
  std::map<std::string, Json> rows;
};

// The host's and CUDA's columns are there before they are measured: they say what is promised.
std::vector<Recorded> recorded(const std::string& folder) {
  std::vector<Recorded> result{{"host", {}, {}}, {"cuda", {}, {}}};
  std::set<std::string> paths;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".json") paths.insert(entry.path().string());
  for (const std::string& path : paths) {
    const Json file = bench::read_json(path);
    const std::string device = family(file["meta"]["device"]["name"].text());
    auto at = std::find_if(result.begin(), result.end(), [&](const Recorded& r) { return r.device == device; });
    if (at == result.end()) at = result.insert(result.end(), {device, {}, {}});
    at->meta = file["meta"];
    for (const Json& row : file["results"].items()) at->rows[key_of(row["function"].text(), row["dtype"].text())] = row;
  }
  return result;
}

void add_table(std::ostream& out, const std::vector<Recorded>& devices, DType dtype) {
  out << "| function |";
  for (const Recorded& device : devices) out << ' ' << device.device << ": largest | promised | mean | at |";
  out << "\n| --- |";
  for (std::size_t k = 0; k < devices.size(); ++k) out << " --- | --- | --- | --- |";
  out << '\n';
  for (const Op op : measured_functions()) {
    if (!is_measured(op, dtype)) continue;
    const std::string function(xp::info(op).name);
    out << "| " << function << " |";
    for (const Recorded& device : devices) {
      const xp_test::Bound bound = xp_test::bound_of(op, dtype, device.device);
      const std::string promised = promise(bound.ulps, bound.least);
      const auto found = device.rows.find(key_of(function, std::string(xp::name(dtype))));
      if (found == device.rows.end()) {
        out << "  | " << promised << " |  |  |";
        continue;
      }
      const Json& row = found->second;
      const bool broken = row["largest"].number() >= bound.ulps + rounding || row["mismatches"].number() > 0;
      const char* mark = broken ? "**" : "";
      out << ' ' << mark << text_of(row["largest"].number()) << mark << (row["exhaustive"].number() != 0 ? "*" : "")
          << " | " << promised << " | " << text_of(row["mean"].number()) << " | " << row["worst"]["arguments"].text()
          << " |";
    }
    out << '\n';
  }
  out << '\n';
}

}  // namespace

std::string page(const std::string& folder) {
  const std::vector<Recorded> devices = recorded(folder);
  std::ostringstream out;
  out << R"(# Accuracy of functions

The largest errors that were found, in units in the last place (ULP) of the exact result, and what is promised. A correctly
rounded result has 0.5 at most. Made by `xp-accuracy`: do not edit.

```sh
build/host/bin/xp-accuracy --device=host --record=bench/results/accuracy --page=docs/accuracy.md
```

measures a device, writes its file in `bench/results/accuracy`, and this page from the files of all devices. `--exhaustive`
takes all 2^32 arguments of float32 functions of one operand, `--function=erf` brings one up to date, `--merge` only writes
the page.

)";
  for (const Recorded& device : devices) {
    out << "- `" << device.device << "`: ";
    if (device.rows.empty()) {
      out << "not measured yet.\n";
      continue;
    }
    const Json& about = device.meta["device"];
    out << about["model"].text() << ", " << about["isa"].text();
    if (!about["math_library"].text().empty()) out << ", " << about["math_library"].text();
    out << "; commit " << device.meta["commit"].text() << ", " << device.meta["date"].text().substr(0, 10) << ".\n";
  }
  out << R"(
## What is measured

- Arguments: `*` marks functions of which every argument of the dtype was taken. Others are samples: special values, all
  exponents, subnormal numbers, and the places where a function is hard: zeros, poles, limits of its domain, overflow and
  underflow, and neighbours of multiples of pi/2 up to the largest numbers. They are the same in every run.
- Exact values: in float64 for narrower dtypes, in 113 bits of mantissa (glibc's `_Float128`) for float64 and complex
  numbers.
- Infinities, NaNs and zeros must be those of the exact result, with their sign. A result in bold breaks this or a promise.
- Units of subnormal results are those of the least normal number. In parentheses: the magnitude below which a unit is no
  smaller, where the definition subtracts (`logaddexp`) or has zeros between poles (`lgamma` of negative numbers), and
  where the logarithm of a complex number is near 0.
- 16-bit floats are rounded from the float32 function. `deg2rad` and `rad2deg` are products with the rounded constant.
- Errors of complex numbers are those of their modulus; results that overflow are left out. `exp2` and `power` are `exp` of
  a rounded product, whose size their errors grow with: it is up to 32 here.
- The promises for `cuda` are the maximum errors of the CUDA C++ Programming Guide, which count from the correctly rounded
  result, and therefore half a unit more here. It has none for `lgamma` between -10.001 and -2.264 in float32 and between
  -23.0001 and -2.2637 in float64, where the number in parentheses holds. Complex functions are our own there.

)";
  for (const DType dtype : {xp::float64, xp::float32, xp::float16, xp::bfloat16, xp::complex128, xp::complex64}) {
    out << "## " << xp::name(dtype) << "\n\n";
    add_table(out, devices, dtype);
  }
  std::string text = out.str();
  text.pop_back();
  return text;
}

}  // namespace accuracy
