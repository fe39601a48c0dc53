// SPDX-License-Identifier: Apache-2.0
// The memory pool of one device: blocks of slabs, split, merged and kept for reuse.
#pragma once

#include <xp/backend.h>
#include <xp/dtype.hpp>

#include "core/lock.hpp"

#include <array>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace xp::detail {

struct Slab;

/// A piece of a slab; its neighbours in the slab form a list.
struct Block {
  std::byte* data = nullptr;
  std::size_t bytes = 0;  // a multiple of Pool::unit
  Slab* slab = nullptr;
  Block* previous = nullptr;
  Block* next = nullptr;
  Block* next_quick = nullptr;
  bool is_free = false;
  bool advised = false;        // large ones: the system was told that the contents do not matter
  std::uint64_t freed_at = 0;  // large ones: Pool's count of large requests then
};

/// Plain allocations of the device (not a driver's asynchronous allocator, which breaks CUDA-aware MPI) in units of 512
/// bytes. Small blocks go through lists of one exact size; others are taken by best fit, split, and merged with free
/// neighbours. Blocks of 32 MiB and more have a slab of their own, which is not split and is reused for requests within
/// 12.5 % of its size, so that its pages stay where they were first touched.
class Pool {
 public:
  static constexpr std::size_t unit = 512;
  static constexpr std::size_t quick_units = 64;  // exact-size lists up to 32 KiB
  static constexpr std::size_t large = std::size_t{32} << 20;

  void open(const xp_backend* api, xp_device* device, std::string device_name, std::size_t limit);

  /// Null when the device has not enough memory; never throws for that.
  Block* allocate(std::size_t bytes);
  void release(Block* block) noexcept;
  /// Returns slabs without a used block to the device.
  void trim();

  struct Usage {
    std::size_t used, cached, limit;
  };
  Usage usage();
  std::size_t limit() const { return limit_; }
  /// "cannot allocate 8 GiB (asked …)" with all that explains it.
  std::string failure_message(std::size_t bytes);

 private:
  struct BySize {
    bool operator()(const Block* a, const Block* b) const {
      return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
    }
  };

  Block* take(std::size_t bytes);
  Block* new_slab(std::size_t bytes);
  Block* merge_and_insert(Block* block);
  void flush_quick_lists();
  void trim_locked();
  void advise_idle_blocks() noexcept;
  std::size_t slab_bytes_for(std::size_t bytes) const;

  Lock mutex_;
  const xp_backend* api_ = nullptr;
  xp_device* device_ = nullptr;
  std::string device_name_;
  std::string last_failure_;  // what the device said
  std::size_t limit_ = 0;
  std::size_t used_ = 0;
  std::size_t reserved_ = 0;  // in slabs
  std::size_t small_reserved_ = 0;
  std::uint64_t large_requests_ = 0;  // allocations and releases of large blocks
  std::array<Block*, quick_units + 1> quick_{};
  std::set<Block*, BySize> free_;
};

/// "1.5 GiB".
std::string format_bytes(std::size_t bytes);

/// A size as in XP_MEMORY_LIMIT: "8GiB", "500MB", "1e9", "50%" (of `whole`). False when it is none.
bool parse_bytes(const char* text, std::size_t whole, std::size_t& bytes);

}  // namespace xp::detail
