# The only find_package calls of the project. Everything is a Debian package; nothing is downloaded.
set(KGEN_LLVM_MAJOR 22)
set(KGEN_LLVM_ROOT "/usr/lib/llvm-${KGEN_LLVM_MAJOR}" CACHE PATH "Where LLVM and MLIR are installed")

# kgen_need(PACKAGE DEBIAN_PACKAGES args of find_package...): what is missing is reported at the end, all of it at once.
set(kgen_missing "")
macro(kgen_need package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND kgen_missing "${package} (Debian: ${debian})")
  endif()
endmacro()

# The package files accept exact versions only, so the major version is checked by hand.
kgen_need(MLIR "libmlir-22-dev mlir-22-tools llvm-22-dev" CONFIG HINTS "${KGEN_LLVM_ROOT}/lib/cmake/mlir")
if(MLIR_FOUND AND NOT LLVM_VERSION_MAJOR EQUAL KGEN_LLVM_MAJOR)
  message(FATAL_ERROR "kgen needs LLVM and MLIR ${KGEN_LLVM_MAJOR}, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}; "
                      "set KGEN_LLVM_ROOT, or run cmake/develop.sh, which installs it")
endif()
kgen_need(yaml-cpp libyaml-cpp-dev)
kgen_need(fmt libfmt-dev)
kgen_need(nlohmann_json nlohmann-json3-dev)
kgen_need(CLI11 libcli11-dev)
kgen_need(OpenSSL libssl-dev)
kgen_need(ZLIB zlib1g-dev)
kgen_need(Threads libc6-dev)

# For the back end x86 only: Zydis, which disassembles its objects, and libxsmm's generator, for the provider `xsmm`. The package of
# the latter has neither a CMake file nor, in its .pc file, the generator.
if("x86" IN_LIST KGEN_BACKENDS)
  kgen_need(zydis libzydis-dev)
  find_path(KGEN_LIBXSMM_INCLUDE libxsmm_generator.h)
  find_library(KGEN_LIBXSMM_GENERATOR xsmmgen)
  find_library(KGEN_LIBXSMM xsmm)
  find_library(KGEN_LIBXSMM_NOBLAS xsmmnoblas)
  if(NOT KGEN_LIBXSMM_INCLUDE OR NOT KGEN_LIBXSMM_GENERATOR OR NOT KGEN_LIBXSMM OR NOT KGEN_LIBXSMM_NOBLAS)
    list(APPEND kgen_missing "libxsmm 1.17 with its generator (Debian: libxsmm-dev; elsewhere set KGEN_LIBXSMM_INCLUDE, \
KGEN_LIBXSMM_GENERATOR, KGEN_LIBXSMM and KGEN_LIBXSMM_NOBLAS)")
  endif()
endif()
if(KGEN_BUILD_TESTS)
  kgen_need(Catch2 catch2 2)
  # The system's interpreter, which its packages numpy and onnx are for. A wrapper in front of it, such as pyenv's, starts ten times as slowly.
  if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
  endif()
  kgen_need(Python3 python3 COMPONENTS Interpreter)
endif()
if(kgen_missing)
  list(JOIN kgen_missing "\n  " kgen_missing)
  message(FATAL_ERROR "kgen needs, and did not find:\n  ${kgen_missing}\n"
                      "`sh cmake/develop.sh` installs all of it on Debian; without the tests (KGEN_BUILD_TESTS=OFF) less is needed.")
endif()
if("x86" IN_LIST KGEN_BACKENDS)
  add_library(kgen_libxsmm INTERFACE)
  target_include_directories(kgen_libxsmm SYSTEM INTERFACE "${KGEN_LIBXSMM_INCLUDE}")
  # The two archives need each other.
  target_link_libraries(kgen_libxsmm INTERFACE
    "${KGEN_LIBXSMM_GENERATOR}" "${KGEN_LIBXSMM}" "${KGEN_LIBXSMM_NOBLAS}" "${KGEN_LIBXSMM_GENERATOR}"
    Threads::Threads ${CMAKE_DL_LIBS} rt m)
endif()
# Models in ONNX's format are read only where protobuf and its compiler are installed.
find_package(Protobuf QUIET)
if(NOT TARGET protobuf::libprotobuf OR NOT TARGET protobuf::protoc)
  set(Protobuf_FOUND FALSE)
  message(STATUS "kgen is built without ONNX models: no protobuf (Debian: libprotobuf-dev protobuf-compiler)")
endif()
# kgen bench runs on several threads only where pthreadpool is installed.
find_path(KGEN_PTHREADPOOL_INCLUDE pthreadpool.h)
find_library(KGEN_PTHREADPOOL pthreadpool)
if(KGEN_BUILD_TESTS)
  # Benchmarks compare with oneDNN and OpenBLAS where they are installed. oneDNN's own CMake file ends the configuration where
  # OpenCL is missing.
  find_library(KGEN_DNNL dnnl)
  find_library(KGEN_OPENBLAS openblas)
  find_path(KGEN_OPENBLAS_INCLUDE cblas-openblas.h)
endif()
find_program(KGEN_CCACHE ccache)
if(KGEN_CCACHE AND KGEN_IS_TOP_LEVEL)
  # Files that use a precompiled header are cached only if ccache may overlook its time stamps. What is not cached is compiled at once:
  # the compiler says what it read, and a preprocessor before it would read all of MLIR's headers a second time.
  set(launcher "${CMAKE_COMMAND}" -E env
               CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_DEPEND=1 "${KGEN_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
endif()

# All archives: those that register MLIR's dialects and passes need most of them, and the linker takes what is needed.
add_library(kgen_static_llvm INTERFACE)
if(KGEN_STATIC_LLVM)
  file(GLOB kgen_llvm_archives "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/libLLVM*.a")
  list(FILTER kgen_llvm_archives EXCLUDE REGEX "libMLIRCAPI|libMLIR.*Runner")
  target_link_libraries(kgen_static_llvm INTERFACE -Wl,--gc-sections -Wl,--start-group ${kgen_llvm_archives} -Wl,--end-group
                        ZLIB::ZLIB zstd ${CMAKE_DL_LIBS})
endif()

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
