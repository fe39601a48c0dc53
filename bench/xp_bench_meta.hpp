// SPDX-License-Identifier: Apache-2.0
// What results were measured with, for the "meta" of JSON files.
#pragma once

#include <xp/xp.hpp>

#include "xp_bench_json.hpp"

namespace bench {

/// Library, version, commit, date and processor.
Json describe_run();
/// Environment variables that change what is measured.
Json describe_environment();
/// A device and the backend that it belongs to.
Json describe_device(xp::Device device);

}  // namespace bench
