// SPDX-License-Identifier: Apache-2.0
// Runs an xp_program by its definition, one element after the other, after checking everything the ABI promises.
#pragma once

#include <xp/backend.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace fake {

/// A program that breaks a promise of the ABI.
struct InvalidProgram : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Gives the real address of `bytes` bytes of device memory, or null when they do not lie within one live block.
using Resolve = std::function<unsigned char*(std::uintptr_t address, std::uint64_t bytes)>;

void run_program(const xp_program& program, const Resolve& resolve);

}  // namespace fake
