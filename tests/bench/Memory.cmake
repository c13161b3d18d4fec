# The graphs of kgen-bench-memory: elementwise operators, normalizations, softmax and reductions. MemorySpec.cmake says what the
# fields are. Matrices have 64 MiB: rows of 1024 elements of f32, of 2048 of a type of 16 bits, or as many elements in rows of
# another length.

set(memory_graphs "")
foreach(op Relu LeakyRelu Abs Neg Sqrt Sigmoid Tanh Exp Log Erf Gelu Softplus Mish Elu HardSwish Sin Cos)
  string(TOLOWER ${op} name)
  list(APPEND memory_graphs "${name}|${op}|f32|ROWS, 1024|x|")
endforeach()
list(APPEND memory_graphs "gelu_tanh|Gelu|f32|ROWS, 1024|x|approximate: tanh")
foreach(op Add Mul Div Max Pow)
  string(TOLOWER ${op} name)
  list(APPEND memory_graphs "${name}|${op}|f32|ROWS, 1024|x x|")
endforeach()
list(APPEND memory_graphs "div_i8|Div|i8|ROWS, 4096|x x|" "div_i32|Div|i32|ROWS, 1024|x x|" "mod_u8|Mod|u8|ROWS, 4096|x x|")
list(APPEND memory_graphs "add_row|Add|f32|ROWS, 1024|x 1024|")
foreach(type bf16 f16)
  foreach(op Relu Sigmoid Gelu Tanh Exp Erf Log Swish Softplus)
    string(TOLOWER ${op} name)
    list(APPEND memory_graphs "${name}_${type}|${op}|${type}|ROWS, 2048|x|")
  endforeach()
  list(APPEND memory_graphs "softmax_${type}|Softmax|${type}|ROWS, 2048|x|"
    "layernorm_${type}|LayerNormalization|${type}|ROWS, 2048|x 2048 2048|"
    "rmsnorm_${type}|RMSNormalization|${type}|ROWS, 2048|x 2048|")
endforeach()
foreach(op Softmax LayerNormalization) # rows that are no whole lines
  string(TOLOWER ${op} name)
  set(weights "")
  if(op STREQUAL "LayerNormalization")
    set(weights " 1000 1000")
  endif()
  list(APPEND memory_graphs "${name}_bf16_1000|${op}|bf16|ELEMENTS / 512 / 16 * 16, 1000|x${weights}|")
endforeach()
set(rows "ELEMENTS / LENGTH / 16 * 16, LENGTH")
foreach(length 3 10 16 17 31 50 64 128 1024)
  string(REPLACE "LENGTH" "${length}" shape "${rows}")
  list(APPEND memory_graphs "softmax_${length}|Softmax|f32|${shape}|x|")
endforeach()
foreach(length 3 10 31 50)
  string(REPLACE "LENGTH" "${length}" shape "${rows}")
  list(APPEND memory_graphs "logsoftmax_${length}|LogSoftmax|f32|${shape}|x|"
    "layernorm_${length}|LayerNormalization|f32|${shape}|x ${length} ${length}|"
    "argmax_${length}|ArgMax|f32|${shape}|x|axis: 1")
  foreach(op Mean Max Prod L2 LogSumExp)
    string(TOLOWER ${op} name)
    list(APPEND memory_graphs "reduce${name}_${length}|Reduce${op}|f32|${shape}|x|axes: [1]")
  endforeach()
endforeach()
foreach(op Mean Max LogSumExp)
  string(TOLOWER ${op} name)
  list(APPEND memory_graphs "reduce${name}_around_rows|Reduce${op}|f32|64, ROWS / 64, 1024|x|axes: [0, 2]")
endforeach()
set(windows "strides: [2, 2]")
list(APPEND memory_graphs "maxpool_2x2|MaxPool|f32|IMAGES, 64, SIZE, SIZE|x|kernel_shape: [2, 2], ${windows}"
  "maxpool_3x3|MaxPool|f32|IMAGES, 64, SIZE, SIZE|x|kernel_shape: [3, 3], ${windows}, pads: [1, 1, 1, 1]"
  "averagepool_2x2|AveragePool|f32|IMAGES, 64, SIZE, SIZE|x|kernel_shape: [2, 2], ${windows}"
  "globalaveragepool|GlobalAveragePool|f32|IMAGES, 64, SIZE, SIZE|x|")
list(APPEND memory_graphs "softmax_long|Softmax|f32|2, ELEMENTS / 2|x|" "softmax_axis_0|Softmax|f32|ROWS, 1024|x|axis: 0"
  "softmax_few_rows|Softmax|f32|16, ELEMENTS / 16|x|axis: 0" "softmax_inner_axis|Softmax|f32|ROWS / 64, 64, 1024|x|axis: 1"
  "logsoftmax|LogSoftmax|f32|ROWS, 1024|x|" "logsoftmax_axis_0|LogSoftmax|f32|ELEMENTS / 16384, 16384|x|axis: 0"
  "layernorm|LayerNormalization|f32|ROWS, 1024|x 1024 1024|" "rmsnorm|RMSNormalization|f32|ROWS, 1024|x 1024|"
  "groupnorm|GroupNormalization|f32|IMAGES, 64, SIZE, SIZE|x 64 64|num_groups: 8"
  "instancenorm|InstanceNormalization|f32|IMAGES, 64, SIZE, SIZE|x 64 64|"
  "batchnorm|BatchNormalization|f32|IMAGES, 64, SIZE, SIZE|x 64 64 64 64p|")
# Classes of each pixel, and channels of images of all sizes.
foreach(classes 3 21 150)
  set(shape "ELEMENTS / 16384 / ${classes} + 1, ${classes}, 128, 128")
  foreach(op Softmax LogSoftmax ArgMax)
    string(TOLOWER ${op} name)
    list(APPEND memory_graphs "${name}_${classes}_classes|${op}|f32|${shape}|x|axis: 1")
  endforeach()
  list(APPEND memory_graphs "reducemean_${classes}_classes|ReduceMean|f32|${shape}|x|axes: [1]")
endforeach()
foreach(size 7 14 32)
  math(EXPR pixels "${size} * ${size} * 64")
  set(shape "ELEMENTS / ${pixels}, 64, ${size}, ${size}")
  list(APPEND memory_graphs "lpnormalization_${size}|LpNormalization|f32|${shape}|x|axis: 1"
    "instancenorm_${size}|InstanceNormalization|f32|${shape}|x 64 64|"
    "groupnorm_${size}|GroupNormalization|f32|${shape}|x 64 64|num_groups: 8"
    "batchnorm_${size}|BatchNormalization|f32|${shape}|x 64 64 64 64p|"
    "globalaveragepool_${size}|GlobalAveragePool|f32|${shape}|x|"
    "maxpool_3x3_${size}|MaxPool|f32|${shape}|x|kernel_shape: [3, 3], pads: [1, 1, 1, 1]"
    "averagepool_3x3_${size}|AveragePool|f32|${shape}|x|kernel_shape: [3, 3], pads: [1, 1, 1, 1]")
endforeach()
foreach(op ReduceMean ReduceMax ArgMax)
  string(TOLOWER ${op} name)
  foreach(axis 0 1)
    set(attribute "axes: [${axis}]")
    if(op STREQUAL "ArgMax")
      set(attribute "axis: ${axis}")
    endif()
    list(APPEND memory_graphs "${name}_axis_${axis}|${op}|f32|ROWS, 1024|x|${attribute}")
  endforeach()
endforeach()
