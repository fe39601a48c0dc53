# SPDX-License-Identifier: Apache-2.0
#
# Builds each entry of XP_BACKENDS as a CMake project of its own: they need different Kokkos installs, compilers and languages,
# which one CMake scope cannot hold. It is configured here, at once, so that what it found or lacks is seen when configuring.

set(XP_HOST_ISA "" CACHE STRING "x86-64 variants of the host backend: any of v4;v3;baseline (default all)")
set(XP_HOST_KOKKOS_ROOT "" CACHE PATH "Prefix of the host backend's Kokkos (default: searched for)")
set(XP_CUDA_KOKKOS_ROOT "" CACHE PATH "Prefix of the CUDA backend's Kokkos (default: searched for)")
option(XP_FETCH_KOKKOS "Take the host backend's Kokkos from upstream even if one is installed" OFF)

# Ninja has no job server between builds: the backend's own one must be told. A kernel source takes up to 2 GB.
cmake_host_system_information(RESULT xp_cores QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT xp_memory QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR xp_jobs "${xp_memory} / 2048")
if(xp_jobs GREATER xp_cores)
  set(xp_jobs ${xp_cores})
elseif(xp_jobs LESS 1)
  set(xp_jobs 1)
endif()
set(XP_BACKEND_JOBS ${xp_jobs} CACHE STRING "Parallel compile jobs of a backend's build")

foreach(backend IN LISTS XP_BACKENDS)
  set(tree "${PROJECT_BINARY_DIR}/backends/${backend}")
  set(settings "set(XP_BACKEND [==[${backend}]==] CACHE STRING \"\" FORCE)\n")
  string(APPEND settings "set(XP_OUTPUT_DIR [==[${CMAKE_LIBRARY_OUTPUT_DIRECTORY}]==] CACHE PATH \"\" FORCE)\n")
  string(APPEND settings "set(CMAKE_EXPORT_COMPILE_COMMANDS ON CACHE BOOL \"\" FORCE)\n")
  foreach(
    variable IN
    ITEMS CMAKE_BUILD_TYPE
          CMAKE_CUDA_ARCHITECTURES
          CMAKE_CUDA_COMPILER
          CMAKE_CXX_COMPILER
          CMAKE_CXX_FLAGS
          CMAKE_CXX_FLAGS_DEBUG
          CMAKE_INSTALL_LIBDIR
          CMAKE_MAKE_PROGRAM
          CMAKE_PREFIX_PATH
          CMAKE_TOOLCHAIN_FILE
          FETCHCONTENT_FULLY_DISCONNECTED
          FETCHCONTENT_SOURCE_DIR_KOKKOS
          Kokkos_DIR
          Kokkos_ROOT
          XP_CUDA_KOKKOS_ROOT
          XP_FETCH_KOKKOS
          XP_HOST_ISA
          XP_HOST_KOKKOS_ROOT
          XP_SANITIZE
          XP_WERROR)
    if(DEFINED ${variable} AND NOT "${${variable}}" STREQUAL "")
      string(APPEND settings "set(${variable} [==[${${variable}}]==] CACHE STRING \"\" FORCE)\n")
    else()
      string(APPEND settings "unset(${variable} CACHE)\n")
    endif()
  endforeach()
  file(WRITE "${tree}/settings.cmake" "${settings}")

  message(STATUS "Backend ${backend}:")
  list(APPEND CMAKE_MESSAGE_INDENT "  ")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${PROJECT_SOURCE_DIR}/backends" -B "${tree}" -G "${CMAKE_GENERATOR}" -C "${tree}/settings.cmake"
    RESULT_VARIABLE status)
  list(POP_BACK CMAKE_MESSAGE_INDENT)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "The backend '${backend}' cannot be configured; the message above says why.")
  endif()

  if(CMAKE_GENERATOR MATCHES "Make")
    set(build "$(MAKE)" -C "${tree}")
  else()
    set(build "${CMAKE_COMMAND}" --build "${tree}" -j ${XP_BACKEND_JOBS})
  endif()
  add_custom_target(
    xparray_backend_${backend} ALL
    COMMAND ${build}
    COMMENT "Backend ${backend}"
    USES_TERMINAL VERBATIM)
  # Whoever builds only their program, with xparray as a subfolder, needs the backends at run time.
  add_dependencies(xparray xparray_backend_${backend})
  install(CODE "execute_process(
    COMMAND \"${CMAKE_COMMAND}\" --install \"${tree}\" --prefix \"\${CMAKE_INSTALL_PREFIX}\" --component xparray_backend
    COMMAND_ERROR_IS_FATAL ANY)")
endforeach()
