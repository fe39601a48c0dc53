// SPDX-License-Identifier: Apache-2.0
// The plain loops that ceilings are measured with.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace bench {

/// Works on `count` doubles from each of a, b and c, as many of them as the loop has operands. `factor` is 1 at run
/// time.
using Loop = void (*)(double* a, double* b, double* c, std::size_t count, double factor);

struct NamedLoop {
  std::string_view name;
  Loop loop;
};

/// The loops of this processor's widest instruction set, ordinary and non-temporal stores apart. Bandwidth depends on
/// bytes, not on dtype, so that doubles stand for every dtype.
struct LoopSet {
  std::string_view isa;
  std::vector<NamedLoop> fill;       // a = 1
  std::vector<NamedLoop> in_place;   // a = a f
  std::vector<NamedLoop> copy;       // b = a
  std::vector<NamedLoop> two_reads;  // c = a + b f; or b = a + b f
};
const LoopSet& loops();

}  // namespace bench
