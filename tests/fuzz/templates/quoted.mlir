// As files are given to MLIR's parser.
template.func aliases "#map = affine_map<(i) -> (i)>" "@f() { return }"
template.func "@g() { return }"
