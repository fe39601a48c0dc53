// SPDX-License-Identifier: Apache-2.0
// Makes random programs. Steps that do not make sense (shapes that do not broadcast, dtypes that do not cast) are left
// out by running each on the oracle first.
#pragma once

#include "support/random_program.hpp"

namespace xp_test {

struct GeneratorOptions {
  int steps = 40;
  bool inexact = false;  // functions that differ between devices in the last bits
  Index most = 200;      // elements of an array, about
};

class ProgramGenerator {
 public:
  ProgramGenerator(std::uint64_t seed, const GeneratorOptions& options) : rng_(seed), options_(options) {
    // Everything derives from one shape, so that most things broadcast against each other.
    const int ndim = static_cast<int>(rng_.between(1, 3));
    for (int d = 0; d < ndim; ++d)
      base_.push_back(
          ndim == 1
              ? rng_.between(1, options_.most)
              : rng_.between(1, static_cast<Index>(std::pow(static_cast<double>(options_.most), 1.0 / ndim)) + 1));
    // Two or three dtypes: with more, every other operation changes the width.
    for (DType& dtype : dtypes_) dtype = random_dtype();
  }

  Program generate(OracleMachine& oracle) {
    Program program;
    for (int attempts = 0; static_cast<int>(program.size()) < options_.steps && attempts < 20 * options_.steps;
         ++attempts) {
      const Step step = attempts < 3 ? source() : any(oracle);
      if (oracle.run(step)) program.push_back(step);
    }
    return program;
  }

 private:
  DType random_dtype() {
    if (rng_.chance(40)) return xp::float64;
    if (rng_.chance(40)) return xp::float32;
    return static_cast<DType>(rng_.below(xp::dtype_count));
  }
  DType dtype() { return dtypes_[static_cast<std::size_t>(rng_.below(3))]; }
  int slot() { return static_cast<int>(rng_.below(slot_count)); }
  // Of an array that is there, mostly.
  int used(const OracleMachine& oracle) {
    for (int i = 0; i < 6; ++i)
      if (const int k = slot(); oracle.has(k)) return k;
    return slot();
  }
  int used_or_number(const OracleMachine& oracle) { return rng_.chance(20) ? a_number : used(oracle); }

  Scalar number() {
    switch (rng_.below(8)) {
      case 0:
        return true;
      case 1:
        return 0.25;
      case 2:
        return -1.5;
      case 3:
        return static_cast<std::int64_t>(rng_.between(-3, 0));
      case 4:
        return rng_.chance(80) ? Scalar(2.0) : Scalar(std::complex<double>(0.5, -1));
      default:
        return static_cast<std::int64_t>(rng_.between(0, 5));
    }
  }

  Extents shape() {
    Extents result(base_.begin() + static_cast<std::ptrdiff_t>(
                                       rng_.chance(20) ? rng_.below(static_cast<Index>(base_.size()) + 1) : 0),
                   base_.end());
    for (Index& extent : result)
      if (rng_.chance(10)) extent = 1;
    return result;
  }

  // Rows of the table by their number of operands; functions only where they are wanted.
  static std::vector<Op> rows(int arity) {
    std::vector<Op> result;
    for (const Op op : callable_rows())
      if (xp::info(op).arity == arity) result.push_back(op);
    return result;
  }
  Op any_of(const std::vector<Op>& rows) {
    Op op = rows[static_cast<std::size_t>(rng_.below(static_cast<Index>(rows.size())))];
    // Too many functions end in infinities and NaN.
    if (!is_exact(op, xp::float64) && (!options_.inexact || rng_.chance(40)))
      op = rows[static_cast<std::size_t>(rng_.below(static_cast<Index>(rows.size())))];
    return op;
  }
  Op binary_op() {
    static const std::vector<Op> all = rows(2);
    constexpr Op often[] = {Op::add, Op::subtract, Op::multiply, Op::add, Op::divide};
    return rng_.chance(50) ? often[rng_.below(5)] : any_of(all);
  }
  Op unary_op() {
    static const std::vector<Op> all = rows(1);
    constexpr Op often[] = {Op::negative, Op::absolute, Op::sqrt};
    return rng_.chance(30) ? often[rng_.below(3)] : any_of(all);
  }
  Op in_place_op() {
    constexpr Op ops[] = {Op::add,        Op::subtract,    Op::multiply,   Op::divide,
                          Op::add,        Op::multiply,    Op::remainder,  Op::bitwise_and,
                          Op::bitwise_or, Op::bitwise_xor, Op::left_shift, Op::right_shift};
    return ops[rng_.below(std::size(ops))];
  }

  Step source() {
    Step step;
    step.kind = rng_.chance(60) ? Kind::upload : rng_.chance(60) ? Kind::constant : Kind::arange;
    step.out = slot();
    step.dtype = step.kind == Kind::arange && dtype() == xp::bool_ ? xp::int64 : dtype();
    step.shape = shape();
    step.number = static_cast<std::int64_t>(rng_.between(0, 3));
    step.seed = rng_.bits();
    return step;
  }

  std::vector<Part> parts(const View& view) {
    std::vector<Part> result;
    const bool same_shape = rng_.chance(40);  // shifted or reversed views of equal shape meet in one operation
    for (const Index extent : view.shape) {
      if (extent == 0) return {};
      if (same_shape) {
        const bool backwards = rng_.chance(30);
        const Index count = std::max<Index>(extent - 1, 1), start = extent == 1 ? 0 : rng_.below(2);
        result.push_back({backwards ? start + count - 1 : start, count, backwards ? -1 : 1});
      } else {
        const Index step = rng_.chance(60) ? 1 : rng_.between(2, 3);
        const Index start = rng_.below(extent);
        const Index count = rng_.between(1, (extent - 1 - start) / step + 1);
        const bool backwards = rng_.chance(20);
        result.push_back({backwards ? start + (count - 1) * step : start, count, backwards ? -step : step});
      }
    }
    return result;
  }

  // A random shape of as many elements.
  Extents refolded(Index size) {
    Extents result;
    for (Index rest = size; rest > 1;) {
      Index factor = 2;
      while (rest % factor != 0) ++factor;
      if (result.empty() || rng_.chance(50))
        result.push_back(factor);
      else
        result.back() *= factor;
      rest /= factor;
    }
    if (result.empty()) result.push_back(size);
    return result;
  }

  Step any(const OracleMachine& oracle) {
    Step step;
    step.out = slot();
    step.a = used(oracle);
    step.b = used_or_number(oracle);
    step.number = number();
    const Index choice = rng_.below(100);
    if (choice < 11) return source();
    if (choice < 32) {
      step.kind = Kind::binary;
      step.op = binary_op();
      if (step.op == Op::power && rng_.chance(80)) {  // an array of exponents is looked at, which ends a program
        step.b = a_number;
        step.number = static_cast<std::int64_t>(rng_.between(0, 4));
      }
      if (rng_.chance(10)) std::swap(step.a, step.b);
      if (step.a == a_number && step.b == a_number) step.a = used(oracle);
      step.consume = step.a != a_number && rng_.chance(15);
    } else if (choice < 41) {
      step.kind = Kind::unary;
      step.op = unary_op();
      step.consume = rng_.chance(15);
    } else if (choice < 46) {
      step.kind = Kind::where;
      step.c = used(oracle);
    } else if (choice < 51) {
      step.kind = Kind::cast;
      step.dtype = rng_.chance(80) ? dtype() : static_cast<DType>(rng_.below(xp::dtype_count));
    } else if (choice < 53) {
      step.kind = Kind::copy;
    } else if (choice < 56) {
      step.kind = Kind::sum;
    } else if (choice < 74) {
      step.kind = rng_.chance(75) ? Kind::in_place : Kind::assign;
      step.op = in_place_op();
      step.out = used(oracle);
      step.within = rng_.chance(35);
      if (step.within && oracle.has(step.out)) step.parts = parts(oracle.at(step.out));
    } else if (choice < 82) {
      step.kind = Kind::slice;
      if (oracle.has(step.a)) step.parts = parts(oracle.at(step.a));
    } else if (choice < 84) {
      step.kind = Kind::transpose;
      const Index ndim = oracle.has(step.a) ? static_cast<Index>(oracle.at(step.a).shape.size()) : 0;
      for (Index d = 0; d < ndim; ++d)
        step.shape.insert(step.shape.begin() + static_cast<std::ptrdiff_t>(rng_.below(d + 1)), d);
    } else if (choice < 86) {
      step.kind = Kind::broadcast;
      step.shape = base_;
    } else if (choice < 89) {
      step.kind = Kind::reshape;
      step.shape = rng_.chance(50) ? base_ : oracle.has(step.a) ? refolded(oracle.at(step.a).size()) : base_;
    } else if (choice < 92) {
      step.kind = Kind::alias;
    } else if (choice < 94) {
      step.kind = Kind::drop;
    } else if (choice < 96) {
      step.kind = Kind::eval;
    } else if (choice < 99) {
      step.kind = Kind::read;
    } else {
      step.kind = Kind::lease;
    }
    return step;
  }

  Rng rng_;
  GeneratorOptions options_;
  Extents base_;
  std::array<DType, 3> dtypes_{};
};

}  // namespace xp_test
