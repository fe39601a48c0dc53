// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace xp::platform {

/// Whether this process was forked after CUDA was first used: there it does not work in the child.
bool is_forked() noexcept;

}  // namespace xp::platform
