// Lines of memory that are asked for.
#pragma once

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>

namespace kgen {

constexpr unsigned localityL1 = 3, localityL2 = 2; ///< localities

struct PrefetchKind {
  bool isWrite;
  unsigned locality;
};

/// Every line of some elements from a place on.
void prefetchLines(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory,
                   mlir::ValueRange place, int64_t elements, PrefetchKind kind);

/// Around products, blocks of rows that are read or written vector by vector, of memory that is
/// larger than `cache`: the next one that is read, and this one where it will be written, come
/// while the products are computed; line by line beside functions of vectors, if there are any.
void prefetchBlocks(mlir::scf::ForOp loop, int64_t cache);

/// The part of a tensor whose rows a memory shows as one row, or the memory itself.
mlir::Value partOf(mlir::Value memory);

/// The loop each step of which works on another part of a tensor, which `part` shows, or null.
mlir::scf::ForOp loopOverSlices(mlir::Value part);

/// What `part` will show in the loop's next step.
mlir::Value nextSlice(mlir::scf::ForOp loop, mlir::Value part);

} // namespace kgen
