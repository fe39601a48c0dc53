// SPDX-License-Identifier: Apache-2.0
#include "kernels/single_host.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "kernels/gather_host.hpp"
#include "kernels/launch_host.hpp"
#include "kernels/loops_host.hpp"
#include "kernels/plan_host.hpp"
#include "kernels/program_checks.hpp"

namespace xp::kernels {
namespace {

constexpr LoopTable loops = make_loops(std::make_integer_sequence<int, XP_DTYPE_COUNT>{});

/// Memory traffic of one thread in L2, about 100 GB/s; only the choice between one and several threads depends on it.
constexpr double ns_per_byte = 0.01;
/// Threads begin at multiples of this many elements: whole vectors, cache lines and pages.
constexpr std::int64_t grain = 4096;

struct Source {
  const char* data;
  std::int64_t step;  // bytes from element to element: 0 for a scalar
  alignas(16) char constant[16];
};

/// Whether the value is what `dtype` looks like in memory, in C order without gaps, or one element.
bool find_source(const xp_program& p, std::uint8_t ref, int dtype, Source& source) {
  if (ref >= XP_REF_OPERAND && ref < XP_REF_OPERAND + p.n_operands) {
    const xp_operand& operand = p.operands[ref - XP_REF_OPERAND];
    if (operand.dtype != dtype || operand.load_type != dtype) return false;
    source.data = static_cast<const char*>(operand.data);
    if (is_contiguous(p, operand)) {
      source.step = dtype_sizes[dtype];
      return true;
    }
    source.step = 0;
    return is_scalar(p, operand);
  }
  if (ref >= XP_REF_CONSTANT && ref < XP_REF_CONSTANT + p.n_constants) {
    const Spread spread = spread_for(p.width, dtype);
    if (!spread) return false;
    spread(source.constant, &p.constants[ref - XP_REF_CONSTANT], {1, 1, 1, 0});
    source.data = source.constant;
    source.step = 0;
    return true;
  }
  return false;
}

/// The operand that a store writes, if it is contiguous.
const xp_operand* find_target(const xp_program& p, const xp_instruction& store) {
  if (store.op != static_cast<int>(Op::store) || store.dst < XP_REF_OPERAND ||
      store.dst >= XP_REF_OPERAND + p.n_operands)
    return nullptr;
  const xp_operand& operand = p.operands[store.dst - XP_REF_OPERAND];
  return operand.dtype < XP_DTYPE_COUNT && is_contiguous(p, operand) ? &operand : nullptr;
}

bool should_stream(std::uint64_t bytes, const void* to) {
  return bytes >= stream_threshold() && reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0;
}

/// Calls f(begin, end) for the parts of the elements.
template <class F>
void over_parts(const xp_program& p, double serial_ns, const F& f) {
  const int parts = parts_for(serial_ns);
  if (parts == 1) {
    f(0, p.count);
    return;
  }
  launch(label_of(p), parts, [&](int part) {
    const Range range = part_of(p.count, grain, part, parts);
    if (range.begin < range.end) f(range.begin, range.end);
  });
}

// ---- Fill, copy, conversion ----

void fill(const xp_program& p, char* to, const char* value, std::int64_t size) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(p.count * size);
  alignas(64) char pattern[64];
  for (std::int64_t i = 0; i < 64; i += size) std::memcpy(pattern + i, value, static_cast<std::size_t>(size));
  const bool one_byte = std::all_of(value, value + size, [&](char c) { return c == value[0]; });
  const bool stream = should_stream(bytes, to);
  over_parts(p, static_cast<double>(bytes) * ns_per_byte, [&](std::int64_t begin, std::int64_t end) {
    char* first = to + begin * size;
    const std::int64_t count = (end - begin) * size;
    if (one_byte && !stream)
      std::memset(first, value[0], static_cast<std::size_t>(count));
    else
      vector_loop(reinterpret_cast<std::uint8_t*>(first), count, stream,
                  [v = load_vector<Vector<std::uint8_t>>(pattern)](std::int64_t, auto) { return v; });
  });
}

void copy(const xp_program& p, char* to, const char* from, std::int64_t size) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(p.count * size);
  const bool stream = should_stream(2 * bytes, to);
  over_parts(p, static_cast<double>(2 * bytes) * ns_per_byte, [&](std::int64_t begin, std::int64_t end) {
    char* first = to + begin * size;
    const char* source = from + begin * size;
    const std::int64_t count = (end - begin) * size;
    if (stream)
      vector_loop(reinterpret_cast<std::uint8_t*>(first), count, true,
                  [=](std::int64_t i, auto load) { return load(reinterpret_cast<const std::uint8_t*>(source + i)); });
    else
      std::memmove(first, source, static_cast<std::size_t>(count));  // identical views are allowed
  });
}

/// One store, of a constant or of an operand of any dtype.
bool run_store(const xp_program& p, const xp_instruction& in, int type, std::uint8_t ref) {
  const xp_operand* target = find_target(p, in);
  if (!target || type >= XP_DTYPE_COUNT) return false;
  const std::int64_t size = dtype_sizes[target->dtype];
  char* to = static_cast<char*>(target->data);
  Source source;
  if (!find_source(p, ref, type, source)) {
    // Converted while it is loaded: one conversion all the same if it is to the dtype stored.
    if (ref < XP_REF_OPERAND || ref >= XP_REF_OPERAND + p.n_operands) return false;
    const xp_operand& operand = p.operands[ref - XP_REF_OPERAND];
    if (operand.dtype >= XP_DTYPE_COUNT || operand.load_type != type || type != target->dtype ||
        !is_contiguous(p, operand))
      return false;
    source.data = static_cast<const char*>(operand.data);
    source.step = dtype_sizes[operand.dtype];
    type = operand.dtype;
  }
  const Convert convert = type == target->dtype ? nullptr : convert_for(type, target->dtype);
  if (source.step == 0) {
    alignas(16) char converted[16];
    if (convert) convert(converted, source.data, 1);
    fill(p, to, convert ? converted : source.data, size);
    return true;
  }
  if (!convert) {
    copy(p, to, source.data, size);
    return true;
  }
  if (source.data == to) return false;
  over_parts(p, static_cast<double>(p.count) * 0.3, [&](std::int64_t begin, std::int64_t end) {
    convert(to + begin * size, source.data + begin * source.step, end - begin);
  });
  return true;
}

// ---- One operation ----

bool run_operation(const xp_program& p, const xp_instruction& in, std::uint8_t ref_a, std::uint8_t ref_b,
                   const xp_instruction& store) {
  if (in.op >= static_cast<int>(Op::count_) || in.type >= XP_DTYPE_COUNT || in.to != store.type) return false;
  const xp_operand* target = find_target(p, store);
  if (!target || target->dtype != in.to) return false;
  Source a, b;
  const Op row = row_of(static_cast<Op>(in.op), in.type);
  Loop loop = loops.unary[static_cast<int>(row)][in.type];
  const std::array<Loop, shape_count>& forms = loops.binary[static_cast<int>(row)][in.type];
  if (loop) {
    if (!find_source(p, ref_a, in.type, a) || a.step == 0) return false;
    b.data = nullptr;
    b.step = 0;
  } else {
    if (!forms[0] || !find_source(p, ref_a, in.type, a) || !find_source(p, ref_b, in.type, b)) return false;
    if (a.step == 0 && b.step == 0) return false;
    loop = forms[a.step == 0 ? scalar_vector : b.step == 0 ? vector_scalar : vector_vector];
  }
  char* to = static_cast<char*>(target->data);
  const std::int64_t size = dtype_sizes[target->dtype];
  const std::int64_t traffic = size + a.step + (b.data == a.data ? 0 : b.step);
  const OpInfo& op = operation_table[in.op];
  // What is also read is in the cache when it is written.
  const bool stream = to != a.data && to != b.data && op.returns != Returns::boolean &&
                      should_stream(static_cast<std::uint64_t>(p.count * traffic), to);
  const double serial_ns =
      static_cast<double>(p.count) * (static_cast<double>(traffic) * ns_per_byte + 0.1 * (op.cost - 1));
  over_parts(p, serial_ns, [&](std::int64_t begin, std::int64_t end) {
    loop(to + begin * size, a.data + begin * a.step, b.data ? b.data + begin * b.step : nullptr, end - begin, stream);
  });
  return true;
}

// ---- Reduction ----

bool run_reduction(const xp_program& p, std::uint8_t ref) {
  if (p.reduce_op != static_cast<int>(Op::sum) || p.reduce_type >= XP_DTYPE_COUNT || !p.reduce_out) return false;
  const Reducer* reducer = sum_reducer(p.reduce_type);
  if (!reducer || ref < XP_REF_OPERAND || ref >= XP_REF_OPERAND + p.n_operands) return false;
  const xp_operand& operand = p.operands[ref - XP_REF_OPERAND];
  if (operand.dtype != p.reduce_type || operand.load_type != p.reduce_type || !is_contiguous(p, operand)) return false;
  const char* data = static_cast<const char*>(operand.data);
  const std::int64_t size = static_cast<std::int64_t>(reducer->size);
  if (p.count <= reduce_block) {
    reducer->block(p.reduce_out, data, p.count);
    return true;
  }
  const std::int64_t blocks = (p.count + reduce_block - 1) / reduce_block;
  constexpr std::int64_t few = 256;
  alignas(16) char few_results[few * 16];
  std::unique_ptr<char[]> many_results;
  char* results = few_results;
  if (blocks > few)
    results = (many_results = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(blocks * size))).get();
  const int parts = parts_for(static_cast<double>(p.count * size) * ns_per_byte);
  launch(label_of(p), parts, [&](int part) {
    const Range range = part_of(p.count, reduce_block, part, parts);
    for (std::int64_t i = range.begin; i < range.end; i += reduce_block)
      reducer->block(results + i / reduce_block * size, data + i * size, std::min(reduce_block, range.end - i));
  });
  combine(*reducer, results, blocks);
  std::memcpy(p.reduce_out, results, reducer->size);
  return true;
}

/// The instruction is a load of an operand into the accumulator, as it is.
bool is_load(const xp_instruction& in) {
  return in.op == static_cast<int>(Op::load) && in.dst == XP_REF_NONE && in.type == in.to;
}

}  // namespace

bool run_single(const xp_program& p) {
  const int n = p.n_instructions;
  if (n > 3) return false;
  const xp_instruction* in = p.instructions;
  if (p.reduce_ref != XP_REF_NONE) {
    if (n == 0) return run_reduction(p, p.reduce_ref);
    return n == 1 && is_load(in[0]) && p.reduce_ref == XP_REF_ACC && run_reduction(p, in[0].a);
  }
  if (n == 0) return true;
  // What a leading load left in the accumulator is its operand.
  const bool loads = n > 1 && is_load(in[0]);
  const std::uint8_t loaded = loads ? in[0].a : static_cast<std::uint8_t>(XP_REF_ACC);
  if (loads) ++in;
  const int rest = n - (loads ? 1 : 0);
  auto value = [&](std::uint8_t ref) { return ref == XP_REF_ACC ? loaded : ref; };
  if (rest == 1) return run_store(p, in[0], in[0].type, value(in[0].a));
  if (rest != 2 || in[0].dst != XP_REF_NONE || in[1].a != XP_REF_ACC) return false;
  if (in[0].op == static_cast<int>(Op::cast)) {
    // A cast and a store in its dtype; the store's operand converts.
    const xp_operand* target = find_target(p, in[1]);
    if (!target || in[1].type != in[0].to || target->dtype != in[0].to) return false;
    Source source;
    return find_source(p, value(in[0].a), in[0].type, source) && run_store(p, in[1], in[0].type, value(in[0].a));
  }
  return run_operation(p, in[0], value(in[0].a), value(in[0].b), in[1]);
}

}  // namespace xp::kernels
