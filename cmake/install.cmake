# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/xparray")
install(TARGETS xparray EXPORT xparrayTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT xparrayTargets NAMESPACE xparray:: DESTINATION "${config_folder}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/xparrayConfig.cmake.in" "${PROJECT_BINARY_DIR}/xparrayConfig.cmake"
                              INSTALL_DESTINATION "${config_folder}")
# Before 1.0 a minor version may break.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/xparrayConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/xparrayConfig.cmake" "${PROJECT_BINARY_DIR}/xparrayConfigVersion.cmake" DESTINATION "${config_folder}")

# find_package() takes the build tree too, with xparray_DIR.
export(EXPORT xparrayTargets NAMESPACE xparray:: FILE "${PROJECT_BINARY_DIR}/xparrayTargets.cmake")

# Relative to the .pc file, so that an install can be moved.
file(RELATIVE_PATH pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/xparray.pc.in" "${PROJECT_BINARY_DIR}/xparray.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/xparray.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
