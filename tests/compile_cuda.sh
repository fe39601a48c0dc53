#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/compile_cuda.sh [KOKKOS_INCLUDE_FOLDER [BUILD_FOLDER]]
#
# Compiles the CUDA backend's sources with nvcc for sm_80 and sm_90 (from one intermediate code, whose making takes most of the
# time), without linking: for machines that have a toolkit, but no Kokkos with CUDA. The headers of any Kokkos do, of which a
# copy is configured for CUDA. The flags are those of the real build, since it is backends/CMakeLists.txt that compiles
# (XP_CUDA_KOKKOS_HEADERS). Exit status 77: there is no nvcc or no Kokkos.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${2:-$root/build/compile_cuda}
skip() { printf 'compile_cuda: skipped: %s\n' "$*" && exit 77; }

PATH=$PATH:/usr/local/cuda/bin
nvcc=$(command -v nvcc) || skip "there is no nvcc, neither in PATH nor in /usr/local/cuda/bin"
headers=${1:-}
if [[ -z $headers ]]; then
  kokkos=$(cmake -P "$root/backends/find_kokkos.cmake")
  kokkos=${kokkos% (*}
  for folder in "${kokkos%/lib*/cmake/Kokkos}"/include{/kokkos,}; do
    [[ -n $kokkos && -e $folder/Kokkos_Core.hpp ]] && headers=$folder && break
  done
fi
[[ -e $headers/Kokkos_Core.hpp ]] || skip "no Kokkos headers were found (tools/setup provides some)"

# The generated headers say which spaces there are.
copy=$build/include
mkdir -p "$build"
rm -rf "$copy"
cp -rL "$headers" "$copy"
printf '#include <fwd/Kokkos_Fwd_SERIAL.hpp>\n#include <fwd/Kokkos_Fwd_CUDA.hpp>\n' >"$copy/KokkosCore_Config_FwdBackend.hpp"
printf '#include <decl/Kokkos_Declare_SERIAL.hpp>\n#include <decl/Kokkos_Declare_CUDA.hpp>\n' >"$copy/KokkosCore_Config_DeclareBackend.hpp"
printf '#include <setup/Kokkos_Setup_Cuda.hpp>\n' >"$copy/KokkosCore_Config_SetupBackend.hpp"
sed -i -E -e '/define KOKKOS_ENABLE_(OPENMP|THREADS|HPX)$/d' \
  -e 's#/\* \#undef (KOKKOS_ENABLE_(CUDA|SERIAL)|KOKKOS_ARCH_AMPERE(80)?) \*/#\#define \1#' "$copy/KokkosCore_config.h"
sed -i 's#/\* \#undef DESUL_ATOMICS_ENABLE_CUDA \*/#\#define DESUL_ATOMICS_ENABLE_CUDA#' "$copy/desul/atomics/Config.hpp"

generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
cmake -S "$root/backends" -B "$build/objects" ${generator[@]+"${generator[@]}"} -DXP_BACKEND=cuda "-DXP_CUDA_KOKKOS_HEADERS=$copy" \
  "-DCMAKE_CUDA_COMPILER=$nvcc" -DCMAKE_CUDA_ARCHITECTURES=OFF \
  "-DCMAKE_CUDA_FLAGS=-gencode=arch=compute_80,code=[sm_80,sm_90]" -DCMAKE_BUILD_TYPE=Release >"$build/configure.log" 2>&1 ||
  { cat "$build/configure.log" >&2 && exit 1; }
cmake --build "$build/objects" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc 2>/dev/null || echo 1)}"
