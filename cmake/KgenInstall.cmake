# cmake --install: bin/kgen, bin/kgen-opt if it was built, the package that find_package(kgen) finds, the documentation, a man page,
# examples. cpack, in the build folder: the same as a .deb; cmake/release.sh makes one to give away.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(KGEN_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/kgen")

install(TARGETS kgen RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS kgen-opt RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" OPTIONAL)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/KgenConfig.cmake.in" "${PROJECT_BINARY_DIR}/cmake/install/kgen-config.cmake"
  INSTALL_DESTINATION "${KGEN_PACKAGE_DIR}" PATH_VARS CMAKE_INSTALL_BINDIR)
# The build folder is a package, too: find_package(kgen) finds it beside bin/, if bin/kgen is on the PATH.
file(WRITE "${PROJECT_BINARY_DIR}/cmake/kgen-config.cmake" "\
if(NOT TARGET kgen::kgen)
  add_executable(kgen::kgen IMPORTED)
  set_target_properties(kgen::kgen PROPERTIES IMPORTED_LOCATION \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/kgen\")
endif()
include(\"${PROJECT_SOURCE_DIR}/cmake/KgenAddLibrary.cmake\")
include(\"${PROJECT_SOURCE_DIR}/cmake/KgenExecutors.cmake\")
")
# A kgen of another version may generate other code: 0.x promises compatibility within a minor version only.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/kgen-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/install/kgen-config.cmake" "${PROJECT_BINARY_DIR}/cmake/kgen-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/KgenAddLibrary.cmake" "${PROJECT_SOURCE_DIR}/cmake/KgenCombineObjects.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/KgenVariantTest.c.in" "${PROJECT_SOURCE_DIR}/cmake/KgenExecutors.cmake"
        DESTINATION "${KGEN_PACKAGE_DIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/executors" DESTINATION "${KGEN_PACKAGE_DIR}")
install(FILES "${PROJECT_SOURCE_DIR}/python/kgen_onnx.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/kgen/python")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" "${PROJECT_SOURCE_DIR}/README.md"
              "${PROJECT_SOURCE_DIR}/SECURITY.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# The pages keep the places that their links have; build folders are not among them.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN rationale EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/specs/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}/specs")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/specs/targets" DESTINATION "${CMAKE_INSTALL_DATADIR}/kgen" FILES_MATCHING PATTERN "*.yaml")
set(KGEN_EXAMPLES "${CMAKE_INSTALL_DOCDIR}/examples")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/specs/graphs/" DESTINATION "${KGEN_EXAMPLES}"
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.safetensors" PATTERN "*.npy")
install(FILES "${PROJECT_SOURCE_DIR}/demo/digits.c" "${PROJECT_SOURCE_DIR}/demo/text_art.h" DESTINATION "${KGEN_EXAMPLES}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/demo/samples" DESTINATION "${KGEN_EXAMPLES}" FILES_MATCHING PATTERN "*.txt")
# What Debian wants to know of a package: its license, and what is new.
install(FILES "${PROJECT_SOURCE_DIR}/cmake/copyright" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
find_program(KGEN_GZIP gzip)
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DKGEN=$<TARGET_FILE:kgen>\" \"-DOUTPUT=\${prefix}/${CMAKE_INSTALL_MANDIR}/man1/kgen.1\"
                          -P \"${PROJECT_SOURCE_DIR}/cmake/KgenManPage.cmake\" COMMAND_ERROR_IS_FATAL ANY)
  file(COPY \"${PROJECT_BINARY_DIR}/cmake/install/changelog\" DESTINATION \"\${prefix}/${CMAKE_INSTALL_DOCDIR}\")")
if(KGEN_GZIP)
  install(CODE "
    set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    execute_process(COMMAND \"${KGEN_GZIP}\" -9nf \"\${prefix}/${CMAKE_INSTALL_MANDIR}/man1/kgen.1\" \"\${prefix}/${CMAKE_INSTALL_DOCDIR}/changelog\"
                    COMMAND_ERROR_IS_FATAL ANY)")
endif()

set(CPACK_PACKAGE_CONTACT "the authors of kgen <kgen@example.org>") # Debian wants a maintainer, who has no address yet
configure_file("${PROJECT_SOURCE_DIR}/cmake/changelog.in" "${PROJECT_BINARY_DIR}/cmake/install/changelog" @ONLY)

if(KGEN_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME kgen)
  set(CPACK_PACKAGE_VENDOR "the authors of kgen")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiles model graphs to plain C static libraries")
  set(CPACK_PACKAGE_DESCRIPTION "kgen turns a model, in ONNX or as a graph in YAML, into a C static library:
 a header, machine code for several CPU levels, and a table that picks the best level when the program starts.")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "cmake, gcc | clang")
  # The packages of the shared libraries that bin/kgen needs. Without dpkg-dev the largest of them stands for all.
  find_program(KGEN_SHLIBDEPS dpkg-shlibdeps)
  if(KGEN_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libmlir-${KGEN_LLVM_MAJOR}")
  endif()
  include(CPack)
endif()
