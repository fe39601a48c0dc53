// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_workloads.hpp"

#include "xp_bench_operations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {

namespace {

using xp::Array;
using xp::Index;

constexpr std::uint64_t seed = 20240607;
constexpr Index add_loop_size = Index{1024} * 512 * 4 * 4;
constexpr Index mixed_steps = 20;

Array uniform(double low, double high, const xp::Shape& shape, xp::DType dtype, xp::Device device) {
  return xp::random::Generator(seed, device).uniform(low, high, shape, dtype);
}

void check_range(const std::vector<double>& values, double low, double high) {
  for (const double value : values)
    if (!(value >= low && value <= high)) throw Mismatch("random data is outside the range that was asked for");
  if (values.size() > 4 && std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; }))
    throw Mismatch("random data is all equal");
}

/// An operation of the sweep, with one synchronisation per operation ("each") or one per batch ("pipelined").
class ElementwiseCase final : public Case {
 public:
  ElementwiseCase(Op op, Index size, xp::Shape shape, xp::DType dtype, xp::Device device, Index batch)
      : op_(op), shape_(std::move(shape)), dtype_(dtype), device_(device), batch_(batch), sample_(size) {
    if (op_ == Op::ones) ring_.resize(static_cast<std::size_t>(batch_));
  }

  void refill() override {
    if (op_ == Op::ones) return;
    const OpTraits values = traits(op_, dtype_);
    x_ = Array();  // first, so that two of them never live at once
    x_ = uniform(values.low, values.high, shape_, dtype_, device_);
    if (op_ == Op::multiply_add) {
      y_ = Array();
      y_ = uniform(0.5, 1.0, shape_, dtype_, device_);
    }
    xp::synchronize(device_);
    if (!x0_.empty()) return;
    x0_ = sample_.read(x_);
    check_range(x0_, values.low, values.high);
    y0_ = op_ == Op::multiply_add ? sample_.read(y_) : x0_;
  }

  void run(Index operations) override {
    Array& x = x_;
    Array& y = y_;
    switch (op_) {
      case Op::ones:
        // Results stay alive for a batch: one that nobody holds would never be computed.
        return repeat(operations, [&](Index i) -> const Array& {
          Array& result = ring_[static_cast<std::size_t>(i % batch_)];
          result = Array();
          result = xp::ones(shape_, dtype_, device_);
          return result;
        });
      case Op::scale:
        return repeat(operations, [&](Index) -> const Array& { return x *= 5; });
      case Op::square:
        return repeat(operations, [&](Index) -> const Array& { return x *= x; });
      case Op::twice:
        return repeat(operations, [&](Index) -> const Array& { return x += x; });
      case Op::chain3:
        return repeat(operations, [&](Index) -> const Array& {
          x *= 5;
          x *= x;
          return x += x;
        });
      case Op::multiply_add:
        return repeat(operations, [&](Index) -> const Array& { return y = x + y * x; });
    }
  }

  void check(Index operations) override {
    if (op_ == Op::ones) {
      for (const Array& result : ring_) {
        if (result.shape() != shape_ || result.dtype() != dtype_) throw Mismatch("wrong shape or dtype");
        sample_.compare(result, std::vector<double>(sample_.size(), 1.0));
      }
      return;
    }
    std::vector<double> expected;
    for (std::size_t i = 0; i < x0_.size(); ++i) expected.push_back(reference(op_, dtype_, x0_[i], y0_[i], operations));
    sample_.compare(op_ == Op::multiply_add ? y_ : x_, expected);
    if (op_ == Op::multiply_add) sample_.compare(x_, x0_);
  }

 private:
  template <class Operation>
  void repeat(Index operations, Operation operation) {
    if (batch_ == 1) {
      for (Index i = 0; i < operations; ++i) {
        xp::eval(operation(i));
        xp::synchronize(device_);
      }
      return;
    }
    for (Index done = 0; done < operations; done += batch_) {
      for (Index i = 0; i < batch_; ++i) operation(i);
      xp::synchronize(device_);
    }
  }

  Op op_;
  xp::Shape shape_;
  xp::DType dtype_;
  xp::Device device_;
  Index batch_;
  Sample sample_;
  Array x_, y_;
  std::vector<Array> ring_;
  std::vector<double> x0_, y0_;
};

/// g = add(g, g) or g = g + g, 1024 times (200 times in float32, whose range is shorter); an operation is the whole
/// loop.
class AddLoopCase final : public Case {
 public:
  AddLoopCase(bool with_operator, Index size, xp::DType dtype, xp::Device device)
      : with_operator_(with_operator), dtype_(dtype), device_(device), sample_(size) {
    shape_ = size % 8192 == 0 ? xp::Shape{size / 8192, 512, 4, 4} : xp::Shape{size};
  }

  static Index loops(xp::DType dtype) { return dtype == xp::float64 ? 1024 : 200; }

  void refill() override {
    if (g0_.has_value()) return;  // never written to
    const OpTraits values = traits(Op::twice, dtype_);
    g0_ = uniform(values.low, values.high, shape_, dtype_, device_);
    start_ = sample_.read(g0_);
    check_range(start_, values.low, values.high);
  }

  void run(Index operations) override {
    const Index loops = AddLoopCase::loops(dtype_);
    for (Index i = 0; i < operations; ++i) {
      g_ = Array();
      Array g = g0_;
      if (with_operator_) {
        for (Index k = 0; k < loops; ++k) g = g + g;
      } else {
        for (Index k = 0; k < loops; ++k) g = xp::add(g, g);
      }
      xp::eval(g);
      xp::synchronize(device_);
      g_ = std::move(g);
    }
  }

  void check(Index) override {
    std::vector<double> expected = start_;
    for (double& value : expected) value = std::ldexp(value, static_cast<int>(AddLoopCase::loops(dtype_)));
    if (g_.shape() != shape_ || g_.dtype() != dtype_) throw Mismatch("wrong shape or dtype");
    sample_.compare(g_, expected);
    sample_.compare(g0_, start_);
  }

 private:
  bool with_operator_;
  xp::DType dtype_;
  xp::Device device_;
  xp::Shape shape_;
  Sample sample_;
  Array g0_, g_;
  std::vector<double> start_;
};

/// Steps of x = x / 2 + 1 / 4 that stay on the device, or fetch their data from elsewhere and put it back each time:
/// from a std::vector, or from an array on another device. An operation is the loop of steps.
class MixedCase final : public Case {
 public:
  enum class Data { stays, vector, array };

  MixedCase(Data data, Index size, xp::DType dtype, xp::Device device, xp::Device other)
      : data_(data), size_(size), dtype_(dtype), device_(device), other_(other), sample_(size) {}

  void refill() override {
    x_ = Array();
    x_ = uniform(0.5, 1.5, {size_}, dtype_, device_);
    if (start_.empty()) {
      start_ = sample_.read(x_);
      check_range(start_, 0.5, 1.5);
    }
    if (data_ == Data::vector) {
      vector_.resize(static_cast<std::size_t>(x_.nbytes()));
      x_.copy_to_host(vector_.data());
    } else if (data_ == Data::array) {
      elsewhere_ = x_.to(other_);
      x_ = Array();
    }
    xp::synchronize();
  }

  void run(Index operations) override {
    for (Index i = 0; i < operations; ++i) {
      for (Index step = 0; step < mixed_steps; ++step) {
        if (data_ == Data::vector) x_.copy_from_host(vector_.data());
        if (data_ == Data::array) x_ = elsewhere_.to(device_);
        x_ *= 0.5;
        x_ += 0.25;
        if (data_ == Data::vector) x_.copy_to_host(vector_.data());
        if (data_ == Data::array) elsewhere_ = x_.to(other_);
      }
      xp::synchronize();
    }
  }

  void check(Index operations) override {
    std::vector<double> expected;
    for (const double value : start_) expected.push_back(reference_mixed(dtype_, value, operations * mixed_steps));
    if (data_ == Data::vector) x_.copy_from_host(vector_.data());
    sample_.compare(data_ == Data::array ? elsewhere_ : x_, expected);
  }

 private:
  Data data_;
  Index size_;
  xp::DType dtype_;
  xp::Device device_, other_;
  Sample sample_;
  Array x_, elsewhere_;
  std::vector<unsigned char> vector_;
  std::vector<double> start_;
};

// Long enough to hide the synchronisation of small operations, short enough that large ones end; the same in the peers.
Index pipeline_length(Index size) { return std::clamp((Index{1} << 24) / size, Index{8}, Index{512}); }

CaseSpec elementwise(const std::string& workload, Op op, Index size, xp::DType dtype, xp::Device device,
                     bool pipelined) {
  const OpTraits values = traits(op, dtype);
  const double array_bytes = static_cast<double>(size) * static_cast<double>(xp::itemsize(dtype));
  CaseSpec spec;
  spec.workload = workload;
  spec.variant = pipelined ? "pipelined" : "each";
  if (workload == "size-sweep") spec.variant = std::string(values.name) + "/" + spec.variant;
  spec.size = size;
  spec.pattern = values.pattern;
  spec.bytes = values.touched * array_bytes;
  spec.limit = values.limit;
  spec.batch = pipelined ? pipeline_length(size) : 1;
  if (values.limit != 0) spec.batch = std::min(spec.batch, values.limit);
  int arrays = values.arrays;
  if (op == Op::ones) {
    // All of a batch's arrays live at once: 8 GiB at most.
    spec.batch = std::min(spec.batch, std::max(Index{1}, static_cast<Index>(0x1p33 / array_bytes)));
    arrays = static_cast<int>(spec.batch);
  }
  spec.memory = arrays * array_bytes;
  const xp::Shape shape = op == Op::ones && size == 1000000000 ? xp::Shape{1000, 1000, 1000} : xp::Shape{size};
  spec.make = [=, batch = spec.batch] {
    return std::make_unique<ElementwiseCase>(op, size, shape, dtype, device, batch);
  };
  return spec;
}

std::vector<CaseSpec> sweep(Index size, xp::DType dtype, xp::Device device) {
  std::vector<CaseSpec> specs;
  for (const Op op : {Op::ones, Op::scale, Op::square, Op::twice, Op::chain3, Op::multiply_add}) {
    for (const bool pipelined : {false, true}) {
      CaseSpec spec = elementwise("size-sweep", op, size, dtype, device, pipelined);
      if (pipelined && spec.batch == 1) continue;
      specs.push_back(std::move(spec));
    }
  }
  return specs;
}

CaseSpec add_loop(const std::string& workload, Index size, xp::DType dtype, xp::Device device) {
  const double array_bytes = static_cast<double>(size) * static_cast<double>(xp::itemsize(dtype));
  CaseSpec spec;
  spec.workload = workload;
  spec.variant = "each";
  spec.size = size;
  spec.pattern = Pattern::copy;
  spec.bytes = static_cast<double>(AddLoopCase::loops(dtype)) * 2 * array_bytes;
  spec.memory = 3 * array_bytes;
  const bool with_operator = workload == "add-loop-operator";
  spec.make = [=] { return std::make_unique<AddLoopCase>(with_operator, size, dtype, device); };
  return spec;
}

std::vector<CaseSpec> mixed(Index size, xp::DType dtype, const std::vector<xp::Device>& devices, std::size_t which) {
  const double array_bytes = static_cast<double>(size) * static_cast<double>(xp::itemsize(dtype));
  const xp::Device device = devices[which];
  CaseSpec spec;
  spec.workload = "mixed";
  spec.size = size;
  spec.memory = 2 * array_bytes;
  std::vector<CaseSpec> specs;
  const auto add = [&](const std::string& variant, MixedCase::Data data, xp::Device other) {
    spec.variant = variant;
    const bool stays = data == MixedCase::Data::stays;
    spec.pattern = stays ? Pattern::in_place : Pattern::none;
    spec.bytes = stays ? static_cast<double>(mixed_steps) * 2 * array_bytes : 0;
    spec.make = [=] { return std::make_unique<MixedCase>(data, size, dtype, device, other); };
    specs.push_back(spec);
  };
  add("stays", MixedCase::Data::stays, device);
  add("moves", MixedCase::Data::vector, device);
  for (std::size_t k = 0; k < devices.size(); ++k)
    if (k != which) add("moves to " + devices[k].name(), MixedCase::Data::array, devices[k]);
  return specs;
}

}  // namespace

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> list = {
      {"ones", "x = ones(shape) into memory that was used before", {1000000000}, true},
      {"scale", "x *= 5", {100000000}, true},
      {"chain3", "x *= 5; x *= x; x += x", {100000000}, true},
      {"add-loop", "g = add(g, g), 1024 times (float32: 200)", {add_loop_size}, true},
      {"add-loop-operator", "g = g + g, as often", {add_loop_size}, true},
      {"mixed",
       "20 steps of x *= 0.5; x += 0.25 that stay on the device, or copy their data there and back",
       {10000000},
       true},
      {"size-sweep",
       "ones, scale, x*=x, x+=x, chain3 and y = x + y*x, each with a wait of its own and pipelined",
       {10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000},
       false},
  };
  return list;
}

std::vector<CaseSpec> cases_of(const std::string& workload, Index size, xp::DType dtype,
                               const std::vector<xp::Device>& devices, std::size_t which) {
  const xp::Device device = devices[which];
  if (workload == "ones") return {elementwise(workload, Op::ones, size, dtype, device, false)};
  if (workload == "scale") return {elementwise(workload, Op::scale, size, dtype, device, false)};
  if (workload == "chain3") return {elementwise(workload, Op::chain3, size, dtype, device, false)};
  if (workload == "size-sweep") return sweep(size, dtype, device);
  if (workload == "mixed") return mixed(size, dtype, devices, which);
  return {add_loop(workload, size, dtype, device)};
}

std::string size_text(Index size) {
  int zeros = 0;
  Index rest = size;
  while (rest >= 10 && rest % 10 == 0) {
    rest /= 10;
    ++zeros;
  }
  char text[32];
  if (zeros < 3)
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(size));
  else
    std::snprintf(text, sizeof text, "%llde%d", static_cast<long long>(rest), zeros);
  return text;
}

}  // namespace bench
