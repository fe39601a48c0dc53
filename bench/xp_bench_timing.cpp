// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

// Long enough for the clock and for the wake-up of threads to be small beside it.
constexpr double sample_seconds = 1e-3;
// As long as ceilings are warmed up for.
constexpr double warm_seconds = 25e-3;
// A case takes about this long, whatever its size, unless three samples take longer.
constexpr double case_seconds = 6.0;

/// Runs a case in legal portions: whole batches, and new data before values leave the normal range.
class Runner {
 public:
  Runner(Case& subject, const CaseSpec& spec) : case_(subject), limit_(spec.limit), batch_(spec.batch) {
    case_.refill();
  }

  /// Seconds that the operations took; the time of refills does not count.
  double run(xp::Index operations) {
    double seconds = 0;
    while (operations > 0) {
      const xp::Index room = limit_ == 0 ? operations : (limit_ - done_) / batch_ * batch_;
      if (room == 0) {
        case_.refill();
        done_ = 0;
        continue;
      }
      const xp::Index portion = std::min(room, operations);
      const auto start = Clock::now();
      case_.run(portion);
      seconds += std::chrono::duration<double>(Clock::now() - start).count();
      done_ += portion;
      operations -= portion;
    }
    return seconds;
  }
  xp::Index done() const { return done_; }

 private:
  Case& case_;
  xp::Index limit_, batch_, done_ = 0;
};

xp::Stats difference(const xp::Stats& from, const xp::Stats& to) {
  xp::Stats result;
  result.operations = to.operations - from.operations;
  result.kernels = to.kernels - from.kernels;
  result.instructions = to.instructions - from.instructions;
  result.allocations = to.allocations - from.allocations;
  result.bytes_allocated = to.bytes_allocated - from.bytes_allocated;
  result.donations = to.donations - from.donations;
  result.slabs = to.slabs - from.slabs;
  result.host_to_device = to.host_to_device - from.host_to_device;
  result.host_to_device_bytes = to.host_to_device_bytes - from.host_to_device_bytes;
  result.device_to_host = to.device_to_host - from.device_to_host;
  result.device_to_host_bytes = to.device_to_host_bytes - from.device_to_host_bytes;
  result.device_to_device = to.device_to_device - from.device_to_device;
  result.device_to_device_bytes = to.device_to_device_bytes - from.device_to_device_bytes;
  return result;
}

double ceiling_bytes(Pattern pattern, double array_bytes) {
  const int arrays = pattern == Pattern::two_reads ? 3 : pattern == Pattern::copy ? 2 : 1;
  return arrays * std::min(array_bytes, 0x1p30);
}

}  // namespace

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

Meter::Meter(xp::Device device, int repeat, std::function<void(const std::string&)> note)
    : device_(device), repeat_(repeat), note_(std::move(note)) {
  int threads = 0;
  for (const auto& backend : xp::backends())
    for (const auto& description : backend.devices)
      if (description.name == device.name()) threads = description.threads;
  // A device with threads runs host code; 0 is what the others say.
  host_ = threads > 0;
  ceiling_ = host_ ? host_ceiling(threads) : library_ceiling(device);
}

double Meter::available() {
  const xp::MemoryInfo info = xp::memory_info(device_);
  return static_cast<double>(std::min(info.limit - info.used, info.free + info.cached));
}

std::optional<Row> Meter::measure(const CaseSpec& spec, xp::DType dtype, std::string& skipped) {
  const std::string where = spec.workload + " " + spec.variant + " " + size_text(spec.size) + " on " + device_.name();
  const auto no_room = [&](const std::string& more) {
    skipped =
        where + " skipped: asks for " + bytes_text(spec.memory) + ", " + bytes_text(available()) + " are free" + more;
    return std::nullopt;
  };
  if (spec.memory > available()) {
    ceiling_->release();
    xp::empty_cache(device_);
    if (spec.memory > available()) return no_room("");
  }
  try {
    note_(where);
    const std::unique_ptr<Case> subject = spec.make();
    Runner runner(*subject, spec);

    // Warm up, until a sample is long enough for the clock.
    runner.run(spec.batch);
    xp::Index operations = spec.batch;
    double seconds = runner.run(operations);
    while (seconds < sample_seconds) {
      const double factor = std::clamp(1.5 * sample_seconds / std::max(seconds, 1e-9), 2.0, 100.0);
      operations = static_cast<xp::Index>(static_cast<double>(operations) * factor) / spec.batch * spec.batch;
      seconds = runner.run(operations);
    }
    int repeat = repeat_;
    if (repeat == 0) repeat = static_cast<int>(std::clamp(case_seconds / seconds, 3.0, 9.0));

    const xp::Stats before = xp::stats();
    runner.run(spec.batch);
    Row row;
    row.per_operation = difference(before, xp::stats());

    const double array_bytes = static_cast<double>(spec.size) * static_cast<double>(xp::itemsize(dtype));
    bool has_ceiling = spec.pattern != Pattern::none;
    if (has_ceiling) {
      note_(where + ": ceiling");
      // Not asked of the allocator: host memory is overcommitted, and taking too much of it ends the process.
      const xp::MemoryInfo info = xp::memory_info(device_);
      const double room =
          static_cast<double>(host_ ? info.free : std::min(info.limit - info.used, info.free + info.cached));
      if (1.02 * ceiling_bytes(spec.pattern, array_bytes) > room) ceiling_->release();
      has_ceiling =
          1.02 * ceiling_bytes(spec.pattern, array_bytes) <= room && ceiling_->prepare(spec.pattern, array_bytes);
    }

    // In turn, so that a slow spell of the machine meets both.
    std::vector<double> samples, ceilings;
    for (int k = 0; k < repeat; ++k) {
      note_(where + ": sample " + std::to_string(k + 1) + " of " + std::to_string(repeat));
      if (has_ceiling) ceilings.push_back(ceiling_->sample());
      // Threads that slept meanwhile wake up outside the sample, and caches fill again as the ceiling's were filled.
      for (double warm = 0; seconds < warm_seconds && warm < warm_seconds;) warm += runner.run(operations);
      samples.push_back(runner.run(operations) / static_cast<double>(operations));
    }
    note_(where + ": check");
    subject->check(runner.done());

    row.workload = spec.workload;
    row.variant = spec.variant;
    row.dtype = std::string(xp::name(dtype));
    row.device = device_.name();
    row.size = spec.size;
    row.samples = repeat;
    row.operations = operations;
    row.seconds = summarize(samples);
    row.kernels = static_cast<double>(row.per_operation.kernels) / static_cast<double>(spec.batch);
    row.allocations = static_cast<double>(row.per_operation.allocations) / static_cast<double>(spec.batch);
    const xp::Stats& counted = row.per_operation;
    row.bytes = spec.bytes != 0 ? spec.bytes
                                : static_cast<double>(counted.host_to_device_bytes + counted.device_to_host_bytes +
                                                      counted.device_to_device_bytes);
    if (has_ceiling) {
      row.ceiling = summarize(ceilings).median;
      row.ceiling_by = ceiling_->description();
    }
    return row;
  } catch (const xp::OutOfMemoryError& error) {
    return no_room(std::string(" (") + error.what() + ")");
  } catch (const Mismatch& error) {
    throw Mismatch(where + ": wrong result: " + error.what());
  }
}

std::string time_text(double seconds) {
  static constexpr struct {
    double unit;
    const char* name;
  } units[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
  std::size_t k = 0;
  while (k < 3 && seconds >= units[k + 1].unit) ++k;
  const double value = seconds / units[k].unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[k].name);
  return text;
}

std::string bytes_text(double bytes) {
  char text[64];
  if (bytes >= 1e9)
    std::snprintf(text, sizeof text, "%.2f GB", bytes / 1e9);
  else if (bytes >= 1e6)
    std::snprintf(text, sizeof text, "%.1f MB", bytes / 1e6);
  else
    std::snprintf(text, sizeof text, "%.0f bytes", bytes);
  return text;
}

}  // namespace bench
