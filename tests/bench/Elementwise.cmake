# More graphs of kgen-bench-memory: operators on single elements and their types, beyond those in Memory.cmake; see
# MemorySpec.cmake. The longer array of each has 64 MiB.

set(elementwise_graphs "")
macro(elementwise_graph)
  list(APPEND elementwise_graphs "${ARGN}")
endmacro()
# elementwise_graphs_of(<type> <shape> <inputs> <operators>): a graph for each, with the type in its name.
macro(elementwise_graphs_of type shape inputs)
  foreach(op ${ARGN})
    string(TOLOWER "${op}_${type}" name)
    list(APPEND elementwise_graphs "${name}|${op}|${type}|${shape}|${inputs}|")
  endforeach()
endmacro()

set(functions Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh)
elementwise_graphs_of(f32 "ROWS, 1024" x ${functions} Celu Selu ThresholdedRelu Softsign Shrink HardSigmoid Swish FastGelu
  Reciprocal Round Floor Sign Identity)
elementwise_graphs_of(f32 "ROWS, 1024" "x x" Sub Min Greater Equal PRelu)
elementwise_graphs_of(f32 "ROWS, 1024" "x x x" Max Mean)
elementwise_graphs_of(f32 "ROWS, 1024" "x" IsNaN IsInf)
foreach(type bf16 f16)
  elementwise_graphs_of(${type} "ROWS, 2048" x ${functions} Sin Cos Mish Elu Selu Softsign HardSwish LeakyRelu FastGelu Sqrt
    Reciprocal Round Sign IsNaN)
  elementwise_graphs_of(${type} "ROWS, 2048" "x x" Add Mul Div Max Pow Greater PRelu)
  elementwise_graph("fmod_${type}|Mod|${type}|ROWS, 2048|x x|fmod: 1")
  elementwise_graphs_of(${type} "ROWS, 2048" "bool x x" Where)
endforeach()
elementwise_graphs_of(f64 "ROWS, 512" x Relu Sqrt Reciprocal Exp Log Tanh Sigmoid Erf Gelu Sin Floor)
elementwise_graphs_of(f64 "ROWS, 512" "x x" Add Div Max Pow Less)
elementwise_graphs_of(i64 "ROWS, 512" x Abs Relu Sign)
elementwise_graphs_of(i64 "ROWS, 512" "x x" Add Mul Div Mod Max Equal Pow BitwiseAnd)
elementwise_graphs_of(i32 "ROWS, 1024" x Abs Relu Sign BitwiseNot)
elementwise_graphs_of(i32 "ROWS, 1024" "x x" Add Mul Mod Max Less Pow)
elementwise_graphs_of(i8 "ROWS, 4096" x Abs Relu Neg Sign)
elementwise_graphs_of(i8 "ROWS, 4096" "x x" Add Mul Max Less Mod)
elementwise_graphs_of(u8 "ROWS, 4096" "x x" Add Mul Min Div Equal)
elementwise_graph("bitshift_left|BitShift|u8|ROWS, 4096|x x|direction: LEFT")
elementwise_graphs_of(bool "ROWS, 4096" x Not)
elementwise_graphs_of(bool "ROWS, 4096" "x x" And Xor Equal)
elementwise_graphs_of(f32 "ROWS, 1024" "bool x x" Where)
elementwise_graphs_of(i64 "ROWS, 512" "bool x x" Where)
elementwise_graphs_of(i8 "ROWS, 4096" "bool x x" Where)
# Broadcasts
foreach(shape column one row)
  elementwise_graph("add_${shape}|Add|f32|ROWS, 1024|x ${shape}|" "mul_${shape}_bf16|Mul|bf16|ROWS, 2048|x ${shape}|"
    "prelu_${shape}|PRelu|f32|ROWS, 1024|x ${shape}|" "pow_${shape}|Pow|f32|ROWS, 1024|x ${shape}|"
    "less_${shape}|Less|f32|ROWS, 1024|x ${shape}|" "where_${shape}|Where|f32|ROWS, 1024|bool x ${shape}|")
endforeach()
elementwise_graph("add_outer|Add|f32|ROWS, 1024|row column|" "fmod|Mod|f32|ROWS, 1024|x x|fmod: 1"
  "clip|Clip|f32|ROWS, 1024|x scalar scalar|" "clip_i8|Clip|i8|ROWS, 4096|x scalar scalar|")
# Casts
foreach(type f32/1024 f64/512 bf16/2048 f16/2048 i8/4096 u8/4096 i32/1024 i64/512 bool/4096)
  string(REGEX MATCH "(.*)/(.*)" _ ${type})
  set(length_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()
foreach(from f32 f64 bf16 f16 i8 u8 i32 i64 bool)
  foreach(to f32 f64 bf16 f16 i8 u8 i32 i64 bool)
    set(length ${length_${from}})
    if(length_${to} LESS length)
      set(length ${length_${to}})
    endif()
    if(NOT from STREQUAL to)
      elementwise_graph("cast_${from}_${to}|Cast|${from}|ROWS, ${length}|x|to: ${to}")
    endif()
  endforeach()
endforeach()
# Rows
elementwise_graphs_of(f32 "ROWS, 1024" x Hardmax LpNormalization)
