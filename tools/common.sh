# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What tools/run, tools/test and .ci/run share. To be sourced.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

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
  command -v ninja >/dev/null 2>&1 || generator=(-G "Unix Makefiles")
  if ! (cd "$root" && cmake --preset "$preset" ${generator[@]+"${generator[@]}"}) >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  if ((first)); then grep -E 'Kokkos [0-9].*:|SLEEF:' "$log" | sed 's/^[- ]*//' || true; fi
  (cd "$root" && cmake --build "build/$preset" "$@")
}
