# kgen_library(NAME sources... [DEPENDS libs...] [MLIR]): a static library of the generator.
# With MLIR it shares one precompiled header (generator/mlir.pch.h).
function(kgen_library name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  kgen_compile_settings(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC kgen_mlir)
    kgen_precompile_mlir(${name})
  endif()
endfunction()

# kgen_passes(LIBRARY NAME): declares the passes of Passes.td in this folder as Passes.h.inc, and registerKgenNAMEPasses(). Who includes that
# links the library, and waits for the file.
function(kgen_passes library name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  set_property(DIRECTORY PROPERTY INCLUDE_DIRECTORIES ${MLIR_INCLUDE_DIRS} "${PROJECT_SOURCE_DIR}/generator")
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name Kgen${name})
  add_public_tablegen_target(${library}_passes_inc)
  add_dependencies(${library} ${library}_passes_inc)
endfunction()

# With Clang only: GCC's precompiled header has 1 GB, and reading it takes longer than compiling without it.
function(kgen_precompile_mlir name)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_precompile_headers(${name} REUSE_FROM kgen_pch)
  endif()
endfunction()

function(kgen_compile_settings name)
  target_compile_features(${name} PUBLIC cxx_std_17)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  if(KGEN_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 40)
    # kgen spends 96 % of its time in the libraries of LLVM and MLIR: more than this makes only the build longer, by a half. With sanitizers -O1 does, too.
    set(level 1)
    if(KGEN_SANITIZE)
      set(level 0)
    endif()
    target_compile_options(${name} PRIVATE "$<$<CONFIG:Release>:-O${level}>")
  endif()
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  # kgen reads files of strangers. A distribution's own flags may have defined the macro; sanitizers check more than it does.
  target_compile_options(${name} PRIVATE -fstack-protector-strong -D_GLIBCXX_ASSERTIONS -U_FORTIFY_SOURCE)
  if(NOT KGEN_SANITIZE)
    target_compile_options(${name} PRIVATE "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>")
  endif()
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/generator" "${PROJECT_BINARY_DIR}/generator")
  # Without a time stamp in the precompiled header ccache can serve the files that use it.
  # libstdc++ 12 marks what its own stable_sort uses as deprecated, and Clang reports it for each use.
  target_compile_options(
    ${name} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp -Wno-deprecated-declarations>")
endfunction()
