// SPDX-License-Identifier: Apache-2.0
#include "kernels/worker_host.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/transpose_host.hpp"

namespace xp::kernels {
namespace {

/// Buffers a multiple of 4 KiB apart would make loads wait for stores to another buffer (4K aliasing).
constexpr std::int64_t skew = 192;
constexpr std::ptrdiff_t whole = -1;

template <class F>
void each_bit(std::uint32_t bits, F f) {
  for (; bits != 0; bits &= bits - 1) f(__builtin_ctz(bits));
}

/// One slot's value in all slots of a vector.
Raw splat_slot(const char* slot, std::int64_t slot_bytes) {
  if (slot_bytes == 4) return reinterpret_cast<Raw>(splat<std::uint32_t>(load_vector<std::uint32_t>(slot)));
  if (slot_bytes == 8) return reinterpret_cast<Raw>(splat<std::uint64_t>(load_vector<std::uint64_t>(slot)));
  Vector<std::uint64_t> pairs;
  for (int i = 0; i < vector_bytes / 8; ++i) pairs[i] = load_vector<std::uint64_t>(slot + i % 2 * 8);
  return reinterpret_cast<Raw>(pairs);
}

/// The slots in the first `bytes`, more than none, and copies of the last of them in the rest of the block. `from` may
/// be `block`. Whole vectors are written: the loads that follow would wait for smaller stores.
void pad(char* block, const char* from, std::int64_t bytes, std::int64_t slot_bytes) {
  const Raw last = splat_slot(from + bytes - slot_bytes, slot_bytes);
  for (int i = 0; i < block_vectors; ++i, bytes -= vector_bytes) {
    const char* p = from + i * vector_bytes;
    store_vector(block + i * vector_bytes, bytes >= vector_bytes ? load_vector<Raw>(p)
                                           : bytes > 0           ? load_partial(last, p, bytes)
                                                                 : last);
  }
}

/// Largest element in memory times the most elements of a chunk.
constexpr std::int64_t temporary_bytes = 16 * (chunk_bytes / 4);

/// Columns of a tile that are converted at a time.
constexpr std::int64_t column_group = 16;

std::int64_t buffer_bytes(const Plan& plan, Access access) {
  switch (access) {
    case Access::unused:
      return 0;
    case Access::buffered:
      return chunk_bytes + skew;
    case Access::tiled:
      return tile_rows * plan.tile_pitch;
    default:
      return block_bytes;  // for the tail, or one element in all slots
  }
}

}  // namespace

std::size_t scratch_bytes(const Plan& plan) {
  std::int64_t blocks = __builtin_popcount(plan.registers) + __builtin_popcount(plan.constants);
  std::int64_t bytes = blocks * block_bytes;
  if (plan.reducer) bytes += 2 * (chunk_bytes + skew);
  for (int k = 0; k < plan.program->n_operands; ++k)
    bytes += buffer_bytes(plan, plan.operands[k].load) + buffer_bytes(plan, plan.operands[k].store);
  if (plan.converts || plan.reducer) bytes += 2 * temporary_bytes;
  if (plan.tile_axis >= 0) bytes += column_group * tile_rows * 16;
  return static_cast<std::size_t>(bytes);
}

Worker::Worker(const Plan& plan, char* scratch)
    : plan_(plan), program_(*plan.program), slot_bytes_(plan.slot_bytes), scratch_(scratch) {
  each_bit(plan.registers, [&](int r) { context_.slots[register_slot + r] = {take(block_bytes), 0}; });
  each_bit(plan.constants, [&](int c) { context_.slots[constant_slot + c] = {take(block_bytes), 0}; });
  splat_constants();
  for (int k = 0; k < program_.n_operands; ++k) {
    const OperandPlan& operand = plan.operands[k];
    if (operand.load != Access::unused) {
      load_pad_[k] = take(buffer_bytes(plan, operand.load));
      const bool fixed = operand.load == Access::splat || operand.load == Access::row_splat;
      context_.slots[load_slot + k] = {load_pad_[k], fixed ? 0 : whole};
    }
    if (operand.store != Access::unused) {
      store_pad_[k] = take(buffer_bytes(plan, operand.store));
      context_.slots[store_slot + k] = {store_pad_[k], whole};
    }
  }
  if (plan.reducer) {
    reduce_buffer_ = take(chunk_bytes + skew);
    lanes_ = take(chunk_bytes + skew);
    context_.slots[reduce_slot] = {reduce_buffer_, whole};
  }
  if (plan.converts || plan.reducer)
    for (char*& temporary : temporary_) temporary = take(temporary_bytes);
  if (plan.tile_axis >= 0) columns_ = take(column_group * tile_rows * 16);
  splat_operands();
  context_.first = plan.steps;
}

void Worker::renew(bool constants) {
  if (constants) splat_constants();
  splat_operands();
}

void Worker::splat_operands() {
  for (int k = 0; k < program_.n_operands; ++k)
    if (plan_.operands[k].load == Access::splat) splat(k, 0);
}

char* Worker::take(std::int64_t bytes) {
  char* taken = scratch_;
  scratch_ += bytes;
  return taken;
}

void Worker::splat_constants() {
  each_bit(plan_.constants, [&](int c) {
    pad(context_.slots[constant_slot + c].base, reinterpret_cast<const char*>(&program_.constants[c]), slot_bytes_,
        slot_bytes_);
  });
}

void Worker::splat(int k, std::int64_t element) {
  const xp_operand& operand = program_.operands[k];
  const OperandPlan& plan = plan_.operands[k];
  const char* from = static_cast<const char*>(operand.data) + element * dtype_sizes[operand.dtype];
  if (plan.convert_load) {
    plan.convert_load(temporary_[0], from, 1);
    from = temporary_[0];
  }
  plan.fetch(load_pad_[k], from, {1, 1, 1, 0});
  pad(load_pad_[k], load_pad_[k], slot_bytes_, slot_bytes_);
}

// ---- Positions ----

void Worker::locate(std::int64_t position, std::int64_t* index) const {
  for (int d = program_.ndim - 1; d > 0; --d) {
    index[d] = position % program_.shape[d];
    position /= program_.shape[d];
  }
  index[0] = position;
}

std::int64_t Worker::offset_of(const std::int64_t* strides, const std::int64_t* index) const {
  std::int64_t offset = 0;
  for (int d = 0; d < program_.ndim; ++d) offset += index[d] * strides[d];
  return offset;
}

void Worker::advance(std::int64_t* index, std::int64_t count) const {
  int d = program_.ndim - 1;
  index[d] += count;
  while (d > 0 && index[d] >= program_.shape[d]) {
    const std::int64_t carry = index[d] / program_.shape[d];
    index[d] -= carry * program_.shape[d];
    index[--d] += carry;
  }
}

/// Calls f(offset, block) for `count` elements from `index` on: parts of rows, and whole rows of the inner two
/// dimensions.
template <class F>
void Worker::walk(const std::int64_t* strides, const std::int64_t* index, std::int64_t count, F f) const {
  const int last = program_.ndim - 1;
  if (last == 0) {
    f(index[0] * strides[0], Block{count, strides[0], 1, 0});
    return;
  }
  std::int64_t at[XP_MAX_NDIM];
  std::copy_n(index, program_.ndim, at);
  const std::int64_t inner = program_.shape[last], rows = program_.shape[last - 1];
  while (count > 0) {
    const std::int64_t offset = offset_of(strides, at);
    if (at[last] == 0 && count >= inner) {
      const std::int64_t outer = std::min(count / inner, rows - at[last - 1]);
      f(offset, Block{inner, strides[last], outer, strides[last - 1]});
      count -= outer * inner;
      advance(at, outer * inner);
    } else {
      const std::int64_t part = std::min(count, inner - at[last]);
      f(offset, Block{part, strides[last], 1, 0});
      count -= part;
      advance(at, part);
    }
  }
}

// ---- Buffers ----

void Worker::gather(int k, const std::int64_t* index, std::int64_t count) {
  const xp_operand& operand = program_.operands[k];
  const OperandPlan& plan = plan_.operands[k];
  const char* data = static_cast<const char*>(operand.data);
  const std::int64_t size = dtype_sizes[operand.dtype];
  if (!plan.convert_load) {
    char* to = load_pad_[k];
    walk(operand.strides, index, count, [&](std::int64_t offset, const Block& block) {
      plan.fetch(to, data + offset * size, block);
      to += block.inner * block.outer * slot_bytes_;
    });
    return;
  }
  // Memory's dtype -> contiguous -> load_type -> slots; the last two are one where the load_type fills its slot.
  const Copy copy = copy_for(static_cast<int>(size));
  const bool fills = is_native(program_.width, operand.load_type);
  char* to = temporary_[0];
  const char* source = to;
  walk(operand.strides, index, count, [&](std::int64_t offset, const Block& block) {
    if (block.inner_stride == 1 && block.inner * block.outer == count && block.outer == 1) {
      source = data + offset * size;
      return;
    }
    copy(to, data + offset * size, {1, block.inner, block.inner_stride, block.outer_stride}, block.inner, block.outer);
    to += block.inner * block.outer * size;
  });
  char* converted = fills ? load_pad_[k] : temporary_[1];
  plan.convert_load(converted, source, count);
  if (!fills) plan.fetch(load_pad_[k], converted, {count, 1, 1, 0});
}

void Worker::scatter(int k, const std::int64_t* index, std::int64_t count) {
  const xp_operand& operand = program_.operands[k];
  const OperandPlan& plan = plan_.operands[k];
  char* data = static_cast<char*>(operand.data);
  const std::int64_t size = dtype_sizes[operand.dtype];
  const char* from = store_pad_[k];
  if (!plan.convert_store) {
    walk(operand.strides, index, count, [&](std::int64_t offset, const Block& block) {
      plan.spread(data + offset * size, from, block);
      from += block.inner * block.outer * slot_bytes_;
    });
    return;
  }
  plan.spread(temporary_[1], from, {count, 1, 1, 0});
  plan.convert_store(temporary_[0], temporary_[1], count);
  const Copy copy = copy_for(static_cast<int>(size));
  from = temporary_[0];
  walk(operand.strides, index, count, [&](std::int64_t offset, const Block& block) {
    copy(data + offset * size, from, {block.inner_stride, block.outer_stride, 1, block.inner}, block.inner,
         block.outer);
    from += block.inner * block.outer * size;
  });
}

// ---- Pieces ----

void Worker::run_tail(std::int64_t full, std::int64_t rest, std::int64_t position) {
  const std::int64_t begin = full * slot_bytes_, bytes = rest * slot_bytes_;
  char* stores[XP_MAX_OPERANDS];
  for (int k = 0; k < program_.n_operands; ++k) {
    const OperandPlan& plan = plan_.operands[k];
    Slot& load = context_.slots[load_slot + k];
    Slot& store = context_.slots[store_slot + k];
    if (plan.load == Access::direct) {
      pad(load_pad_[k], load.base + begin, bytes, slot_bytes_);
      load.base = load_pad_[k];
    } else if (plan.load == Access::buffered || plan.load == Access::tiled) {
      load.base += begin;
      pad(load.base, load.base, bytes, slot_bytes_);
    }
    if (plan.store == Access::direct) {
      stores[k] = store.base + begin;
      store.base = store_pad_[k];
    } else if (plan.store == Access::buffered || plan.store == Access::tiled) {
      store.base += begin;
    }
  }
  if (plan_.reducer) context_.slots[reduce_slot].base += begin;
  context_.origin = position + full;
  run_blocks(context_, block_bytes);
  for (int i = 0; i < plan_.n_stores; ++i) {
    const int k = plan_.store_order[i];
    if (plan_.operands[k].store == Access::direct)
      std::memcpy(stores[k], store_pad_[k], static_cast<std::size_t>(bytes));
  }
}

void Worker::run_piece(std::int64_t count, std::int64_t position) {
  const std::int64_t rest = count % plan_.block_elements, full = count - rest;
  if (full > 0) {
    context_.origin = position;
    run_blocks(context_, full * slot_bytes_);
  }
  if (rest > 0) run_tail(full, rest, position);
}

void Worker::reduce(std::int64_t position, std::int64_t count, std::int64_t begin, std::int64_t end, char* results) {
  const Reducer& reducer = *plan_.reducer;
  const char* values = reduce_buffer_;
  if (!is_native(program_.width, program_.reduce_type)) {
    spread_for(program_.width, program_.reduce_type)(temporary_[1], values, {count, 1, 1, 0});
    values = temporary_[1];
  }
  // Chunks divide blocks.
  const std::int64_t row = (position - begin) % reduce_block;
  reducer.rows(lanes_, values, count, row == 0);
  if (row + count == reduce_block || position + count == end) {
    reducer.finish(lanes_, std::min(row + count, reduce_lanes));
    std::memcpy(results + position / reduce_block * static_cast<std::int64_t>(reducer.size), lanes_, reducer.size);
  }
}

void Worker::run_flat(std::int64_t begin, std::int64_t end, char* results) {
  auto place = [&](std::int64_t position) {
    for (int k = 0; k < program_.n_operands; ++k) {
      const OperandPlan& plan = plan_.operands[k];
      char* data = static_cast<char*>(program_.operands[k].data) + position * slot_bytes_;
      if (plan.load != Access::unused && plan.load != Access::splat)
        context_.slots[load_slot + k].base = plan.load == Access::direct ? data : load_pad_[k];
      if (plan.store != Access::unused)
        context_.slots[store_slot + k].base = plan.store == Access::direct ? data : store_pad_[k];
    }
  };
  if (!plan_.buffered && !plan_.reducer) {
    place(begin);
    run_piece(end - begin, begin);
    return;
  }
  std::int64_t index[XP_MAX_NDIM];
  locate(begin, index);
  for (std::int64_t position = begin; position < end; position += plan_.chunk_elements) {
    const std::int64_t count = std::min(plan_.chunk_elements, end - position);
    place(position);
    for (int k = 0; k < program_.n_operands; ++k)
      if (plan_.operands[k].load == Access::buffered) gather(k, index, count);
    if (plan_.reducer) context_.slots[reduce_slot].base = reduce_buffer_;
    run_piece(count, position);
    for (int i = 0; i < plan_.n_stores; ++i)
      if (plan_.operands[plan_.store_order[i]].store == Access::buffered) scatter(plan_.store_order[i], index, count);
    if (plan_.reducer) reduce(position, count, begin, end, results);
    advance(index, count);
  }
}

void Worker::run_rows(std::int64_t begin, std::int64_t end) {
  const int last = program_.ndim - 1;
  std::int64_t index[XP_MAX_NDIM];
  locate(begin, index);
  std::int64_t fresh_row = -1;
  for (std::int64_t position = begin; position < end;) {
    std::int64_t count = std::min(program_.shape[last] - index[last], end - position);
    if (plan_.buffered) count = std::min(count, plan_.chunk_elements);
    const bool new_row = fresh_row != position - index[last];
    fresh_row = position - index[last];
    for (int k = 0; k < program_.n_operands; ++k) {
      const OperandPlan& plan = plan_.operands[k];
      const xp_operand& operand = program_.operands[k];
      auto element = [&] { return static_cast<char*>(operand.data) + offset_of(operand.strides, index) * slot_bytes_; };
      Slot& load = context_.slots[load_slot + k];
      if (plan.load == Access::direct) {
        load.base = element();
      } else if (plan.load == Access::buffered) {
        load.base = load_pad_[k];
        gather(k, index, count);
      } else if (plan.load == Access::row_splat && new_row) {
        splat(k, offset_of(operand.strides, index));
      }
      if (plan.store != Access::unused)
        context_.slots[store_slot + k].base = plan.store == Access::direct ? element() : store_pad_[k];
    }
    run_piece(count, position);
    for (int i = 0; i < plan_.n_stores; ++i)
      if (plan_.operands[plan_.store_order[i]].store == Access::buffered) scatter(plan_.store_order[i], index, count);
    position += count;
    advance(index, count);
  }
}

// ---- Tiles: some operand's fastest axis is not the last one ----

void Worker::gather_tile(int k, const std::int64_t* index, std::int64_t rows, std::int64_t columns) {
  const xp_operand& operand = program_.operands[k];
  const std::int64_t size = dtype_sizes[operand.dtype], stride = operand.strides[plan_.tile_axis];
  const std::int64_t column_stride = operand.strides[program_.ndim - 1];
  const char* from = static_cast<const char*>(operand.data) + offset_of(operand.strides, index) * size;
  if (stride == 1 && is_native(program_.width, operand.dtype)) {
    transpose_slots(slot_bytes_, load_pad_[k], plan_.tile_pitch, from, column_stride * size, rows, columns);
    return;
  }
  for (std::int64_t c = 0; c < columns; c += column_group) {
    const std::int64_t group = std::min(column_group, columns - c);
    plan_.operands[k].fetch(columns_, from + c * column_stride * size, {rows, stride, group, column_stride});
    transpose_slots(slot_bytes_, load_pad_[k] + c * slot_bytes_, plan_.tile_pitch, columns_, rows * slot_bytes_, rows,
                    group);
  }
}

void Worker::scatter_tile(int k, const std::int64_t* index, std::int64_t rows, std::int64_t columns) {
  const xp_operand& operand = program_.operands[k];
  const std::int64_t size = dtype_sizes[operand.dtype], stride = operand.strides[plan_.tile_axis];
  const std::int64_t column_stride = operand.strides[program_.ndim - 1];
  char* to = static_cast<char*>(operand.data) + offset_of(operand.strides, index) * size;
  for (std::int64_t c = 0; c < columns; c += column_group) {
    const std::int64_t group = std::min(column_group, columns - c);
    transpose_slots(slot_bytes_, columns_, rows * slot_bytes_, store_pad_[k] + c * slot_bytes_, plan_.tile_pitch, group,
                    rows);
    plan_.operands[k].spread(to + c * column_stride * size, columns_, {rows, stride, group, column_stride});
  }
}

void Worker::run_tile(std::int64_t* index, std::int64_t rows, std::int64_t columns, std::int64_t position,
                      std::int64_t row_positions) {
  const int axis = plan_.tile_axis;
  const std::int64_t first = index[axis];
  std::int64_t offsets[XP_MAX_OPERANDS];
  for (int k = 0; k < program_.n_operands; ++k) {
    offsets[k] = offset_of(program_.operands[k].strides, index);
    if (plan_.operands[k].load == Access::tiled) gather_tile(k, index, rows, columns);
  }
  for (std::int64_t r = 0; r < rows; ++r, ++index[axis], position += row_positions) {
    for (int k = 0; k < program_.n_operands; ++k) {
      const OperandPlan& plan = plan_.operands[k];
      const xp_operand& operand = program_.operands[k];
      const std::int64_t offset = offsets[k] + r * operand.strides[axis];
      auto base = [&](Access access, char* buffer) {
        if (access == Access::direct) return static_cast<char*>(operand.data) + offset * slot_bytes_;
        return access == Access::tiled ? buffer + r * plan_.tile_pitch : buffer;
      };
      if (plan.load == Access::row_splat) {
        if (r == 0 || operand.strides[axis] != 0) splat(k, offset);
      } else if (plan.load != Access::unused && plan.load != Access::splat) {
        context_.slots[load_slot + k].base = base(plan.load, load_pad_[k]);
        if (plan.load == Access::buffered) gather(k, index, columns);
      }
      if (plan.store != Access::unused) context_.slots[store_slot + k].base = base(plan.store, store_pad_[k]);
    }
    run_piece(columns, position);
    for (int i = 0; i < plan_.n_stores; ++i)
      if (plan_.operands[plan_.store_order[i]].store == Access::buffered) scatter(plan_.store_order[i], index, columns);
  }
  index[axis] = first;
  for (int i = 0; i < plan_.n_stores; ++i)
    if (plan_.operands[plan_.store_order[i]].store == Access::tiled)
      scatter_tile(plan_.store_order[i], index, rows, columns);
}

void Worker::run_tiles(std::int64_t begin, std::int64_t end) {
  const int axis = plan_.tile_axis, last = program_.ndim - 1;
  const std::int64_t extent = program_.shape[axis], bands = (extent + tile_rows - 1) / tile_rows;
  std::int64_t row_positions = 1;
  for (int d = axis + 1; d <= last; ++d) row_positions *= program_.shape[d];
  for (std::int64_t band = begin; band < end; ++band) {
    std::int64_t index[XP_MAX_NDIM];
    std::int64_t rest = band / bands;
    for (int d = last - 1; d >= 0; --d) {
      if (d == axis) continue;
      index[d] = rest % program_.shape[d];
      rest /= program_.shape[d];
    }
    index[axis] = band % bands * tile_rows;
    const std::int64_t rows = std::min(tile_rows, extent - index[axis]);
    for (std::int64_t c = 0; c < program_.shape[last]; c += plan_.tile_columns) {
      index[last] = c;
      std::int64_t position = 0;
      for (int d = 0; d <= last; ++d) position = position * program_.shape[d] + index[d];
      run_tile(index, rows, std::min(plan_.tile_columns, program_.shape[last] - c), position, row_positions);
    }
  }
  if (plan_.streams) stream_fence();
  clear_vectors();
}

void Worker::run(std::int64_t begin, std::int64_t end, char* results) {
  if (begin >= end) return;
  if (plan_.by_rows)
    run_rows(begin, end);
  else
    run_flat(begin, end, results);
  if (plan_.streams) stream_fence();
  clear_vectors();
}

}  // namespace xp::kernels
