// SPDX-License-Identifier: Apache-2.0
// What the host backend asks of the system.
#pragma once

#include <cstdint>
#include <string>

namespace xp::kernels {

struct MemoryState {
  std::int64_t total, available;  // bytes; the smaller of the machine's and the control group's
};

MemoryState memory_state();
std::string processor_name();
/// Asks for huge pages, or says that the contents no longer matter. Whole pages inside the range only.
void use_huge_pages(void* data, std::uint64_t bytes);
void discard(void* data, std::uint64_t bytes);
/// File names of the OpenMP runtimes in this process, separated by commas, and how many.
int openmp_runtimes(std::string& names);

}  // namespace xp::kernels
