# kgen_library(NAME sources... [DEPENDS libs...] [MLIR]): a static library of the generator.
# With MLIR it shares one precompiled header (generator/mlir.pch.h).
function(kgen_library name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  kgen_compile_settings(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC kgen_mlir)
    target_precompile_headers(${name} REUSE_FROM kgen_pch)
  endif()
endfunction()

function(kgen_compile_settings name)
  target_compile_features(${name} PUBLIC cxx_std_17)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/generator" "${PROJECT_BINARY_DIR}/generator")
  # -fpch-preprocess and a fixed seed let ccache serve files that use a precompiled header.
  target_compile_options(${name} PRIVATE -fpch-preprocess)
endfunction()
