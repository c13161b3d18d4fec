# The spec of kgen-bench-memory, written by CMake: elementwise operators, normalisations, softmax and reductions.
#
# bench_memory_spec(<library> <rows> <images> <size>) writes <library>.yaml into the binary folder. Matrices have rows x 1024
# elements of f32 (2048 of a type of 16 bits), or as many of them in rows of another length; images are [images, 64, size, size].
# A graph is NAME|OPERATOR|TYPE|SHAPE|INPUTS|ATTRIBUTES. INPUTS is a number of them of that type and shape, and then the sizes of
# those that are weights of one dimension; what a matrix's rows and an image's size are called below is replaced.

set(memory_graphs "")
foreach(op Relu LeakyRelu Abs Neg Sqrt Sigmoid Tanh Exp Log Erf Gelu Softplus Mish Elu HardSwish Sin Cos)
  string(TOLOWER ${op} name)
  list(APPEND memory_graphs "${name}|${op}|f32|ROWS, 1024|1|")
endforeach()
list(APPEND memory_graphs "gelu_tanh|Gelu|f32|ROWS, 1024|1|approximate: tanh")
foreach(op Add Mul Div Max Pow)
  string(TOLOWER ${op} name)
  list(APPEND memory_graphs "${name}|${op}|f32|ROWS, 1024|2|")
endforeach()
list(APPEND memory_graphs "div_i8|Div|i8|ROWS, 4096|2|" "div_i32|Div|i32|ROWS, 1024|2|" "mod_u8|Mod|u8|ROWS, 4096|2|")
list(APPEND memory_graphs "add_row|Add|f32|ROWS, 1024|1 1024|")
foreach(type bf16 f16)
  foreach(op Relu Sigmoid Gelu Tanh Exp Erf Log Swish Softplus)
    string(TOLOWER ${op} name)
    list(APPEND memory_graphs "${name}_${type}|${op}|${type}|ROWS, 2048|1|")
  endforeach()
  list(APPEND memory_graphs "softmax_${type}|Softmax|${type}|ROWS, 2048|1|"
    "layernorm_${type}|LayerNormalization|${type}|ROWS, 2048|1 2048 2048|"
    "rmsnorm_${type}|RMSNormalization|${type}|ROWS, 2048|1 2048|")
endforeach()
foreach(op Softmax LayerNormalization) # rows that are no whole lines
  string(TOLOWER ${op} name)
  set(weights "")
  if(op STREQUAL "LayerNormalization")
    set(weights " 1000 1000")
  endif()
  list(APPEND memory_graphs "${name}_bf16_1000|${op}|bf16|ELEMENTS / 512 / 16 * 16, 1000|1${weights}|")
endforeach()
set(rows "ELEMENTS / LENGTH / 16 * 16, LENGTH")
foreach(length 3 10 16 17 31 50 64 128 1024)
  string(REPLACE "LENGTH" "${length}" shape "${rows}")
  list(APPEND memory_graphs "softmax_${length}|Softmax|f32|${shape}|1|")
endforeach()
foreach(length 3 10 31 50)
  string(REPLACE "LENGTH" "${length}" shape "${rows}")
  list(APPEND memory_graphs "logsoftmax_${length}|LogSoftmax|f32|${shape}|1|"
    "layernorm_${length}|LayerNormalization|f32|${shape}|1 ${length} ${length}|"
    "argmax_${length}|ArgMax|f32|${shape}|1|axis: 1")
  foreach(op Mean Max Prod L2 LogSumExp)
    string(TOLOWER ${op} name)
    list(APPEND memory_graphs "reduce${name}_${length}|Reduce${op}|f32|${shape}|1|axes: [1]")
  endforeach()
endforeach()
foreach(op Mean Max LogSumExp)
  string(TOLOWER ${op} name)
  list(APPEND memory_graphs "reduce${name}_around_rows|Reduce${op}|f32|64, ROWS / 64, 1024|1|axes: [0, 2]")
endforeach()
set(windows "strides: [2, 2]")
list(APPEND memory_graphs "maxpool_2x2|MaxPool|f32|IMAGES, 64, SIZE, SIZE|1|kernel_shape: [2, 2], ${windows}"
  "maxpool_3x3|MaxPool|f32|IMAGES, 64, SIZE, SIZE|1|kernel_shape: [3, 3], ${windows}, pads: [1, 1, 1, 1]"
  "averagepool_2x2|AveragePool|f32|IMAGES, 64, SIZE, SIZE|1|kernel_shape: [2, 2], ${windows}"
  "globalaveragepool|GlobalAveragePool|f32|IMAGES, 64, SIZE, SIZE|1|")
list(APPEND memory_graphs "softmax_long|Softmax|f32|2, ELEMENTS / 2|1|" "softmax_axis_0|Softmax|f32|ROWS, 1024|1|axis: 0"
  "softmax_few_rows|Softmax|f32|16, ELEMENTS / 16|1|axis: 0" "softmax_inner_axis|Softmax|f32|ROWS / 64, 64, 1024|1|axis: 1"
  "logsoftmax|LogSoftmax|f32|ROWS, 1024|1|" "logsoftmax_axis_0|LogSoftmax|f32|ELEMENTS / 16384, 16384|1|axis: 0"
  "layernorm|LayerNormalization|f32|ROWS, 1024|1 1024 1024|" "rmsnorm|RMSNormalization|f32|ROWS, 1024|1 1024|"
  "groupnorm|GroupNormalization|f32|IMAGES, 64, SIZE, SIZE|1 64 64|num_groups: 8"
  "instancenorm|InstanceNormalization|f32|IMAGES, 64, SIZE, SIZE|1 64 64|"
  "batchnorm|BatchNormalization|f32|IMAGES, 64, SIZE, SIZE|1 64 64 64 64p|")
# Classes of each pixel, and channels of images of all sizes.
foreach(classes 3 21 150)
  set(shape "ELEMENTS / 16384 / ${classes} + 1, ${classes}, 128, 128")
  foreach(op Softmax LogSoftmax ArgMax)
    string(TOLOWER ${op} name)
    list(APPEND memory_graphs "${name}_${classes}_classes|${op}|f32|${shape}|1|axis: 1")
  endforeach()
  list(APPEND memory_graphs "reducemean_${classes}_classes|ReduceMean|f32|${shape}|1|axes: [1]")
endforeach()
foreach(size 7 14 32)
  math(EXPR pixels "${size} * ${size} * 64")
  set(shape "ELEMENTS / ${pixels}, 64, ${size}, ${size}")
  list(APPEND memory_graphs "lpnormalization_${size}|LpNormalization|f32|${shape}|1|axis: 1"
    "instancenorm_${size}|InstanceNormalization|f32|${shape}|1 64 64|"
    "groupnorm_${size}|GroupNormalization|f32|${shape}|1 64 64|num_groups: 8"
    "batchnorm_${size}|BatchNormalization|f32|${shape}|1 64 64 64 64p|"
    "globalaveragepool_${size}|GlobalAveragePool|f32|${shape}|1|"
    "maxpool_3x3_${size}|MaxPool|f32|${shape}|1|kernel_shape: [3, 3], pads: [1, 1, 1, 1]"
    "averagepool_3x3_${size}|AveragePool|f32|${shape}|1|kernel_shape: [3, 3], pads: [1, 1, 1, 1]")
endforeach()
foreach(op ReduceMean ReduceMax ArgMax)
  string(TOLOWER ${op} name)
  foreach(axis 0 1)
    set(attribute "axes: [${axis}]")
    if(op STREQUAL "ArgMax")
      set(attribute "axis: ${axis}")
    endif()
    list(APPEND memory_graphs "${name}_axis_${axis}|${op}|f32|ROWS, 1024|1|${attribute}")
  endforeach()
endforeach()

function(bench_memory_spec library rows images size)
  math(EXPR elements "${rows} * 1024")
  set(text "library: ${library}\ntargets: [x86-64-v2, x86-64-v3, x86-64-v4]\ngraphs:\n")
  foreach(graph IN LISTS memory_graphs)
    string(REPLACE "|" ";" fields "${graph}")
    list(GET fields 0 name)
    list(GET fields 1 op)
    list(GET fields 2 type)
    list(GET fields 3 shape)
    list(GET fields 4 inputs)
    list(GET fields 5 attributes)
    string(REPLACE "ELEMENTS" "${elements}" shape "${shape}")
    string(REPLACE "ROWS" "${rows}" shape "${shape}")
    string(REPLACE "IMAGES" "${images}" shape "${shape}")
    string(REPLACE "SIZE" "${size}" shape "${shape}")
    string(REPLACE ", " ";" dimensions "${shape}")
    set(shape "")
    foreach(dimension IN LISTS dimensions)
      math(EXPR dimension "${dimension}")
      list(APPEND shape ${dimension})
    endforeach()
    list(JOIN shape ", " shape)
    string(REPLACE " " ";" inputs "${inputs}")
    list(POP_FRONT inputs count)
    set(names x)
    set(given "x: \"${type}[${shape}]\"")
    if(count EQUAL 2)
      list(APPEND names z)
      string(APPEND given ", z: \"${type}[${shape}]\"")
    endif()
    set(weights "")
    foreach(length IN LISTS inputs)
      list(LENGTH names index)
      list(APPEND names w${index})
      if(length MATCHES "p$") # a variance
        string(REPLACE "p" "" length "${length}")
        string(APPEND weights "      w${index}: {type: \"${type}[${length}]\", value: 0.5}\n")
      else()
        string(APPEND weights "      w${index}: {type: \"${type}[${length}]\", random: {seed: ${index}}}\n")
      endif()
    endforeach()
    if(weights)
      set(weights "    weights:\n${weights}")
    endif()
    list(JOIN names ", " names)
    if(attributes)
      set(attributes ", attributes: {${attributes}}")
    endif()
    string(APPEND text "  - name: ${name}\n    inputs: {${given}}\n${weights}    nodes:\n"
      "      - {name: y, op: ${op}, inputs: [${names}]${attributes}}\n    outputs: [y]\n")
  endforeach()
  file(CONFIGURE OUTPUT "${library}.yaml" CONTENT "${text}" @ONLY)
endfunction()
