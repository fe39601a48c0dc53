// SPDX-License-Identifier: Apache-2.0
// Fused programs on the host: chooses the kernel, the threads and the parts.
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "kernels/launch_host.hpp"
#include "kernels/program.hpp"
#include "kernels/program_checks.hpp"
#include "kernels/single_host.hpp"
#include "kernels/worker_host.hpp"

namespace xp::kernels {
namespace {

/// Scratch up to this size lies on the stack, which costs nothing; more is kept per thread.
constexpr std::size_t stack_scratch = 16 << 10;

/// What a thread keeps from program to program. Reached through a plain pointer in the initial-exec model: reading it
/// is one load, where a thread_local of a loaded library is a call; and it can be told apart from one whose thread is
/// ending, where the front end still launches what is recorded.
struct Kept;
[[gnu::tls_model("initial-exec")]] thread_local Kept* kept = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local bool thread_ends = false;

struct Scratch {
  std::unique_ptr<char[]> block;
  std::size_t size = 0;

  char* at_least(std::size_t bytes) {
    constexpr std::size_t alignment = 4096;
    if (size < bytes) {
      size = 0;
      block.reset(new char[bytes + alignment]);
      size = bytes;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(block.get());
    return block.get() + (alignment - address % alignment) % alignment;
  }
};

/// The last small program of a thread, its plan, and the worker that runs it. A loop runs the same program on other
/// data again and again, and for ten elements all this takes longer than computing. Plans of small programs do not
/// depend on addresses: those decide only about stores that pass the caches.
struct Planned {
  static constexpr std::int64_t most = 4096;  // elements
  bool valid = false;
  xp_program program;
  Plan plan;
  Scratch scratch;
  std::optional<Worker> worker;  // of a program without a reduction, for one thread

  bool suits(const xp_program& p) const {
    if (!valid || p.count != program.count || p.width != program.width || p.n_operands != program.n_operands ||
        p.n_instructions != program.n_instructions || p.n_constants != program.n_constants ||
        p.n_registers != program.n_registers || p.reduce_ref != program.reduce_ref ||
        p.reduce_type != program.reduce_type || p.reduce_op != program.reduce_op)
      return false;
    if (std::memcmp(p.instructions, program.instructions, p.n_instructions * sizeof(xp_instruction)) != 0) return false;
    for (int k = 0; k < p.n_operands; ++k) {
      const xp_operand &a = p.operands[k], &b = program.operands[k];
      if (a.strides[0] != b.strides[0] || a.dtype != b.dtype || a.load_type != b.load_type || a.flags != b.flags)
        return false;
    }
    return true;
  }

  /// Takes over what another program of the same structure has of its own.
  void adopt(const xp_program& p) {
    for (int k = 0; k < p.n_operands; ++k) program.operands[k].data = p.operands[k].data;
    const std::size_t bytes = p.n_constants * sizeof(xp_constant);
    const bool same = bytes == 0 || std::memcmp(p.constants, program.constants, bytes) == 0;
    if (!same) std::memcpy(program.constants, p.constants, bytes);
    program.reduce_out = p.reduce_out;
    program.label = p.label;
    if (worker) worker->renew(!same);
  }

  void make() {
    worker.reset();
    if (plan.reducer || plan.tile_axis >= 0 || plan.serial_ns >= parallel_threshold_ns) return;
    worker.emplace(plan, scratch.at_least(scratch_bytes(plan)));
  }
};

struct Kept {
  Planned planned;
  Scratch scratch;
};

/// Null when there is no memory for it or the thread is ending.
Kept* kept_by_thread() {
  struct Owner {
    std::unique_ptr<Kept> pointer{new (std::nothrow) Kept};
    ~Owner() {
      thread_ends = true;
      kept = nullptr;
    }
  };
  if (kept != nullptr || thread_ends) return kept;
  thread_local Owner owner;
  return kept = owner.pointer.get();
}

void run_part(const Plan& plan, Range range, char* results) {
  if (range.begin >= range.end) return;
  const std::size_t bytes = scratch_bytes(plan);
  alignas(64) char stack[stack_scratch];
  Scratch own;
  char* scratch = stack;
  if (bytes > stack_scratch) {
    Kept* keeper = kept_by_thread();
    scratch = (keeper != nullptr ? keeper->scratch : own).at_least(bytes);
  }
  Worker worker(plan, scratch);
  if (plan.tile_axis >= 0)
    worker.run_tiles(range.begin, range.end);
  else
    worker.run(range.begin, range.end, results);
}

std::int32_t run_plan(const Plan& plan) {
  const xp_program& program = *plan.program;
  const int parts = parts_for(plan.serial_ns);
  if (!plan.reducer) {
    const bool tiles = plan.tile_axis >= 0;
    const std::int64_t grain = tiles ? 1 : plan.chunk_elements, count = tiles ? plan.tile_bands : program.count;
    launch(label_of(program), parts, [&](int part) { run_part(plan, part_of(count, grain, part, parts), nullptr); });
    return XP_OK;
  }
  const std::int64_t blocks = (program.count + reduce_block - 1) / reduce_block;
  constexpr std::int64_t few = 256;
  alignas(16) char few_results[few * 16];
  std::unique_ptr<char[]> many_results;
  char* results = few_results;
  if (blocks > few) {
    many_results.reset(new char[static_cast<std::size_t>(blocks) * plan.reducer->size]);
    results = many_results.get();
  }
  launch(label_of(program), parts,
         [&](int part) { run_part(plan, part_of(program.count, reduce_block, part, parts), results); });
  combine(*plan.reducer, results, blocks);
  __builtin_memcpy(program.reduce_out, results, plan.reducer->size);
  return XP_OK;
}

}  // namespace

std::int32_t run_program(xp_device&, const xp_program& program, xp_error* error) {
  if (const std::int32_t code = check_bounds(program, error)) return code;
  FloatingPointScope floating_point;
  if (program.count == 0) {
    if (program.reduce_ref != XP_REF_NONE && program.reduce_out && program.reduce_type < XP_DTYPE_COUNT)
      __builtin_memset(program.reduce_out, 0, dtype_sizes[program.reduce_type]);
    return XP_OK;
  }
  if (run_single(program)) return XP_OK;
  if (program.ndim == 1 && program.count <= Planned::most) {
    if (Kept* keeper = kept_by_thread()) {
      Planned& last = keeper->planned;
      if (last.suits(program)) {
        last.adopt(program);
      } else {
        last.valid = false;
        std::memcpy(&last.program, &program, sizeof program);
        if (const std::int32_t code = make_plan(last.program, last.plan, error)) return code;
        last.make();
        last.valid = true;
      }
      if (!last.worker) return run_plan(last.plan);
      last.worker->run(0, program.count, nullptr);
      return XP_OK;
    }
  }
  Plan plan;
  if (const std::int32_t code = make_plan(program, plan, error)) return code;
  return run_plan(plan);
}

}  // namespace xp::kernels
