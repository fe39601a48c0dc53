# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tools and .ci/run share. To be sourced.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

have() { command -v "$1" >/dev/null 2>&1; }

# A kernel source takes up to 2 GB to compile.
parallel_jobs() {
  local cores memory
  cores=$(nproc 2>/dev/null || echo 1)
  memory=$(awk '/^MemTotal/ { print int($2 / 2097152) }' /proc/meminfo 2>/dev/null || echo 1)
  ((memory < cores)) && cores=$memory
  echo $((cores > 0 ? cores : 1))
}
CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(parallel_jobs)}
export CMAKE_BUILD_PARALLEL_LEVEL

# build_preset PRESET [CMAKE_BUILD_ARGUMENT...]: configure and build, into build/PRESET. Of the configuration only what was found
# is shown, the first time, unless it fails.
build_preset() {
  local preset=$1 log=$root/build/$1/configure.log generator=() first=1
  shift
  mkdir -p "$root/build/$preset"
  [[ ! -e $root/build/$preset/CMakeCache.txt ]] || first=0
  have ninja || generator=(-G "Unix Makefiles")
  if ! (cd "$root" && cmake --preset "$preset" ${generator[@]+"${generator[@]}"}) >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  if ((first)); then grep -E 'Kokkos [0-9].*:|SLEEF:' "$log" | sed 's/^[- ]*//' || true; fi
  (cd "$root" && cmake --build "build/$preset" "$@")
}

# clang-tidy before 17 knows neither all of today's C++ library nor our use of __builtin_cpu_supports().
find_clang_tidy() {
  local name version
  for name in clang-tidy clang-tidy-{19,20,21,22,18,17}; do
    have "$name" || continue
    version=$("$name" --version | grep -oE 'version [0-9]+')
    ((${version#version } >= 17)) && echo "$name" && return 0
  done
  return 1
}
