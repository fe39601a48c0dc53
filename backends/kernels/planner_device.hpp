// SPDX-License-Identifier: Apache-2.0
// Translates one program: plan_device.cpp makes nodes of its instructions and loads, arrange_device.cpp decides where
// the values live and writes the steps.
#pragma once

#include <cstdint>

#include "kernels/plan_device.hpp"
#include "kernels/program_checks.hpp"

namespace xp::kernels {

inline constexpr int op_count = static_cast<int>(Op::count_);

/// Where a step takes a value from: another step (its number in values_), or a constant.
using Source = int;
inline constexpr Source no_source = -1;
constexpr Source constant_source(int index) { return -2 - index; }

constexpr bool is_integer(Kind kind) { return kind == Kind::signed_ || kind == Kind::unsigned_; }
constexpr bool is_half_dtype(int dtype) { return dtype == XP_FLOAT16 || dtype == XP_BFLOAT16; }

// Arrays of these are not initialised: for a program of two instructions that would take longer than all the rest.
struct Node {
  Code code;
  std::uint8_t convert;
  Source a, b, c;
  int result;
  std::uint8_t operand, dtype;
};
constexpr Node node_of(Code code) { return {code, convert_none, no_source, no_source, no_source, no_source, 0, 0}; }

struct Value {
  int uses;        // to come
  int load;        // the node that loads it, before it is loaded; or -1
  int last_fetch;  // the step that takes it from its home last, or -1
  bool in_scratch;
  std::uint8_t home;
};
inline constexpr Value new_value{0, -1, -1, false, place_none};

/// A node whose values' places are known.
struct Arranged {
  Node node;
  std::uint8_t a, b, c;  // where not in a home
  bool exchanged, to_accumulator;
};
constexpr Arranged arranged_of(const Node& node) {
  return {node, place_accumulator, place_accumulator, place_accumulator, false, false};
}

/// A load is started before the first step from no further than this.
inline constexpr int preload_reach = 4;

constexpr Code load_code(int size) {
  switch (size) {
    case 1:
      return Code::load_1;
    case 2:
      return Code::load_2;
    case 4:
      return Code::load_4;
    case 8:
      return Code::load_8;
    default:
      return Code::load_16;
  }
}
constexpr Code store_code(int size) {
  return static_cast<Code>(static_cast<int>(load_code(size)) - static_cast<int>(Code::load_1) +
                           static_cast<int>(Code::store_1));
}
static_assert(store_code(1) == Code::store_1 && store_code(2) == Code::store_2 && store_code(4) == Code::store_4 &&
              store_code(8) == Code::store_8);

class Planner {
 public:
  Planner(const xp_program& program, DevicePlan& plan, xp_error* error)
      : program_(program), plan_(plan), error_(error), width_(program.width), slot_bytes_(program.width / 8) {}

  std::int32_t run();

 private:
  std::int32_t instruction(const xp_instruction& in);
  std::int32_t operation(const xp_instruction& in, Node& node, bool& same_value);
  std::int32_t store(const xp_instruction& in);
  std::int32_t reduction();
  std::int32_t operands();

  bool source(std::uint8_t ref, Source& result);
  bool load(int operand, Source& result);
  bool find_decoding(int dtype, int load_type, Node& node, bool& real_part) const;
  int add_operand(int from, bool real_part);

  bool full() const { return n_nodes_ == most_steps - 1; }
  Source add_value() {
    values_[n_values_] = new_value;
    return n_values_++;
  }
  Source emit(Node node) {
    node.result = add_value();
    nodes_[n_nodes_++] = node;
    return node.result;
  }
  Source emit_move(Source from, std::uint8_t conversion) {
    Node node = node_of(Code::move);
    node.a = from;
    node.convert = conversion;
    return emit(node);
  }

  std::uint8_t normalisation(int dtype) const;
  bool cast(int from, int to, std::uint8_t& conversion) const;

  void arrange();
  void arrange(const Node& node);
  std::uint8_t place_for(Source source, int uses_for_accumulator);
  void emit_load(Source value, bool to_accumulator);
  bool is_native(const Node& load) const { return load.code == load_code(slot_bytes_) && load.convert == convert_none; }
  void preload();
  void allocate();
  std::uint8_t take_home(const Value& value);
  Code quick(const Step& step) const;
  std::uint8_t settle(Source source, std::uint8_t place) const {
    return place == place_none ? values_[source].home : place;
  }
  void release(Source source, int position);

  std::int32_t invalid(const xp_instruction& in, const char* what) {
    return invalid_instruction(in, width_, what, error_);
  }

  const xp_program& program_;
  DevicePlan& plan_;
  xp_error* error_;
  const int width_, slot_bytes_;

  // The conversion of a store needs a step and a value more.
  Node nodes_[most_steps];
  Value values_[most_steps + XP_MAX_OPERANDS];
  int n_nodes_ = 0, n_values_ = 0;
  Source accumulator_ = no_source, reduced_ = no_source;
  Source registers_[XP_MAX_REGISTERS], loaded_[XP_MAX_OPERANDS];
  bool misaligned_[XP_MAX_OPERANDS];
  Arranged arranged_[most_steps];
  int n_arranged_ = 0;
  Source held_ = no_source;  // in the accumulator
  int fast_until_ = -1;      // the step that takes the preloaded value of the fast register last
  bool fast_used_ = false;
  std::uint64_t scratch_used_ = 0;
  const char* load_failure_ = nullptr;
};

}  // namespace xp::kernels
