#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The README's example is the one that is compiled and run.
set -euo pipefail
root=$1
shown=$(sed -n '/^```cpp$/,/^```$/p' "$root/README.md" | sed '1d;$d')
compiled=$(sed '1,2d' "$root/examples/twenty_lines.cpp")
diff <(printf '%s\n' "$shown") <(printf '%s\n' "$compiled")
