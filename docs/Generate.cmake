# Writes Dialects.md, Passes.md, Operators.md and Heuristics.md into OUTPUT; with COMMITTED, fails unless that folder holds the same.
#
#   cmake -D TBLGEN=mlir-tblgen -D KGEN=kgen -D SOURCE=<tree> -D MLIR_INCLUDE=<folder> -D OUTPUT=<folder>
#         [-D COMMITTED=<folder>] -P Generate.cmake
cmake_minimum_required(VERSION 3.20)

# run(VARIABLE command...): what the command prints.
function(run variable)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command} failed (${status}): ${errors}")
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# tblgen(VARIABLE file options...): documentation from a .td file, without what belongs to a web site.
function(tblgen variable file)
  run(text "${TBLGEN}" ${ARGN} -I "${MLIR_INCLUDE}" -I "${SOURCE}/generator" "${SOURCE}/generator/${file}")
  string(REGEX REPLACE "<!--[^\n]*-->\n" "" text "${text}")
  string(REPLACE "[TOC]\n" "" text "${text}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
  string(STRIP "${text}" text)
  set(${variable} "${text}\n" PARENT_SCOPE)
endfunction()

# publish(FILE title text): writes the file, and compares it with the committed one.
function(publish file title text)
  file(WRITE "${OUTPUT}/${file}"
       "<!-- Generated: edit what it is made from, then run `cmake --build build --target kgen_docs`. -->\n# ${title}\n\n${text}")
  if(NOT COMMITTED)
    return()
  endif()
  file(READ "${OUTPUT}/${file}" now)
  file(READ "${COMMITTED}/${file}" then)
  if(NOT now STREQUAL then)
    message(FATAL_ERROR "docs/${file} is out of date; renew it: cmake --build build --target kgen_docs")
  endif()
endfunction()

function(publish_dialects)
  set(all "")
  foreach(name Kgen Template Tpp Ukernel Bench)
    string(TOLOWER ${name} mnemonic)
    set(folder dialect/${mnemonic})
    if(name STREQUAL Template)
      set(folder templates/dialect)
    endif()
    tblgen(text ${folder}/${name}.td -gen-dialect-doc -dialect=${mnemonic})
    if(name STREQUAL Kgen)
      tblgen(named dialect/kgen/NamedOps.td -gen-op-doc -dialect=kgen)
      string(REPLACE "\n## Attributes" "\n## Operators by name\n\n${named}\n## Attributes" text "${text}")
    endif()
    string(REGEX REPLACE "\n(#+ )" "\n#\\1" text "\n${text}")
    string(APPEND all "${text}")
  endforeach()
  string(STRIP "${all}" all)
  publish(Dialects.md "Dialects" "Made from the `.td` files in `generator/dialect` and `generator/templates/dialect`.\n\n${all}\n")
endfunction()

function(publish_passes)
  set(transforms "")
  # In the order in which they run.
  foreach(folder schedule idioms raise decompose fusion layout attention window tiling vectorize bufferize memory macrokernel parallel lower gpu)
    tblgen(passes transforms/${folder}/Passes.td -gen-pass-doc)
    string(APPEND transforms "\n## ${folder}\n\n${passes}")
  endforeach()
  tblgen(templates templates/transforms/Passes.td -gen-pass-doc)
  tblgen(providers providers/Passes.td -gen-pass-doc)
  tblgen(backend backend/Passes.td -gen-pass-doc)
  tblgen(aarch64 backend/aarch64/Passes.td -gen-pass-doc)
  tblgen(wasm backend/wasm/Passes.td -gen-pass-doc)
  tblgen(x86 backend/x86/Passes.td -gen-pass-doc)
  string(CONCAT text "Each is a flag of `kgen-opt`, as are the stages that they make up\n"
                     "(`generator/pipeline/Pipeline.cpp`). Made from `Passes.td` in `generator/transforms/*`,\n"
                     "`generator/templates/transforms`, `generator/providers`, `generator/backend` and its folders.\n\n"
                     "## templates\n\n${templates}${transforms}\n## providers\n\n${providers}\n## backend\n\n${backend}\n## backend/aarch64\n\n${aarch64}\n## backend/wasm\n\n${wasm}\n## backend/x86\n\n${x86}")
  publish(Passes.md "Passes" "${text}")
endfunction()

# join(VARIABLE json key): the words of a JSON array of strings, as code, separated by spaces.
function(join variable json key)
  set(words "")
  string(JSON count LENGTH "${json}" ${key})
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON word GET "${json}" ${key} ${i})
      string(APPEND words " `${word}`")
    endforeach()
  endif()
  string(STRIP "${words}" words)
  set(${variable} "${words}" PARENT_SCOPE)
endfunction()

# columns(<variable> <json> <key>...): these strings as cells of a row of a table.
function(columns variable json)
  set(cells "|")
  foreach(key IN LISTS ARGN)
    string(JSON text GET "${json}" ${key})
    string(REPLACE "|" "\\|" text "${text}")
    string(APPEND cells " ${text} |")
  endforeach()
  set(${variable} "${cells}" PARENT_SCOPE)
endfunction()

# operands(VARIABLE json operator key kind): rows of a table of an operator's inputs or results.
function(operands variable json name key kind)
  set(rows "")
  string(JSON count LENGTH "${json}" "${key}")
  math(EXPR end "${count} - 1")
  foreach(i RANGE ${end})
    string(JSON operand GET "${json}" "${key}" ${i})
    string(JSON optional GET "${operand}" optional)
    columns(cells "${operand}" name shape meaning)
    set(what "${kind}")
    if(optional)
      set(what "optional ${kind}")
    endif()
    string(APPEND rows "| ${name} | ${what} ${cells}\n")
  endforeach()
  set(${variable} "${rows}" PARENT_SCOPE)
endfunction()

function(publish_operators)
  run(json "${KGEN}" ops --json)
  set(operators "")
  set(not_on_cards "")
  set(attributes "")
  set(all_operands "")
  string(JSON count LENGTH "${json}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON operator GET "${json}" ${i})
    columns(left "${operator}" name inputs)
    columns(right "${operator}" "graphics cards" summary)
    join(types "${operator}" types)
    string(APPEND operators "${left} ${types} ${right}\n")
    string(JSON name GET "${operator}" name)
    string(JSON without ERROR_VARIABLE none GET "${operator}" "not on graphics cards")
    if(none STREQUAL "NOTFOUND")
      string(APPEND not_on_cards "| ${name} | ${without} |\n")
    endif()
    operands(rows "${operator}" "${name}" operands input)
    string(APPEND all_operands "${rows}")
    operands(rows "${operator}" "${name}" "result list" result)
    string(APPEND all_operands "${rows}")
    string(JSON count LENGTH "${operator}" attributes)
    if(count GREATER 0)
      math(EXPR end "${count} - 1")
      foreach(j RANGE ${end})
        string(JSON attribute GET "${operator}" attributes ${j})
        columns(row "${attribute}" name value default meaning)
        string(APPEND attributes "| ${name} ${row}\n")
      endforeach()
    endif()
  endforeach()
  string(CONCAT text "Names, attributes and semantics are ONNX's. Made from `kgen ops --json`; `kgen ops NAME` prints\n"
                     "what is said here of one, and an example.\n\n"
                     "The column of graphics cards says whether they compute it where sizes are numbers\n([GPU.md](GPU.md)).\n\n"
                     "| operator | inputs | element types | graphics cards | meaning |\n|---|---|---|---|---|\n${operators}\n"
                     "What graphics cards do not compute:\n\n| operator | not |\n|---|---|\n${not_on_cards}\n"
                     "## Inputs and results\n\nIn their order. `any` is any shape; constants are weights, or become known.\n\n"
                     "| operator | | name | shape | meaning |\n|---|---|---|---|---|\n${all_operands}\n"
                     "## Attributes\n\nAn attribute whose default is `none` may be left out; one that is `required` may not.\n\n"
                     "| operator | attribute | value | default | meaning |\n|---|---|---|---|---|\n${attributes}")
  publish(Operators.md "Operators" "${text}")
endfunction()

# entries(VARIABLE json KEY...): a table of an array of facts or heuristics with these columns after the name.
function(entries variable json)
  set(rows "")
  string(JSON count LENGTH "${json}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON entry GET "${json}" ${i})
    string(JSON name GET "${entry}" name)
    columns(row "${entry}" ${ARGN})
    string(APPEND rows "| `${name}` ${row}\n")
  endforeach()
  list(JOIN ARGN " | " titles)
  string(REGEX REPLACE "[^;]+" "---" rule "${ARGN}")
  list(JOIN rule "|" rule)
  set(${variable} "| name | ${titles} |\n|---|${rule}|\n${rows}" PARENT_SCOPE)
endfunction()

function(publish_heuristics)
  run(json "${KGEN}" targets --heuristics --json)
  string(JSON facts GET "${json}" facts)
  string(JSON heuristics GET "${json}" heuristics)
  entries(factTable "${facts}" section default unit meaning)
  entries(heuristicTable "${heuristics}" default unit meaning)
  string(CONCAT text "What the cost model (`generator/costmodel`) knows about a CPU besides vectors, caches and\n"
                     "throughputs, as a target may state it ([specs/README.md](../specs/README.md#target-files)).\n"
                     "Made from `kgen targets --heuristics --json`.\n\n"
                     "## Facts\n\nStated in the section of a target's file; one without a section stands for itself.\n\n${factTable}\n"
                     "## Heuristics\n\nTrade-offs, stated in `heuristics`.\n\n${heuristicTable}")
  publish(Heuristics.md "Facts and heuristics" "${text}")
endfunction()

publish_dialects()
publish_heuristics()
publish_passes()
publish_operators()
