# Specs of the benchmarks, written by CMake: dense layers with random weights, in any of the types below.
#
# bench_spec(<library> <type> <graph>...) writes <library>.yaml into the binary folder. A graph is "NAME INPUT LAYER...":
# INPUT is MxK, or BxMxK for a batch, which has given weights; a LAYER is its number of columns, then `b` with a bias and `r` with
# a relu (integers have neither); `g` stands for weights that are given at run time. Weights of one shape have one seed, so
# that graphs share them.

# A type of the benchmarks is its entry here: of the activations and of the weights, the operator that multiplies them, and the
# targets that have instructions of their own for it. A result of an integer product that is to be a byte has a scale for each
# column, of any sign, and no zero points.
set(bench_types f32 bf16 u8i8_i32 u8i8_u8)
set(bench_f32 f32 f32 MatMul "x86-64-v3, x86-64-v4")
set(bench_bf16 bf16 bf16 MatMul "x86-64-v3, x86-64-v4, x86-64-v4-bf16, zen4, x86-64-v4-amx")
set(bench_u8i8_i32 u8 i8 MatMulInteger "x86-64-v3, x86-64-v4, x86-64-v4-vnni, x86-64-v4-amx")
set(bench_u8i8_u8 u8 i8 QLinearMatMul "x86-64-v3, x86-64-v4, x86-64-v4-vnni, x86-64-v4-amx")

function(bench_spec library type)
  list(GET bench_${type} 3 targets)
  set(text "library: ${library}\ntargets: [${targets}]\ngraphs:\n")
  foreach(graph IN LISTS ARGN)
    _bench_graph(lines ${type} ${graph})
    string(APPEND text "${lines}")
  endforeach()
  file(CONFIGURE OUTPUT "${library}.yaml" CONTENT "${text}" @ONLY)
endfunction()

# bench_convolution_spec(<library> <graph>...): the same of convolutions of one image in f32 with bias and relu. A graph is "NAME
# HxWxC FILTERS KERNEL STRIDE", and a number of groups if there are several; as much padding as keeps the image's size where
# the stride is 1. Inputs and results have their channels last, so that nobody has to move them.
function(bench_convolution_spec library)
  list(GET bench_f32 3 targets)
  set(text "library: ${library}\ntargets: [${targets}]\ngraphs:\n")
  foreach(graph IN LISTS ARGN)
    string(REPLACE " " ";" words "${graph}")
    list(POP_FRONT words name image filters kernel stride)
    string(REPLACE "x" ", " shape "${image}")
    string(REGEX REPLACE "^.*x" "" channels "${image}")
    set(group 1)
    if(words)
      set(group "${words}")
    endif()
    math(EXPR depth "${channels} / ${group}")
    math(EXPR pad "(${kernel} - 1) / 2")
    math(EXPR seed "${depth} * 65536 + ${filters} + ${kernel}")
    string(APPEND text "  - name: ${name}\n    inputs: {x: \"f32[1, ${shape}]\"}\n    weights:\n"
      "      w: {type: \"f32[${filters}, ${depth}, ${kernel}, ${kernel}]\", random: {seed: ${seed}}}\n"
      "      b: {type: \"f32[${filters}]\", random: {seed: ${filters}}}\n    nodes:\n"
      "      - {name: image, op: Transpose, inputs: [x], attributes: {perm: [0, 3, 1, 2]}}\n"
      "      - name: sums\n        op: Conv\n        inputs: [image, w, b]\n"
      "        attributes: {strides: [${stride}, ${stride}], pads: [${pad}, ${pad}, ${pad}, ${pad}], group: ${group}}\n"
      "      - {name: active, op: Relu, inputs: [sums]}\n"
      "      - {name: y, op: Transpose, inputs: [active], attributes: {perm: [0, 2, 3, 1]}}\n    outputs: [y]\n")
  endforeach()
  file(CONFIGURE OUTPUT "${library}.yaml" CONTENT "${text}" @ONLY)
endfunction()

function(_bench_graph result type graph)
  list(GET bench_${type} 0 left)
  list(GET bench_${type} 1 right)
  list(GET bench_${type} 2 op)
  string(REPLACE " " ";" words "${graph}")
  list(POP_FRONT words name input)
  string(REPLACE "x" ", " shape "${input}")
  string(REGEX REPLACE "^.*x" "" k "${input}")
  string(REGEX REPLACE "x[0-9]+$" "" batch "${input}")
  set(inputs "x: \"${left}[${shape}]\"")
  set(weights "")
  if(op STREQUAL "QLinearMatMul")
    set(weights "      s: {type: \"f32[]\", value: 128}\n      z: {type: \"u8[]\", value: 0}\n")
  endif()
  set(nodes "")
  set(last x)
  set(index 0)
  foreach(layer IN LISTS words)
    string(REGEX MATCH "^[0-9]+" n "${layer}")
    if(layer MATCHES "g")
      set(dimensions "${k}, ${n}")
      if(batch MATCHES "^([0-9]+)x")
        set(dimensions "${CMAKE_MATCH_1}, ${dimensions}")
      endif()
      string(APPEND inputs ", w${index}: \"${right}[${dimensions}]\"")
    else()
      math(EXPR seed "${k} * 65536 + ${n}")
      string(APPEND weights "      w${index}: {type: \"${right}[${k}, ${n}]\", random: {seed: ${seed}}}\n")
    endif()
    set(operands "${last}, w${index}")
    if(op STREQUAL "QLinearMatMul")
      # Sums grow with k, and so does the result's scale.
      string(APPEND weights
        "      s${index}: {type: \"f32[${n}]\", random: {seed: ${n}}}\n      z${index}: {type: \"i8[${n}]\", value: 0}\n"
        "      t${index}: {type: \"f32[]\", value: ${k}}\n")
      set(operands "${last}, s, z, w${index}, s${index}, z${index}, t${index}, z")
    endif()
    string(APPEND nodes "      - {name: m${index}, op: ${op}, inputs: [${operands}]}\n")
    set(last m${index})
    if(layer MATCHES "b" AND op STREQUAL "MatMul")
      string(APPEND weights "      b${index}: {type: \"${left}[${n}]\", random: {seed: ${n}}}\n")
      string(APPEND nodes "      - {name: a${index}, op: Add, inputs: [${last}, b${index}]}\n")
      set(last a${index})
    endif()
    if(layer MATCHES "r" AND op STREQUAL "MatMul")
      string(APPEND nodes "      - {name: r${index}, op: Relu, inputs: [${last}]}\n")
      set(last r${index})
    endif()
    set(k ${n})
    math(EXPR index "${index} + 1")
  endforeach()
  set(text "  - name: ${name}\n    inputs: {${inputs}}\n")
  if(weights)
    string(APPEND text "    weights:\n${weights}")
  endif()
  set(${result} "${text}    nodes:\n${nodes}    outputs: [${last}]\n" PARENT_SCOPE)
endfunction()
