// SPDX-License-Identifier: Apache-2.0
#include "fusion/lowering.hpp"

#include "device/stats.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace xp::detail {
namespace {

constexpr bool is_instruction(std::uint8_t ref) { return ref < XP_REF_OPERAND; }
constexpr bool is_operand(std::uint8_t ref) { return ref >= XP_REF_OPERAND && ref < XP_REF_CONSTANT; }

}  // namespace

bool all_zero(const Shape& strides) {
  return std::all_of(strides.begin(), strides.end(), [](Index stride) { return stride == 0; });
}

const char* kernel_label(Op op) {
  static const auto& labels = *new std::array<std::string, operation_table.size()>([] {
    std::array<std::string, operation_table.size()> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = "xp::" + std::string(operation_table[i].name);
    return result;
  }());
  return labels[static_cast<std::size_t>(op)].c_str();
}

bool Lowering::select() {
  for (int k = 0; k < r_.entry_count_; ++k) {
    Recorder::Entry& entry = r_.entries_[static_cast<std::size_t>(k)];
    if (!entry.storage || !entry.written || r_.dead(entry)) continue;
    // A view whose value is what it holds already (x.assign(x)).
    if (entry.current == XP_REF_OPERAND + k && entry.load_type == entry.dtype) continue;
    stores_[static_cast<std::size_t>(store_count_++)] = {static_cast<std::uint8_t>(k), entry.current, -1, false};
    stored_ |= 1u << k;
    mark_used(entry.current);
  }
  if (r_.reduce_out_ != nullptr) mark_used(r_.reduce_ref_);
  for (int i = r_.instruction_count_; i-- > 0;) {
    if ((needed_ >> i & 1) == 0) continue;
    const Recorder::Instruction& instruction = r_.instructions_[static_cast<std::size_t>(i)];
    mark_used(instruction.a);
    mark_used(instruction.b);
    mark_used(instruction.c);
  }
  return store_count_ != 0 || r_.reduce_out_ != nullptr;
}

void Lowering::mark_used(Ref ref) {
  if (is_instruction(ref))
    needed_ |= std::uint64_t{1} << ref;
  else if (is_operand(ref))
    loaded_ |= 1u << (ref - XP_REF_OPERAND);
}

int Lowering::take_over_dead_input(Recorder& recorder, Recorder::Entry& output) {
  Storage& target = *get(output.storage);
  for (std::uint32_t rest = recorder.used_slots_; rest != 0; rest &= rest - 1) {
    const int k = std::countr_zero(rest);
    Recorder::Entry& entry = recorder.entries_[static_cast<std::size_t>(k)];
    if (!entry.read) continue;
    Storage& source = *get(entry.storage);
    // One entry means one reference, so that every read of the storage in this program is through this view.
    if (source.block == nullptr || source.bytes != target.bytes || source.exposed() || source.references() != 1)
      continue;
    if (entry.offset != output.offset || itemsize(entry.dtype) != itemsize(output.dtype) ||
        !(recorder.strides_of(entry) == recorder.strides_of(output)))
      continue;
    target.block = std::exchange(source.block, nullptr);
    target.data = target.block->data;  // source.data stays for the reads of this program
    counters().donations.add();
    return k;
  }
  return -1;
}

bool Grants::give(Storage& storage, Recorder::Entry* entry) {
  donor_ = -1;
  if (storage.data != nullptr) return true;
  if (entry != nullptr) donor_ = Lowering::take_over_dead_input(recorder_, *entry);
  if (donor_ < 0) {
    Block* block = recorder_.device_.pool.allocate(storage.bytes);
    if (block == nullptr) return false;
    storage.block = block;
    storage.data = block->data;
  }
  given_[static_cast<std::size_t>(count_++)] = {&storage, donor_};
  return true;
}

void Grants::take_back() noexcept {
  while (count_ > 0) {
    const auto [storage, donor] = given_[static_cast<std::size_t>(--count_)];
    if (donor >= 0)
      get(recorder_.entries_[static_cast<std::size_t>(donor)].storage)->block = storage->block;
    else
      recorder_.device_.pool.release(storage->block);
    storage->block = nullptr;
    storage->data = nullptr;
  }
}

void Lowering::allocate() {
  Grants grants(r_);
  auto give = [&](Storage& storage, Recorder::Entry* entry) {
    if (grants.give(storage, entry)) return;
    Recorder::close_others_for_memory(r_.device_, &r_);
    if (grants.give(storage, entry)) return;
    const std::string message = r_.device_.pool.failure_message(storage.bytes);
    grants.take_back();
    throw OutOfMemoryError(message);
  };
  for (int s = 0; s < store_count_; ++s) {
    Recorder::Entry& entry = r_.entries_[stores_[static_cast<std::size_t>(s)].entry];
    give(*get(entry.storage), &entry);
  }
  if (r_.reduce_out_ != nullptr) give(*r_.reduce_out_, nullptr);
}

void Lowering::find_positions() {
  for (int k = 0; k < r_.entry_count_; ++k) last_read_[static_cast<std::size_t>(k)] = -1;
  for (std::uint64_t rest = needed_; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    last_use_[static_cast<std::size_t>(i)] = -1;
    const Recorder::Instruction& instruction = r_.instructions_[static_cast<std::size_t>(i)];
    for (const Ref ref : {instruction.a, instruction.b, instruction.c}) {
      if (is_instruction(ref))
        last_use_[ref] = static_cast<std::int16_t>(i);
      else if (is_operand(ref))
        last_read_[ref - XP_REF_OPERAND] = static_cast<std::int16_t>(i);
    }
  }
  // Views that overlap are identical here, so one address means one place. A block taken over counts through its
  // address.
  auto address = [this](int k) {
    const Recorder::Entry& entry = r_.entries_[static_cast<std::size_t>(k)];
    return static_cast<const std::byte*>(get(entry.storage)->data) + entry.offset * itemsize(entry.dtype);
  };
  std::uint32_t overwritten = 0;  // loaded entries whose memory is also stored to
  for (int s = 0; s < store_count_; ++s) {
    Store& store = stores_[static_cast<std::size_t>(s)];
    const std::byte* place = address(store.entry);
    for (std::uint32_t rest = loaded_; rest != 0; rest &= rest - 1) {
      const int k = std::countr_zero(rest);
      if (address(k) != place) continue;
      overwritten |= 1u << k;
      store.barrier = std::max(store.barrier, last_read_[static_cast<std::size_t>(k)]);
    }
  }
  // A load that is only stored elsewhere (or reduced) happens at the end; if its memory is overwritten by then, it must
  // come first.
  auto protect = [&](Ref ref) {
    if (!is_operand(ref)) return;
    const int k = ref - XP_REF_OPERAND;
    if ((overwritten >> k & 1) == 0 || (early_ >> k & 1) != 0) return;
    early_ |= 1u << k;
    early_register_[static_cast<std::size_t>(k)] = take_register();
  };
  if (overwritten == 0) return;
  for (int s = 0; s < store_count_; ++s) protect(stores_[static_cast<std::size_t>(s)].value);
  if (r_.reduce_out_ != nullptr) protect(r_.reduce_ref_);
}

std::uint8_t Lowering::take_register() {
  const int index = __builtin_ctz(free_registers_);
  free_registers_ &= free_registers_ - 1;
  register_high_ = std::max(register_high_, index + 1);
  return static_cast<std::uint8_t>(index);
}

void Lowering::release_after(Ref ref, int position) {
  if (!is_instruction(ref) || (in_register_ >> ref & 1) == 0 || last_use_[ref] != position) return;
  free_registers_ |= 1u << register_of_[ref];
  in_register_ &= ~(std::uint64_t{1} << ref);
}

Recorder::Ref Lowering::place(Ref ref) const {
  if (ref == XP_REF_NONE) return ref;
  if (is_operand(ref)) {
    const int k = ref - XP_REF_OPERAND;
    if ((early_ >> k & 1) != 0) return static_cast<Ref>(XP_REF_REGISTER + early_register_[static_cast<std::size_t>(k)]);
    return static_cast<Ref>(XP_REF_OPERAND + operand_of_[static_cast<std::size_t>(k)]);
  }
  if (!is_instruction(ref)) return ref;
  if (accumulator_ == ref) return XP_REF_ACC;
  return static_cast<Ref>(XP_REF_REGISTER + register_of_[ref]);
}

void Lowering::add(Op op, DType type, DType to, std::uint8_t dst, Ref a, Ref b, Ref c) {
  program_.instructions[program_.n_instructions++] = {
      static_cast<std::uint16_t>(op), static_cast<std::uint8_t>(type), dst, a, b, c, static_cast<std::uint8_t>(to)};
}

void Lowering::emit_instructions() {
  program_.n_instructions = 0;
  for (std::uint32_t rest = early_; rest != 0; rest &= rest - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(rest));
    const DType type = r_.entries_[k].load_type;
    add(Op::load, type, type, early_register_[k], static_cast<Ref>(XP_REF_OPERAND + operand_of_[k]));
  }

  // A value is kept in a register unless the next instruction, or an immediate store, is all that wants it.
  constexpr std::int16_t at_end = INT16_MAX;
  auto next_needed = [this](int i) {
    const std::uint64_t later = i == 63 ? 0 : needed_ >> (i + 1);
    return later == 0 ? -1 : i + 1 + std::countr_zero(later);
  };
  bool stores_at_end = false;
  for (int s = 0; s < store_count_; ++s) {
    const Store& store = stores_[static_cast<std::size_t>(s)];
    if (!is_instruction(store.value)) {
      stores_at_end = true;
    } else if (store.barrier > store.value) {
      last_use_[store.value] = at_end;
      stores_at_end = true;
    }
  }
  if (r_.reduce_out_ != nullptr && is_instruction(r_.reduce_ref_)) {
    const bool is_last = next_needed(r_.reduce_ref_) == -1 && !stores_at_end;
    if (!is_last) last_use_[r_.reduce_ref_] = at_end;
  }

  const char* name = nullptr;
  int operations = 0;
  for (std::uint64_t rest = needed_; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const auto index = static_cast<std::size_t>(i);
    const Recorder::Instruction& instruction = r_.instructions_[index];
    const Ref a = place(instruction.a), b = place(instruction.b), c = place(instruction.c);
    release_after(instruction.a, i);
    release_after(instruction.b, i);
    release_after(instruction.c, i);
    std::uint8_t dst = XP_REF_NONE;
    if (last_use_[index] != -1 && last_use_[index] > next_needed(i)) {
      dst = register_of_[index] = take_register();
      in_register_ |= std::uint64_t{1} << i;
    }
    add(instruction.op, instruction.type, instruction.to, dst, a, b, c);
    name = kernel_label(instruction.op);
    ++operations;
    accumulator_ = i;
    for (int s = 0; s < store_count_; ++s) {
      Store& store = stores_[static_cast<std::size_t>(s)];
      if (store.value != i || store.barrier > i) continue;
      const DType type = r_.entries_[store.entry].dtype;
      add(Op::store, type, type, static_cast<std::uint8_t>(XP_REF_OPERAND + operand_of_[store.entry]), XP_REF_ACC);
      store.done = true;
    }
  }
  // The rest: values that had to wait for a read of the memory they overwrite, and plain copies and fills.
  for (int s = 0; s < store_count_; ++s) {
    const Store& store = stores_[static_cast<std::size_t>(s)];
    if (store.done) continue;
    const DType type = r_.entries_[store.entry].dtype;
    add(Op::store, type, type, static_cast<std::uint8_t>(XP_REF_OPERAND + operand_of_[store.entry]),
        is_instruction(store.value) ? static_cast<Ref>(XP_REF_REGISTER + register_of_[store.value])
                                    : place(store.value));
  }
  if (r_.reduce_out_ != nullptr) {
    const Ref ref = r_.reduce_ref_;
    const bool in_register = is_instruction(ref) && (in_register_ >> ref & 1) != 0;
    program_.reduce_ref = in_register ? static_cast<Ref>(XP_REF_REGISTER + register_of_[ref]) : place(ref);
    program_.reduce_type = static_cast<std::uint8_t>(r_.reduce_type_);
    program_.reduce_op = static_cast<std::uint16_t>(Op::sum);
    program_.reduce_out = r_.reduce_out_->data;
    if (operations == 0) name = kernel_label(Op::sum);
  } else {
    program_.reduce_ref = XP_REF_NONE;
    program_.reduce_type = 0;
    program_.reduce_op = 0;
    program_.reduce_out = nullptr;
  }
  if (operations > 1 || (operations == 1 && r_.reduce_out_ != nullptr)) name = "xp::fused";
  program_.label = name != nullptr ? name : kernel_label(Op::store);
}

void Lowering::collapse() {
  const Shape& shape = r_.shape_;
  const int n = program_.n_operands;
  auto entry_of = [this](int operand) -> const Recorder::Entry& {
    return r_.entries_[entry_of_[static_cast<std::size_t>(operand)]];
  };
  bool simple = true;
  for (int o = 0; o < n && simple; ++o) simple = entry_of(o).contiguous || all_zero(entry_of(o).strides);
  if (simple) {
    program_.ndim = 1;
    program_.shape[0] = program_.count;
    for (int o = 0; o < n; ++o) program_.operands[o].strides[0] = entry_of(o).contiguous ? 1 : 0;
    return;
  }

  struct Axis {
    Index extent;
    std::array<Index, Recorder::max_entries> strides;
  };
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    Axis& axis = axes.emplace_back();
    axis.extent = shape[i];
    for (int o = 0; o < n; ++o) axis.strides[static_cast<std::size_t>(o)] = r_.strides_of(entry_of(o))[i];
  }
  bool ordered = program_.reduce_ref != XP_REF_NONE;  // a reduction takes the elements in C order
  for (int i = 0; i < program_.n_instructions; ++i)
    ordered |= program_.instructions[i].op == static_cast<std::uint16_t>(Op::index);
  if (!ordered) {
    // Axes go by the strides of a written operand, so that memory is written in order; then by the others.
    std::vector<std::size_t> by_importance;
    for (int pass = 0; pass < 2; ++pass)
      for (int o = 0; o < n; ++o)
        if (((program_.operands[o].flags & XP_WRITE) != 0) == (pass == 0))
          by_importance.push_back(static_cast<std::size_t>(o));
    auto outside = [&](const Axis& x, const Axis& y) {
      for (const std::size_t o : by_importance) {
        const Index p = std::abs(x.strides[o]), q = std::abs(y.strides[o]);
        if (p != q && p != 0 && q != 0) return p > q;
      }
      return false;
    };
    // Insertion, because a relation that skips broadcast axes is no order that std::sort would accept.
    for (std::size_t i = 1; i < axes.size(); ++i)
      for (std::size_t j = i; j > 0 && outside(axes[j], axes[j - 1]); --j) std::swap(axes[j], axes[j - 1]);
    // An axis that everybody walks backwards is walked forwards.
    for (Axis& axis : axes) {
      bool backwards = false, forwards = false;
      for (int o = 0; o < n; ++o) {
        backwards |= axis.strides[static_cast<std::size_t>(o)] < 0;
        forwards |= axis.strides[static_cast<std::size_t>(o)] > 0;
      }
      if (!backwards || forwards) continue;
      for (int o = 0; o < n; ++o) {
        Index& stride = axis.strides[static_cast<std::size_t>(o)];
        program_.operands[o].data =
            static_cast<std::byte*>(program_.operands[o].data) +
            stride * (axis.extent - 1) * itemsize(static_cast<DType>(program_.operands[o].dtype));
        stride = -stride;
      }
    }
  }
  // Neighbouring axes that every operand walks as one become one.
  std::size_t kept = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    bool merges = true;
    for (int o = 0; o < n; ++o) {
      const auto p = static_cast<std::size_t>(o);
      merges &= axes[kept].strides[p] == axes[i].strides[p] * axes[i].extent;
    }
    if (merges) {
      const Index extent = axes[kept].extent * axes[i].extent;
      axes[kept] = axes[i];
      axes[kept].extent = extent;
    } else {
      axes[++kept] = axes[i];
    }
  }
  const std::size_t count = axes.empty() ? 0 : kept + 1;
  const std::size_t outer = count > XP_MAX_NDIM ? count - XP_MAX_NDIM : 0;
  outer_strides_.resize(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < outer; ++i) {
    outer_shape_.push_back(axes[i].extent);
    program_.count /= axes[i].extent;
    for (std::size_t o = 0; o < outer_strides_.size(); ++o) outer_strides_[o].push_back(axes[i].strides[o]);
  }
  program_.ndim = static_cast<std::uint8_t>(std::max<std::size_t>(count - outer, 1));
  if (count == 0) {
    program_.shape[0] = 1;
    for (int o = 0; o < n; ++o) program_.operands[o].strides[0] = 0;
  }
  for (std::size_t i = outer; i < count; ++i) {
    program_.shape[i - outer] = axes[i].extent;
    for (int o = 0; o < n; ++o) program_.operands[o].strides[i - outer] = axes[i].strides[static_cast<std::size_t>(o)];
  }
}

std::int32_t Lowering::run_slices(int axis, xp_error& error) {
  const Backend& backend = *r_.device_.backend;
  if (axis == static_cast<int>(outer_shape_.size())) {
    counters().kernels.add();
    counters().instructions.add(program_.n_instructions);
    return backend.api->run(r_.device_.handle, &program_, &error);
  }
  std::array<void*, XP_MAX_OPERANDS> first;
  for (int o = 0; o < program_.n_operands; ++o) first[static_cast<std::size_t>(o)] = program_.operands[o].data;
  std::int32_t code = XP_OK;
  for (Index i = 0; i < outer_shape_[static_cast<std::size_t>(axis)] && code == XP_OK; ++i) {
    for (int o = 0; o < program_.n_operands; ++o)
      program_.operands[o].data = static_cast<std::byte*>(first[static_cast<std::size_t>(o)]) +
                                  i * outer_strides_[static_cast<std::size_t>(o)][static_cast<std::size_t>(axis)] *
                                      itemsize(static_cast<DType>(program_.operands[o].dtype));
    code = run_slices(axis + 1, error);
  }
  for (int o = 0; o < program_.n_operands; ++o) program_.operands[o].data = first[static_cast<std::size_t>(o)];
  return code;
}

std::int32_t Lowering::run(xp_error& error) {
  program_.size = sizeof program_;
  program_.width = static_cast<std::uint8_t>(r_.width_);
  program_.n_operands = 0;
  program_.n_constants = static_cast<std::uint8_t>(r_.constant_count_);
  std::copy_n(r_.constants_.begin(), r_.constant_count_, program_.constants);
  for (std::uint32_t rest = loaded_ | stored_; rest != 0; rest &= rest - 1) {
    const int k = std::countr_zero(rest);
    const auto index = static_cast<std::size_t>(k);
    const Recorder::Entry& entry = r_.entries_[index];
    operand_of_[index] = program_.n_operands;
    entry_of_[program_.n_operands] = static_cast<std::uint8_t>(k);
    xp_operand& operand = program_.operands[program_.n_operands++];
    operand.data = static_cast<std::byte*>(get(entry.storage)->data) + entry.offset * itemsize(entry.dtype);
    operand.dtype = static_cast<std::uint8_t>(entry.dtype);
    operand.load_type = static_cast<std::uint8_t>(entry.load_type);
    operand.flags = static_cast<std::uint8_t>((loaded_ >> k & 1 ? XP_READ : 0) | (stored_ >> k & 1 ? XP_WRITE : 0));
  }
  find_positions();
  emit_instructions();
  program_.n_registers = static_cast<std::uint8_t>(register_high_);
  program_.count = r_.count_;
  collapse();
  return run_slices(0, error);
}

// The commonest program, one operation on dense arrays and numbers, without the passes that larger ones need. False
// when it is none of those, with nothing done.
bool Recorder::launch_single(Garbage& garbage) {
  Entry& output = entries_[static_cast<std::size_t>(std::countr_zero(written_slots_))];
  if (instruction_count_ == 1 ? output.current != 0 : output.load_type != output.dtype) return false;
  if (!output.contiguous || !device_.usable()) return false;
  for (std::uint32_t rest = used_slots_; rest != 0; rest &= rest - 1) {
    const Entry& entry = entries_[static_cast<std::size_t>(std::countr_zero(rest))];
    if (!entry.contiguous && !all_zero(entry.strides)) return false;
  }
  if (instruction_count_ == 0 && output.read) return false;
  if (dead(output)) {
    clear(garbage);
    return true;
  }
  if (!Grants(*this).give(*get(output.storage), &output)) return false;

  xp_program program;
  program.size = sizeof program;
  program.width = static_cast<std::uint8_t>(width_);
  program.ndim = 1;
  program.n_operands = 0;
  program.n_constants = static_cast<std::uint8_t>(constant_count_);
  program.n_registers = 0;
  program.reduce_ref = XP_REF_NONE;
  program.reduce_type = 0;
  program.reduce_op = 0;
  program.reduce_out = nullptr;
  program.count = program.shape[0] = count_;
  for (int i = 0; i < constant_count_; ++i) program.constants[i] = constants_[static_cast<std::size_t>(i)];
  std::uint8_t operand_of[max_entries];
  for (std::uint32_t rest = used_slots_; rest != 0; rest &= rest - 1) {
    const int k = std::countr_zero(rest);
    const Entry& entry = entries_[static_cast<std::size_t>(k)];
    operand_of[k] = program.n_operands;
    xp_operand& operand = program.operands[program.n_operands++];
    operand.data = static_cast<std::byte*>(get(entry.storage)->data) + entry.offset * itemsize(entry.dtype);
    operand.strides[0] = entry.contiguous ? 1 : 0;
    operand.dtype = static_cast<std::uint8_t>(entry.dtype);
    operand.load_type = static_cast<std::uint8_t>(entry.load_type);
    operand.flags = static_cast<std::uint8_t>((entry.read ? XP_READ : 0) | (entry.written ? XP_WRITE : 0));
  }
  auto place = [&operand_of](Ref ref) {
    return is_operand(ref) ? static_cast<Ref>(XP_REF_OPERAND + operand_of[ref - XP_REF_OPERAND]) : ref;
  };
  Ref value = place(output.current);
  program.n_instructions = 0;
  program.label = kernel_label(Op::store);
  if (instruction_count_ == 1) {
    const Instruction& only = instructions_[0];
    program.instructions[program.n_instructions++] = {static_cast<std::uint16_t>(only.op),
                                                      static_cast<std::uint8_t>(only.type),
                                                      XP_REF_NONE,
                                                      place(only.a),
                                                      place(only.b),
                                                      place(only.c),
                                                      static_cast<std::uint8_t>(only.to)};
    program.label = kernel_label(only.op);
    value = XP_REF_ACC;
  }
  const auto type = static_cast<std::uint8_t>(output.dtype);
  program.instructions[program.n_instructions++] = {
      static_cast<std::uint16_t>(Op::store),
      type,
      place(static_cast<Ref>(XP_REF_OPERAND + (&output - entries_.data()))),
      value,
      XP_REF_NONE,
      XP_REF_NONE,
      type};
  counters().kernels.add();
  counters().instructions.add(program.n_instructions);
  xp_error error;
  error.size = sizeof error;
  error.message[0] = '\0';
  const std::int32_t code = device_.backend->api->run(device_.handle, &program, &error);
  if (code == XP_OK) [[likely]]
    clear(garbage);
  else
    fail(code, error, garbage);
  return true;
}

}  // namespace xp::detail
