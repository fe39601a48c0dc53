#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The layer rule: no Kokkos and no CUDA above the backends, except the opt-in header for users who have a Kokkos.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if hits=$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"](Kokkos|KokkosKernels|cuda|cub/|thrust/|cublas|cusolver|curand|cufft|device_launch)' include src |
  grep -v '^include/xp/kokkos\.hpp:'); then
  printf 'Kokkos or CUDA above the backends:\n%s\n' "$hits" >&2
  exit 1
fi
# Includes point down: the public headers know nothing of the sources, nor the sources of the backends.
if hits=$(grep -rnE '#[[:space:]]*include[[:space:]]*"(core|fusion|ops|io|device|backends|kernels)/' include) ||
  hits=$(grep -rnE '#[[:space:]]*include[[:space:]]*"(backends|kernels)/' src); then
  printf 'an include that points up:\n%s\n' "$hits" >&2
  exit 1
fi
