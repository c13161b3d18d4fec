# Wrong calls of kgen_add_library() stop CMake with a message that says what is wrong.
. "$(dirname -- "$0")/common.sh"
refused() {
  mkdir -p project
  cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(wrong LANGUAGES C)
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
kgen_add_library($2)
END
  status=0
  configure -S project -B build -DKGEN_EXECUTABLE="$KGEN" >messages.txt 2>&1 || status=$?
  [ "$status" != 0 ] || fail "accepted: kgen_add_library($2)"
  tr -s ' \n' '  ' <messages.txt | grep -q "$1" || { cat messages.txt >&2 && fail "no '$1' in the message above"; }
}
spec=$here/consumer/shift.yaml
refused "unknown arguments: SPECS" "shift SPECS \"$spec\""
refused "unknown arguments: surprise" "shift surprise SPEC \"$spec\""
refused "no value for: SPEC" "shift SPEC"
refused "SPEC <file> is missing" "shift TARGETS x86-64-v2"
refused "SPEC <file> is missing, or ONNX <file>" "shift DIMS batch=1"
refused "SPEC, ONNX and MLIR exclude each other" "shift MLIR shift.mlir ONNX shift.onnx"
refused "SPEC, ONNX and MLIR exclude each other" "shift SPEC \"$spec\" ONNX shift.onnx"
refused "VALUES are for ONNX" "shift SPEC \"$spec\" VALUES sr=1"
refused "the spec has no dimension 'batch'" "shift SPEC \"$spec\" DIMS batch=1"
refused "GRAPHS is for SPEC; the graph of a model is .run." "shift ONNX shift.onnx GRAPHS forward"
refused "ONNX shift.pb: expected a file whose name ends in .onnx" "shift ONNX shift.pb"
refused "batch: expected <dimension>=<size> or <input>=<number>" "shift ONNX shift.onnx DIMS batch"
refused "MLIR shift.txt: expected a file whose name ends in .mlir" "shift MLIR shift.txt"
refused "GRAPHS is for SPEC; FUNCTIONS chooses among those of an MLIR file" "shift MLIR shift.mlir GRAPHS forward"
refused "FUNCTIONS are for MLIR" "shift SPEC \"$spec\" FUNCTIONS forward"
refused "INPUTS, OUTPUTS and EXTERNS are for ONNX" "shift MLIR shift.mlir EXTERNS Relu"
refused "SPEC layer.mlir: expected a spec in YAML; write MLIR layer.mlir" "layer SPEC layer.mlir"
refused "the library of .*/shift.yaml is called shift; write kgen_add_library(shift ...), or .library: scale. in the spec" "scale SPEC \"$spec\""
refused "there is no .*/nowhere.onnx" "shift ONNX nowhere.onnx"
refused "there is no .*/nowhere.yaml" "shift SPEC nowhere.yaml"
refused "EMIT exe: expected asm, llvm or mlir" "shift SPEC \"$spec\" EMIT exe"
refused "there is no provider 'xsm' (did you mean 'xsmm'?)" "shift SPEC \"$spec\" PROVIDER xsm"
refused "BENCHMARKS is not supported yet" "shift SPEC \"$spec\" BENCHMARKS"
refused "the name is that of the library, a C identifier" "\"shi ft\" SPEC \"$spec\""
refused "CHECKED_IN .* has no shift.manifest.json" "shift SPEC \"$spec\" CHECKED_IN \"$WORK\""
refused "has errors:.*x86-64-v9" "shift SPEC \"$spec\" TARGETS x86-64-v9"

# KGEN_EXECUTABLE is what is wrong, and not the spec.
KGEN=$WORK/nowhere refused "KGEN_EXECUTABLE is no program: .*/nowhere" "shift SPEC \"$spec\""
KGEN=$WORK refused "KGEN_EXECUTABLE is no program" "shift SPEC \"$spec\""
touch plain
KGEN=$WORK/plain refused "kgen cannot be run: .* Is KGEN_EXECUTABLE a kgen of this machine?" "shift SPEC \"$spec\""
KGEN=/bin/false refused "exit code 1 of /bin/false Is KGEN_EXECUTABLE a kgen of this version?" "shift SPEC \"$spec\""
