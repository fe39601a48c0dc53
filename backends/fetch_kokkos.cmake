# SPDX-License-Identifier: Apache-2.0
#
# A Kokkos of our own from upstream's release: static and hidden, so that it never meets another one in a program.
include(FetchContent)
set(XP_KOKKOS_VERSION 5.2.2 CACHE STRING "Release of Kokkos to fetch")
FetchContent_Declare(kokkos URL "https://github.com/kokkos/kokkos/archive/refs/tags/${XP_KOKKOS_VERSION}.tar.gz")

set(BUILD_SHARED_LIBS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
set(Kokkos_ENABLE_SERIAL OFF CACHE BOOL "")
set(Kokkos_ENABLE_DEPRECATION_WARNINGS OFF CACHE BOOL "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(APPEND CMAKE_CXX_FLAGS " -fno-gnu-unique")
endif()
FetchContent_MakeAvailable(kokkos)
get_directory_property(Kokkos_VERSION DIRECTORY "${kokkos_SOURCE_DIR}" DEFINITION Kokkos_VERSION)
set(Kokkos_DIR "${kokkos_SOURCE_DIR}")
