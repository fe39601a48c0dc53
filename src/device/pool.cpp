// SPDX-License-Identifier: Apache-2.0
#include "device/pool.hpp"

#include "device/stats.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace xp::detail {

struct Slab {
  void* data = nullptr;
  std::size_t bytes = 0;
  bool is_large = false;
};

std::string format_bytes(std::size_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t i = 0;
  while (value >= 1024 && i + 1 < std::size(units)) {
    value /= 1024;
    ++i;
  }
  char text[32];
  std::snprintf(text, sizeof text, i == 0 ? "%.0f %s" : "%.2f %s", value, units[i]);
  return text;
}

bool parse_bytes(const char* text, std::size_t whole, std::size_t& bytes) {
  char* end = nullptr;
  // Digits only: strtod would take "inf", "0x10" and signs too.
  if (text[std::strspn(text, "0123456789.eE")] == 'x' || (*text != '.' && (*text < '0' || *text > '9'))) return false;
  const double number = std::strtod(text, &end);
  if (end == text || !std::isfinite(number)) return false;
  std::string_view unit = end;
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  static constexpr std::pair<std::string_view, double> factors[] = {
      {"", 1},     {"B", 1},      {"K", 1024.},    {"KiB", 1024.}, {"KB", 1e3},   {"M", 0x1p20},   {"MiB", 0x1p20},
      {"MB", 1e6}, {"G", 0x1p30}, {"GiB", 0x1p30}, {"GB", 1e9},    {"T", 0x1p40}, {"TiB", 0x1p40}, {"TB", 1e12}};
  if (unit == "%") {
    bytes = static_cast<std::size_t>(static_cast<double>(whole) * number / 100);
    return number <= 100;
  }
  for (const auto& [name, factor] : factors) {
    if (unit == name) {
      bytes = static_cast<std::size_t>(std::min(number * factor, 0x1p62));
      return number * factor <= 0x1p62;
    }
  }
  return false;
}

void Pool::open(const xp_backend* api, xp_device* device, std::string device_name, std::size_t limit) {
  api_ = api;
  device_ = device;
  device_name_ = std::move(device_name);
  limit_ = limit;
}

Block* Pool::allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const std::size_t rounded = std::max<std::size_t>((bytes + unit - 1) / unit, 1) * unit;
  const std::lock_guard lock(mutex_);
  Block* block = take(rounded);
  if (block == nullptr) return nullptr;
  block->is_free = false;
  used_ += block->bytes;
  large_requests_ += block->slab->is_large;
  counters().allocations.add();
  counters().bytes_allocated.add(bytes);
  return block;
}

Block* Pool::take(std::size_t bytes) {
  const std::size_t units = bytes / unit;
  if (units <= quick_units && quick_[units] != nullptr) {
    Block* block = quick_[units];
    quick_[units] = block->next_quick;
    return block;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    Block key;
    key.bytes = bytes;
    for (auto place = free_.lower_bound(&key); place != free_.end(); ++place) {
      Block* block = *place;
      if (bytes >= large) {
        if (block->bytes > bytes + bytes / 8) break;
        if (!block->slab->is_large) continue;
      } else if (block->slab->is_large) {
        continue;
      }
      free_.erase(place);
      if (!block->slab->is_large && block->bytes > bytes) {
        auto* rest = new Block;
        rest->data = block->data + bytes;
        rest->bytes = block->bytes - bytes;
        rest->slab = block->slab;
        rest->previous = block;
        rest->next = block->next;
        rest->is_free = true;
        if (block->next) block->next->previous = rest;
        block->next = rest;
        block->bytes = bytes;
        free_.insert(rest);
      }
      return block;
    }
    // Only now: merging the quick lists costs more than a hit, less than a slab.
    if (attempt == 0) flush_quick_lists();
  }
  Block* block = new_slab(bytes);
  if (block == nullptr) return nullptr;
  if (block->slab->is_large || block->bytes == bytes) return block;
  block->is_free = true;
  free_.insert(block);
  return take(bytes);
}

std::size_t Pool::slab_bytes_for(std::size_t bytes) const {
  if (bytes >= large) return bytes;
  // Slabs grow with use: a program with small arrays never asks for more than 2 MiB.
  const std::size_t step = std::size_t{2} << 20;
  const std::size_t wanted = std::clamp(small_reserved_, step, large);
  return std::max((bytes + step - 1) / step * step, wanted / step * step);
}

Block* Pool::new_slab(std::size_t bytes) {
  const std::size_t slab_bytes = slab_bytes_for(bytes);
  for (const std::size_t size : {slab_bytes, bytes}) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      void* data = nullptr;
      bool fits = size <= limit_ && reserved_ <= limit_ - size;
      if (fits) {
        xp_error error{sizeof error, XP_OK, {}};
        fits = api_->allocate(device_, size, &data, &error) == XP_OK;
        if (!fits) last_failure_ = error.message;
      } else {
        last_failure_.clear();
      }
      if (fits) {
        auto slab = std::make_unique<Slab>(Slab{data, size, size >= large && bytes >= large});
        auto block = std::make_unique<Block>();
        block->data = static_cast<std::byte*>(data);
        block->bytes = size;
        reserved_ += size;
        if (!slab->is_large) small_reserved_ += size;
        counters().slabs.add();
        block->slab = slab.release();
        return block.release();
      }
      if (attempt == 0) trim_locked();
    }
  }
  return nullptr;
}

void Pool::release(Block* block) noexcept {
  const std::lock_guard lock(mutex_);
  used_ -= block->bytes;
  const std::size_t units = block->bytes / unit;
  if (units <= quick_units) {
    block->next_quick = quick_[units];
    quick_[units] = block;
    return;
  }
  block = merge_and_insert(block);
  if (!block->slab->is_large) return;
  block->advised = false;
  block->freed_at = ++large_requests_;
  advise_idle_blocks();
}

// The system may take the pages of idle blocks back when it is short of memory. Told at once, that would cost a loop
// that allocates and releases the same block up to a millisecond per 100 MB each time; so a block must have been passed
// over for a while.
void Pool::advise_idle_blocks() noexcept {
  constexpr std::uint64_t patience = 8;
  for (auto place = free_.rbegin(); place != free_.rend() && (*place)->bytes >= large; ++place) {
    Block* block = *place;
    if (!block->slab->is_large || block->advised || large_requests_ - block->freed_at < patience) continue;
    api_->advise_idle(device_, block->data, block->bytes);
    block->advised = true;
  }
}

Block* Pool::merge_and_insert(Block* block) {
  block->is_free = true;
  auto absorb = [this](Block* left, Block* right) {
    left->bytes += right->bytes;
    left->next = right->next;
    if (right->next) right->next->previous = left;
    delete right;
  };
  if (Block* next = block->next; next && next->is_free) {
    free_.erase(next);
    absorb(block, next);
  }
  if (Block* previous = block->previous; previous && previous->is_free) {
    free_.erase(previous);
    absorb(previous, block);
    block = previous;
  }
  free_.insert(block);
  return block;
}

void Pool::flush_quick_lists() {
  for (Block*& list : quick_) {
    while (list != nullptr) {
      Block* block = list;
      list = block->next_quick;
      merge_and_insert(block);
    }
  }
}

void Pool::trim_locked() {
  flush_quick_lists();
  std::vector<Block*> whole;
  for (Block* block : free_)
    if (block->previous == nullptr && block->next == nullptr) whole.push_back(block);
  for (Block* block : whole) {
    xp_error error{sizeof error, XP_OK, {}};
    free_.erase(block);
    reserved_ -= block->slab->bytes;
    if (!block->slab->is_large) small_reserved_ -= block->slab->bytes;
    api_->deallocate(device_, block->slab->data, &error);
    delete block->slab;
    delete block;
  }
}

void Pool::trim() {
  const std::lock_guard lock(mutex_);
  trim_locked();
}

Pool::Usage Pool::usage() {
  const std::lock_guard lock(mutex_);
  return {used_, reserved_ - used_, limit_};
}

std::string Pool::failure_message(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::string message = "out of memory on " + device_name_ + ": asked for " + format_bytes(bytes) + " (" +
                        std::to_string(bytes) + " bytes), " + format_bytes(used_) + " used by arrays, " +
                        format_bytes(reserved_ - used_) + " cached, limit " + format_bytes(limit_);
  if (!last_failure_.empty()) message += "; " + last_failure_;
  return message;
}

}  // namespace xp::detail
