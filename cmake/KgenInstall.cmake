# cmake --install: bin/kgen, and the package that find_package(kgen) finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(KGEN_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/kgen")

set_target_properties(kgen PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS kgen RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/KgenConfig.cmake.in" "${PROJECT_BINARY_DIR}/cmake/kgen-config.cmake"
  INSTALL_DESTINATION "${KGEN_PACKAGE_DIR}" PATH_VARS CMAKE_INSTALL_BINDIR)
# A kgen of another version may generate other code: 0.x promises compatibility within a minor version only.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/kgen-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/kgen-config.cmake" "${PROJECT_BINARY_DIR}/cmake/kgen-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/KgenAddLibrary.cmake" "${PROJECT_SOURCE_DIR}/cmake/KgenCombineObjects.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/KgenVariantTest.c.in" "${PROJECT_SOURCE_DIR}/cmake/KgenExecutors.cmake"
        DESTINATION "${KGEN_PACKAGE_DIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/executors" DESTINATION "${KGEN_PACKAGE_DIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
