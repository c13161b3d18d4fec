# kgen_add_library(): a static C library from a spec, an ONNX model or an MLIR file. Works with a kgen that is built in the same project
# (add_subdirectory), with an installed one (find_package) and with KGEN_EXECUTABLE, which wins over both.
#
#   kgen_add_library(<name>            the spec's `library:`; makes the target <name> and its alias <name>::<name>
#     SPEC <file>                      edits of the spec, its weights and targets, and of kgen itself regenerate
#     [DIMS <dimension=size>...]       in place of sizes in the spec's `dims`, batch=8
#     [TARGETS <name|file>...]         instead of the spec's
#     [TARGET_PATH <dir>...]           where else to look for targets
#     [GRAPHS <name>...]               see below
#     [PROVIDER name]                  who makes the micro-kernels, as in kgen generate --provider
#     [OUTPUT_DIR <dir>]               the library folder, default <current binary dir>/<name>
#     [CHECKED_IN <dir>]               use this committed folder, and add the test <name>.drift, instead of generating
#     [EMIT asm|llvm|mlir...]          beside the library, into <OUTPUT_DIR>.<kind>
#     [PYTHON]                         the target <name>_python, too: <OUTPUT_DIR>.python/<name>.py and the shared library that it calls
#     [TESTS]                          tests <name>.<variant> that compare with plainly compiled loops (KgenVariantTest.c.in)
#     [LAUNCHER <command>...])         put before each compilation, to spread them over machines
#
#   kgen_add_library(<name>            the library's; its function is <name>_run
#     ONNX <file>                      a model, whose edits and those of its external data regenerate
#     [DIMS <dimension=size>...]       sizes of symbolic dimensions, batch=1, or of an input's axis, input:0=1
#     [VALUES <input=number|file>...]  inputs that become constants, sr=16000 or pads=pads.npy
#     [OUTPUTS <value>...]             these values instead of the model's outputs, as --outputs
#     [INPUTS <value>...]              these values as inputs, as --inputs
#     [EXTERNS <op=symbol>...]         operators that become calls of C functions, NonMaxSuppression=my_nms, as --extern
#     ...)                             and all but GRAPHS as above; without TARGETS those that suit the model
#
#   kgen_add_library(<name>            the library's; its functions are <name>_<function>
#     MLIR <file>                      a file with functions on tensors (docs/MLIR.md)
#     [FUNCTIONS <name>...]            these alone, as --function; default: all public ones
#     [DIMS <dimension=size>...]       sizes, batch=8, or of an argument's axis, x:0=8
#     ...)                             and all but GRAPHS as for SPEC; without TARGETS as for ONNX
#
# Targets are those of the architecture that the C compiler compiles for, a cross compiler's as well: of a spec's or of TARGETS
# others are left out, and default ones are its own. It is an error if none is left; likewise for its operating system, which a spec
# without `systems` need not name. CHECKED_IN takes a folder of several.
#
# Each (graph, target) is compiled by its own edge of the build. The list of them is asked of kgen when CMake runs; a kgen
# that is part of the same build cannot be asked then: unless GRAPHS and TARGETS say what there is, one edge compiles all. TARGETS
# are of one architecture then, besides graphics cards.
include_guard(GLOBAL)
# A plain variable of the project wins: set(CACHE) would drop it before CMake 3.21.
if(NOT DEFINED KGEN_EXECUTABLE)
  set(KGEN_EXECUTABLE "" CACHE FILEPATH "The kgen to run, for example a host's when cross-compiling; empty: found or built")
endif()

function(kgen_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "PYTHON;TESTS;BENCHMARKS" "SPEC;ONNX;MLIR;PROVIDER;OUTPUT_DIR;CHECKED_IN"
                        "DIMS;VALUES;OUTPUTS;INPUTS;EXTERNS;FUNCTIONS;TARGETS;TARGET_PATH;GRAPHS;EMIT;LAUNCHER")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kgen_add_library(${name}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "kgen_add_library(${name}): no value for: ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  _kgen_check_source(${name})
  if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "kgen_add_library(${name}): the name is that of the library, a C identifier: letters, digits and _, and a letter first")
  endif()
  if(ARG_BENCHMARKS)
    message(FATAL_ERROR "kgen_add_library(${name}): BENCHMARKS is not supported yet")
  endif()
  foreach(kind IN LISTS ARG_EMIT)
    if(NOT kind MATCHES "^(asm|llvm|mlir)$")
      message(FATAL_ERROR "kgen_add_library(${name}): EMIT ${kind}: expected asm, llvm or mlir")
    endif()
  endforeach()
  _kgen_absolute(spec "${ARG_SPEC}${ARG_ONNX}${ARG_MLIR}")
  if(NOT EXISTS "${spec}")
    message(FATAL_ERROR "kgen_add_library(${name}): there is no ${spec}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${spec}")
  if(ARG_SPEC)
    _kgen_check_library(${name})
  endif()

  _kgen_find_executable(${name})
  set(generate "${kgen_command}" generate "${spec}")
  foreach(binding IN LISTS ARG_DIMS)
    list(APPEND generate --dim "${binding}")
  endforeach()
  if(ARG_ONNX OR ARG_MLIR)
    _kgen_model_arguments(${name})
  endif()
  if(ARG_PROVIDER)
    list(APPEND generate --provider "${ARG_PROVIDER}")
  endif()
  if(ARG_PYTHON)
    list(APPEND generate --python)
  endif()
  foreach(target IN LISTS ARG_TARGETS)
    if(target MATCHES "/|\\.yaml$")
      _kgen_absolute(target "${target}")
    endif()
    list(APPEND generate --target "${target}")
  endforeach()
  foreach(directory IN LISTS ARG_TARGET_PATH)
    _kgen_absolute(directory "${directory}")
    list(APPEND generate --target-path "${directory}")
  endforeach()

  if(ARG_CHECKED_IN)
    _kgen_absolute(folder "${ARG_CHECKED_IN}")
    set(parts "")
    _kgen_checked_in(${name} "${folder}")
  endif()
  _kgen_compiled_architecture(architecture)
  if(architecture)
    list(APPEND generate --architecture ${architecture})
  endif()
  _kgen_compiled_system(system)
  if(architecture AND NOT architecture STREQUAL wasm32)
    list(APPEND generate --system ${system})
  endif()
  if(NOT ARG_CHECKED_IN)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
    if(ARG_OUTPUT_DIR)
      get_filename_component(folder "${ARG_OUTPUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    _kgen_list_parts(parts ${name})
    _kgen_generated(${name} ${name} "${folder}" "${parts}")
  endif()
  if(ARG_TESTS)
    _kgen_tests(${name} "${parts}")
  endif()
  foreach(kind IN LISTS ARG_EMIT)
    _kgen_emit(${name} ${kind} "${CMAKE_CURRENT_BINARY_DIR}/${name}.${kind}")
  endforeach()
endfunction()

# The functions below read the variables of kgen_add_library(): ARG_*, spec, generate, kgen_command, kgen_depends.

macro(_kgen_absolute variable path)
  get_filename_component(${variable} "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
endmacro()

# A spec, a model or an MLIR file, and what belongs to one of them only.
function(_kgen_check_source name)
  set(sources ${ARG_SPEC} ${ARG_ONNX} ${ARG_MLIR})
  list(LENGTH sources count)
  if(count GREATER 1)
    message(FATAL_ERROR "kgen_add_library(${name}): SPEC, ONNX and MLIR exclude each other; a spec has models as graphs with `onnx:` or `mlir:`")
  elseif(count EQUAL 0)
    message(FATAL_ERROR "kgen_add_library(${name}): SPEC <file> is missing, or ONNX <file>, or MLIR <file>")
  elseif(ARG_SPEC MATCHES "\\.(onnx|mlir)$")
    string(TOUPPER "${CMAKE_MATCH_1}" keyword)
    message(FATAL_ERROR "kgen_add_library(${name}): SPEC ${ARG_SPEC}: expected a spec in YAML; write ${keyword} ${ARG_SPEC}")
  elseif(ARG_VALUES AND NOT ARG_ONNX)
    message(FATAL_ERROR "kgen_add_library(${name}): VALUES are for ONNX; a graph with `onnx:` has `values:`")
  elseif((ARG_INPUTS OR ARG_OUTPUTS OR ARG_EXTERNS) AND NOT ARG_ONNX)
    message(FATAL_ERROR "kgen_add_library(${name}): INPUTS, OUTPUTS and EXTERNS are for ONNX")
  elseif(ARG_FUNCTIONS AND NOT ARG_MLIR)
    message(FATAL_ERROR "kgen_add_library(${name}): FUNCTIONS are for MLIR; a graph with `mlir:` has `function:`")
  elseif(ARG_ONNX AND ARG_GRAPHS)
    message(FATAL_ERROR "kgen_add_library(${name}): GRAPHS is for SPEC; the graph of a model is `run`")
  elseif(ARG_MLIR AND ARG_GRAPHS)
    message(FATAL_ERROR "kgen_add_library(${name}): GRAPHS is for SPEC; FUNCTIONS chooses among those of an MLIR file")
  elseif(ARG_ONNX AND NOT ARG_ONNX MATCHES "\\.onnx$")
    message(FATAL_ERROR "kgen_add_library(${name}): ONNX ${ARG_ONNX}: expected a file whose name ends in .onnx")
  elseif(ARG_MLIR AND NOT ARG_MLIR MATCHES "\\.mlir$")
    message(FATAL_ERROR "kgen_add_library(${name}): MLIR ${ARG_MLIR}: expected a file whose name ends in .mlir")
  endif()
  foreach(binding IN LISTS ARG_DIMS ARG_VALUES)
    if(NOT binding MATCHES ".=.")
      message(FATAL_ERROR "kgen_add_library(${name}): ${binding}: expected <dimension>=<size> or <input>=<number>")
    endif()
  endforeach()
endfunction()

# The name of the target is that of the spec's library, which the files are called after. A line `library:` of the spec itself is
# looked for here; KgenCombineObjects.cmake sees the others.
function(_kgen_check_library name)
  file(STRINGS "${spec}" lines REGEX "^library:" LIMIT_COUNT 1)
  if(lines MATCHES "^library:[ \t]*[\"']?([A-Za-z0-9_]+)" AND NOT CMAKE_MATCH_1 STREQUAL name)
    message(FATAL_ERROR "kgen_add_library(${name}): the library of ${spec} is called ${CMAKE_MATCH_1}; "
                        "write kgen_add_library(${CMAKE_MATCH_1} ...), or `library: ${name}` in the spec")
  endif()
endfunction()

# What kgen generate is told of a model or an MLIR file. Paths of values are relative to the CMakeLists.txt, as all others there.
macro(_kgen_model_arguments name)
  list(APPEND generate --library ${name})
  foreach(binding IN LISTS ARG_VALUES)
    if(binding MATCHES "^(.*)=([^=]*\\.(npy|pb))$")
      set(kgen_input "${CMAKE_MATCH_1}")
      _kgen_absolute(kgen_value "${CMAKE_MATCH_2}")
      set(binding "${kgen_input}=${kgen_value}")
    endif()
    list(APPEND generate --value "${binding}")
  endforeach()
  foreach(kind IN ITEMS INPUTS OUTPUTS EXTERNS FUNCTIONS)
    string(TOLOWER "--${kind}" kgen_option)
    string(REGEX REPLACE "(extern|function)s$" "\\1" kgen_option "${kgen_option}")
    foreach(value IN LISTS ARG_${kind})
      list(APPEND generate "${kgen_option}" "${value}")
    endforeach()
  endforeach()
  if(NOT kgen_runs_now AND ARG_ONNX)
    set(ARG_GRAPHS run) # with TARGETS, all parts are known
  elseif(NOT kgen_runs_now)
    set(ARG_GRAPHS "${ARG_FUNCTIONS}")
  endif()
endmacro()

# kgen_command runs kgen, kgen_depends are what a custom command that runs it depends on, and kgen_runs_now says whether it can
# run while CMake configures.
macro(_kgen_find_executable name)
  set(kgen_runs_now TRUE)
  if(KGEN_EXECUTABLE)
    if(NOT EXISTS "${KGEN_EXECUTABLE}" OR IS_DIRECTORY "${KGEN_EXECUTABLE}")
      message(FATAL_ERROR "kgen_add_library(${name}): KGEN_EXECUTABLE is no program: ${KGEN_EXECUTABLE}")
    endif()
    set(kgen_command "${KGEN_EXECUTABLE}")
    set(kgen_depends "${KGEN_EXECUTABLE}")
  elseif(NOT TARGET kgen::kgen)
    message(FATAL_ERROR "kgen_add_library(${name}): no kgen; use find_package(kgen), add_subdirectory or KGEN_EXECUTABLE")
  else()
    get_target_property(kgen_imported kgen::kgen IMPORTED)
    if(kgen_imported)
      get_target_property(kgen_command kgen::kgen LOCATION)
      set(kgen_depends "${kgen_command}")
    elseif(CMAKE_CROSSCOMPILING)
      message(FATAL_ERROR "kgen_add_library(${name}): when cross-compiling, set KGEN_EXECUTABLE to a kgen of this machine")
    else()
      set(kgen_runs_now FALSE)
      set(kgen_command "$<TARGET_FILE:kgen::kgen>")
      get_target_property(kgen_depends kgen::kgen ALIASED_TARGET)
    endif()
  endif()
endmacro()

# What the C compiler compiles for, by its macros: what a toolchain file says of the system may be anything. Nothing if kgen has no
# targets for it.
function(_kgen_compiled_architecture result)
  include(CheckCSourceCompiles)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing has to be linked
  set(${result} "" PARENT_SCOPE)
  foreach(architecture IN ITEMS x86_64 aarch64 wasm32 riscv64)
    set(condition "defined(__${architecture}__)")
    if(architecture STREQUAL riscv64)
      set(condition "defined(__riscv) && __riscv_xlen == 64")
    endif()
    check_c_source_compiles("#if !(${condition})
#error
#endif
int main(void) { return 0; }" KGEN_COMPILES_FOR_${architecture})
    if(KGEN_COMPILES_FOR_${architecture})
      set(${result} ${architecture} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The operating system that the C compiler compiles for, likewise.
function(_kgen_compiled_system result)
  include(CheckCSourceCompiles)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  check_c_source_compiles("#ifndef _WIN32
#error
#endif
int main(void) { return 0; }" KGEN_COMPILES_FOR_windows)
  check_c_source_compiles("#ifndef __APPLE__
#error
#endif
int main(void) { return 0; }" KGEN_COMPILES_FOR_macos)
  set(${result} linux PARENT_SCOPE)
  foreach(system IN ITEMS windows macos)
    if(KGEN_COMPILES_FOR_${system})
      set(${result} ${system} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# The target from a committed folder, and the test that it is what kgen would generate.
function(_kgen_checked_in name folder)
  if(NOT EXISTS "${folder}/${name}.manifest.json")
    list(SUBLIST generate 1 -1 arguments)
    list(JOIN arguments " " arguments)
    message(FATAL_ERROR "kgen_add_library(${name}): CHECKED_IN ${folder} has no ${name}.manifest.json; generate it with\n"
                        "  kgen ${arguments} -o ${folder}")
  endif()
  add_subdirectory("${folder}" "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  file(GLOB assembly "${folder}/objects/*.s" "${folder}/*/objects/*.s")
  if(assembly)
    list(APPEND generate --emit asm)
  endif()
  add_test(NAME ${name}.drift COMMAND ${generate} -o "${folder}" --check)
endfunction()

# The target from a folder that is generated during the build; extra arguments go to kgen.
function(_kgen_generated target name folder parts)
  list(APPEND generate ${ARGN})
  set(header "${folder}/${name}.h")
  set(source "${folder}/${name}.c")
  set(manifest "${folder}/${name}.manifest.json")
  set(objects "${folder}.objects.o")
  set(wasm_linker "")
  if(architecture STREQUAL wasm32)
    find_program(KGEN_WASM_LINKER wasm-ld REQUIRED DOC "LLVM's linker for WebAssembly")
    set(wasm_linker "${KGEN_WASM_LINKER}")
  endif()
  if(CMAKE_C_COMPILER_ID STREQUAL MSVC OR CMAKE_C_SIMULATE_ID STREQUAL MSVC)
    message(FATAL_ERROR "kgen_add_library(${name}): linkers of MSVC do not join objects: run kgen generate --system windows, "
                        "and add_subdirectory its folder")
  endif()
  set(combine "${CMAKE_COMMAND}" "-DNAME=${name}" "-DFOLDER=${folder}" "-DCOMPILER=${CMAKE_C_COMPILER}" "-DOUTPUT=${objects}"
              "-DTARGET=${CMAKE_C_COMPILER_TARGET}" "-DVISIBILITY=$<IF:$<BOOL:${ARG_PYTHON}>,default,hidden>" "-DWASM_LINKER=${wasm_linker}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KgenCombineObjects.cmake")
  if(parts)
    _kgen_part_edges(part_files "${folder}.parts" "${parts}")
    add_custom_command(
      OUTPUT "${manifest}" "${header}" "${source}" "${objects}"
      COMMAND ${generate} -o "${folder}" --parts "${folder}.parts" --quiet
      COMMAND ${combine}
      DEPENDS ${part_files} "${spec}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KgenCombineObjects.cmake" ${kgen_depends}
      COMMENT "Generating library ${target}" VERBATIM)
  else()
    add_custom_command(
      OUTPUT "${manifest}" "${header}" "${source}" "${objects}"
      COMMAND ${ARG_LAUNCHER} ${generate} -o "${folder}" --depfile "${folder}.d" --quiet
      COMMAND ${combine}
      DEPENDS "${spec}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KgenCombineObjects.cmake" ${kgen_depends}
      DEPFILE "${folder}.d"
      COMMENT "Generating library ${target}" VERBATIM)
  endif()
  set_source_files_properties("${objects}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target} STATIC "${source}" "${header}" "${objects}")
  add_library(${target}::${target} ALIAS ${target})
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON
                                             C_VISIBILITY_PRESET hidden PUBLIC_HEADER "${header}")
  if(UNIX AND NOT wasm_linker) # of graphics cards; nothing where libc has it
    target_link_libraries(${target} PUBLIC ${CMAKE_DL_LIBS})
  endif()
  if(wasm_linker)
    # Copies are instructions. The stack is a part of memory; how much of it there is, is known when kgen has run.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -mbulk-memory)
    target_link_options(${target} INTERFACE "@${objects}.link")
  endif()
  if(ARG_PYTHON AND target STREQUAL name)
    _kgen_python(${name} "${folder}" "${source};${header};${objects}")
  endif()
endfunction()

# The module, and beside it the shared library. It shows what the header declares: all else is static or hidden by its declaration.
function(_kgen_python name folder sources)
  add_library(${name}_python SHARED ${sources})
  add_dependencies(${name}_python ${name}) # one of them generates
  set_target_properties(${name}_python PROPERTIES C_STANDARD 11 C_EXTENSIONS ON OUTPUT_NAME ${name} PREFIX lib SUFFIX .so
                                                    LIBRARY_OUTPUT_DIRECTORY "${folder}.python")
  target_link_libraries(${name}_python PRIVATE ${CMAKE_DL_LIBS}) # of graphics cards
  add_custom_command(TARGET ${name}_python POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${folder}/${name}.py" "$<TARGET_FILE_DIR:${name}_python>" VERBATIM)
endfunction()

# True if a target's file is a graphics card's. Its kernels are made with the library, not in parts.
function(_kgen_is_card result target)
  set(kind "")
  set(files "")
  if(target MATCHES "/|\\.yaml$")
    set(files "${target}")
  endif()
  foreach(directory IN LISTS ARG_TARGET_PATH ITEMS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../specs/targets")
    list(APPEND files "${directory}/${target}.yaml")
  endforeach()
  foreach(file IN LISTS files)
    _kgen_absolute(file "${file}")
    if(EXISTS "${file}" AND NOT IS_DIRECTORY "${file}")
      file(STRINGS "${file}" kind REGEX "^kind: *[\"']?gpu[\"']?( .*)?$")
      break()
    endif()
  endforeach()
  if(kind)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Lines "graph:target", or nothing if they cannot be known yet.
function(_kgen_list_parts result name)
  set(parts "")
  if(ARG_GRAPHS AND ARG_TARGETS AND NOT kgen_runs_now)
    foreach(target IN LISTS ARG_TARGETS)
      _kgen_is_card(is_card "${target}")
      if(is_card)
        continue()
      endif()
      get_filename_component(target "${target}" NAME)
      string(REGEX REPLACE "\\.yaml$" "" target "${target}")
      foreach(graph IN LISTS ARG_GRAPHS)
        list(APPEND parts "${graph}:${target}")
      endforeach()
    endforeach()
  elseif(kgen_runs_now)
    execute_process(COMMAND ${generate} --list-parts OUTPUT_VARIABLE lines ERROR_VARIABLE errors RESULT_VARIABLE failed)
    if(NOT failed MATCHES "^[0-9]+$")
      message(FATAL_ERROR "kgen_add_library(${name}): kgen cannot be run: ${failed}\n  ${kgen_command}\n"
                          "Is KGEN_EXECUTABLE a kgen of this machine?")
    elseif(failed AND NOT errors MATCHES ": error: ")
      message(FATAL_ERROR "kgen_add_library(${name}): exit code ${failed} of ${kgen_command}\n${errors}"
                          "Is KGEN_EXECUTABLE a kgen of this version?")
    elseif(failed)
      message(FATAL_ERROR "kgen_add_library(${name}): ${spec} has errors:\n${errors}")
    endif()
    string(STRIP "${lines}" lines)
    string(REPLACE "\n" ";" parts "${lines}")
  endif()
  set(${result} "${parts}" PARENT_SCOPE)
endfunction()

# One command for each part; the result are the files that it writes (packed weights, named by their contents, aside).
function(_kgen_part_edges result directory parts)
  set(files "")
  foreach(part IN LISTS parts)
    string(REPLACE ":" "." stem "${part}")
    set(file "${directory}/objects/${stem}.json")
    add_custom_command(
      OUTPUT "${file}"
      BYPRODUCTS "${directory}/objects/${stem}.o"
      COMMAND ${ARG_LAUNCHER} ${generate} --only "${part}" -o "${directory}" -j 1 --depfile "${directory}/${stem}.d" --quiet
      DEPENDS "${spec}" ${kgen_depends}
      DEPFILE "${directory}/${stem}.d"
      COMMENT "Compiling ${part}" VERBATIM)
    list(APPEND files "${file}" "${directory}/objects/${stem}.o")
  endforeach()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

# What the compiler made on the way, for reading.
function(_kgen_emit name kind folder)
  add_custom_command(
    OUTPUT "${folder}.stamp"
    COMMAND ${generate} --emit ${kind} -o "${folder}" --quiet
    COMMAND "${CMAKE_COMMAND}" -E touch "${folder}.stamp"
    DEPENDS "${spec}" ${kgen_depends}
    COMMENT "Emitting ${kind} of ${name}" VERBATIM)
  add_custom_target(${name}_${kind} ALL DEPENDS "${folder}.stamp")
endfunction()

# Each variant on seeded inputs against the same spec compiled without optimizations. One test a variant where the variants are
# known, else one for all.
function(_kgen_tests name parts)
  string(TOUPPER "${name}" NAME)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KgenVariantTest.c.in" "${base}.test.c" @ONLY)
  _kgen_generated(${name}_reference ${name} "${base}.reference" "" --reference)
  foreach(library ${name} ${name}_reference)
    add_executable(${library}_outputs "${base}.test.c")
    target_link_libraries(${library}_outputs PRIVATE ${library} m)
    set_target_properties(${library}_outputs PROPERTIES C_STANDARD 11)
  endforeach()
  set(file "${base}.reference.bin")
  add_test(NAME ${name}.reference COMMAND ${name}_reference_outputs write "${file}")
  set_tests_properties(${name}.reference PROPERTIES FIXTURES_SETUP ${name}.reference SKIP_RETURN_CODE 77)
  list(TRANSFORM parts REPLACE ".*:" "")
  list(REMOVE_DUPLICATES parts)
  foreach(variant IN LISTS parts)
    add_test(NAME ${name}.${variant} COMMAND ${name}_outputs compare "${file}" ${variant})
    set_tests_properties(${name}.${variant} PROPERTIES FIXTURES_REQUIRED ${name}.reference SKIP_RETURN_CODE 77)
  endforeach()
  if(NOT parts)
    add_test(NAME ${name}.variants COMMAND ${name}_outputs compare "${file}")
    set_tests_properties(${name}.variants PROPERTIES FIXTURES_REQUIRED ${name}.reference SKIP_RETURN_CODE 77)
  endif()
endfunction()
