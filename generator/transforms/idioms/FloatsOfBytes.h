// Dequantized tensors that stay in floats, for kgen explain.
#pragma once

#include "transforms/idioms/RaiseIdioms.h"

#include <llvm/ADT/DenseMap.h>

#include <string>

namespace kgen {

/// Sums of products that stay in floats though both operands are made of bytes, and why.
using RefusedProducts = llvm::DenseMap<mlir::Operation *, std::string>;

/// Records for each operation that makes floats of integers of few bits why its readers, of which
/// those that are products of bytes have none any more, compute with floats.
void reportFloatsOfBytes(mlir::func::FuncOp func, const RefusedProducts &refused, IdiomLog &log);

} // namespace kgen
