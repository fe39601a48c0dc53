// SPDX-License-Identifier: Apache-2.0
// The order of a program's steps and the places of its values.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/planner_device.hpp"
#include "kernels/tiles_device.hpp"

namespace xp::kernels {
namespace {

constexpr bool is_commutative(Code code) {
  switch (code) {
    case Code::add_i:
    case Code::add_f:
    case Code::add_c:
    case Code::multiply_i:
    case Code::multiply_f:
    case Code::or_i:
    case Code::and_i:
    case Code::equal_i:
    case Code::equal_f:
    case Code::equal_c:
    case Code::not_equal_i:
    case Code::not_equal_f:
    case Code::not_equal_c:
      return true;
    default:
      return false;
  }
}

}  // namespace

/// Loads a value into its home, or only into the accumulator.
void Planner::emit_load(Source value, bool to_accumulator) {
  Arranged& load = arranged_[n_arranged_++];
  load = arranged_of(nodes_[values_[value].load]);
  load.to_accumulator = to_accumulator;
  values_[value].load = -1;
  if (to_accumulator) held_ = value;
}

/// Where the next step finds a value; place_none means in its home. One use of it is over then. A value for the
/// accumulator is used as often by that step as said.
std::uint8_t Planner::place_for(Source source, int uses_for_accumulator) {
  if (source <= constant_source(0)) return static_cast<std::uint8_t>(place_constant + (constant_source(0) - source));
  Value& value = values_[source];
  const bool last = --value.uses < std::max(uses_for_accumulator, 1);
  if (source == held_) return place_accumulator;
  if (value.load >= 0) {
    const Node& load = nodes_[value.load];
    if (last && plan_.flat && is_native(load)) {
      value.load = -1;
      return static_cast<std::uint8_t>(place_operand + load.operand);
    }
    const bool to_accumulator = last && uses_for_accumulator > 0;
    emit_load(source, to_accumulator);
    if (to_accumulator) return place_accumulator;
  }
  value.last_fetch = n_arranged_;
  return place_none;
}

void Planner::arrange(const Node& original) {
  Node node = original;
  const bool stores = node.result == no_source;
  if (stores) {
    // Memory that is loaded from later may be what is stored to.
    for (int v = 0; v < n_values_; ++v)
      if (values_[v].load >= 0 && values_[v].uses > 0 && v != node.a) emit_load(v, false);
  } else if (values_[node.result].uses == 0) {
    for (const Source s : {node.a, node.b, node.c})
      if (s >= 0) --values_[s].uses;
    return;  // nobody wants it
  }
  Arranged step = arranged_of(node);
  if (node.code == Code::store_any) {
    node.b = std::exchange(node.a, no_source);
    --values_[node.b].uses;
    values_[node.b].last_fetch = n_arranged_;
    step.b = place_none;
  } else {
    if (node.b != no_source && node.b == held_ && node.a != held_ && node.code != Code::where) {
      std::swap(node.a, node.b);
      step.exchanged = !is_commutative(node.code);
    }
    // What the second value needs must not come between the accumulator and its use.
    for (const Source s : {node.b, node.c})
      if (s >= 0 && s != node.a && values_[s].load >= 0 &&
          !(values_[s].uses == 1 && plan_.flat && is_native(nodes_[values_[s].load])))
        emit_load(s, false);
    if (node.a != no_source) {
      step.a = place_for(node.a, 1 + (node.b == node.a) + (node.c == node.a));
      held_ = node.a;
    }
    if (node.b != no_source) step.b = place_for(node.b, 0);
    if (node.c != no_source) step.c = place_for(node.c, 0);
  }
  step.node = node;
  arranged_[n_arranged_++] = step;
  if (!stores) held_ = node.result;
}

/// Decides where each step takes its values from.
void Planner::arrange() {
  for (int i = 0; i < n_nodes_; ++i)
    for (const Source s : {nodes_[i].a, nodes_[i].b, nodes_[i].c})
      if (s >= 0) ++values_[s].uses;
  if (reduced_ >= 0) ++values_[reduced_].uses;
  for (int i = 0; i < n_nodes_; ++i) {
    if (nodes_[i].code < Code::store_1)
      values_[nodes_[i].result].load = i;
    else
      arrange(nodes_[i]);
  }
  if (reduced_ != no_source && reduced_ != held_) {
    Node node = node_of(Code::move);
    node.a = reduced_;
    node.result = add_value();
    values_[node.result].uses = 1;
    arrange(node);
  }
}

/// Loads that need nothing else and are wanted soon are started before the first step.
void Planner::preload() {
  plan_.preload_accumulator = plan_.preload_fast = place_none;
  auto suits = [&](const Node& load) { return load.code < Code::store_1 && is_native(load); };
  bool accumulator_free = true;
  for (int i = 0; i < n_arranged_ && i < preload_reach; ++i) {
    Arranged& step = arranged_[i];
    auto in_memory = [](std::uint8_t place) { return place >= place_operand && place < place_constant; };
    auto to_fast = [&](std::uint8_t& place) {
      if (!in_memory(place) || plan_.preload_fast != place_none) return;
      plan_.preload_fast = static_cast<std::uint8_t>(place - place_operand);
      place = place_fast;
      fast_until_ = i;
    };
    if (step.node.code < Code::store_1) {
      if (!suits(step.node)) {
        accumulator_free = accumulator_free && !step.to_accumulator;
      } else if (step.to_accumulator) {
        if (accumulator_free) {
          plan_.preload_accumulator = step.node.operand;
          step.node.code = Code::count_;
        }
        accumulator_free = false;
      } else if (plan_.preload_fast == place_none && !values_[step.node.result].in_scratch) {
        plan_.preload_fast = step.node.operand;
        values_[step.node.result].home = place_fast;
        fast_until_ = values_[step.node.result].last_fetch;
        step.node.code = Code::count_;
      }
      continue;
    }
    if (accumulator_free && in_memory(step.a)) {
      plan_.preload_accumulator = static_cast<std::uint8_t>(step.a - place_operand);
      step.a = place_accumulator;
    }
    if (step.node.code >= Code::index) {
      to_fast(step.b);
      to_fast(step.c);
    }
    accumulator_free = false;
  }
}

std::uint8_t Planner::take_home(const Value& value) {
  if (!value.in_scratch && !fast_used_) {
    fast_used_ = true;
    return place_fast;
  }
  const int slot = std::countr_one(scratch_used_);
  scratch_used_ |= std::uint64_t{1} << slot;
  plan_.scratch_registers = std::max(plan_.scratch_registers, slot + 1);
  return static_cast<std::uint8_t>(place_scratch + slot);
}

void Planner::release(Source source, int position) {
  if (source < 0 || values_[source].last_fetch != position) return;
  const int home = values_[source].home;
  if (home == place_fast)
    fast_used_ = false;
  else if (home >= place_scratch && home < place_operand)
    scratch_used_ &= ~(std::uint64_t{1} << (home - place_scratch));
  values_[source].last_fetch = -1;
}

/// The step's own code, or the one of a quick step that does the same.
Code Planner::quick(const Step& step) const {
  const bool is_constant = step.a >= place_constant && step.a != place_none;
  if (width_ != 128 && is_constant && step.code == store_code(slot_bytes_)) return quick_fill;
  if (width_ == 128 || step.a != place_accumulator) return step.code;
  if (step.code == store_code(slot_bytes_)) return quick_store;
  if (step.convert != convert_none || step.to != place_none) return step.code;
  Quick op;
  switch (step.code) {
    case Code::add_f:
      op = Quick::add_f;
      break;
    case Code::subtract_f:
      op = Quick::subtract_f;
      break;
    case Code::multiply_f:
      op = Quick::multiply_f;
      break;
    case Code::add_i:
      op = Quick::add_i;
      break;
    case Code::subtract_i:
      op = Quick::subtract_i;
      break;
    case Code::multiply_i:
      op = Quick::multiply_i;
      break;
    default:
      return step.code;
  }
  Second second = Second::scratch;
  if (step.b == place_accumulator)
    second = Second::accumulator;
  else if (step.b == place_fast)
    second = Second::fast;
  else if (step.b >= place_constant)
    second = Second::constant;
  else if (step.b >= place_operand)
    second = Second::operand;
  return quick_code(op, second, step.operand != 0 && !is_commutative(step.code));
}

/// Gives homes to the values that are wanted when the accumulator has gone on, and writes the steps.
void Planner::allocate() {
  plan_.scratch_registers = 0;
  plan_.n_steps = 0;
  bool only_quick = true, functions = false;
  fast_used_ = plan_.preload_fast != place_none;
  for (int i = 0; i < n_arranged_; ++i) {
    const Arranged& from = arranged_[i];
    const Node& node = from.node;
    const bool preloaded = node.code == Code::count_;
    Step step{
        node.code,    node.convert, place_none, settle(node.a, from.a), settle(node.b, from.b), settle(node.c, from.c),
        node.operand, node.dtype};
    // A step has read its values when it writes its result.
    for (const Source s : {node.a, node.b, node.c}) release(s, i);
    if (i == fast_until_) fast_used_ = false;
    if (preloaded) continue;
    if (node.code >= Code::index) step.operand = from.exchanged;
    if (node.result >= 0) {
      Value& value = values_[node.result];
      if (from.to_accumulator)
        step.to = place_accumulator;
      else if (value.last_fetch >= 0)
        step.to = value.home = take_home(value);
    }
    step.code = quick(step);
    if (step.code == quick_fill) step.b = step.a;
    const bool in_registers = step.b < place_scratch || step.b >= place_constant;
    only_quick = only_quick && step.code > Code::count_ && in_registers;
    functions = functions || (step.code >= Code::unary_u && step.code < Code::count_);
    const bool nothing =
        step.code == Code::move && step.a == place_accumulator && step.convert == convert_none && step.to == place_none;
    if (!nothing) plan_.steps[plan_.n_steps++] = step;
  }
  plan_.repertoire = functions ? Repertoire::functions : only_quick ? Repertoire::quick : Repertoire::arithmetic;
}

}  // namespace xp::kernels
