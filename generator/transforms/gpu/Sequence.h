// Loops that compute one element after another, and which of them threads may share.
#pragma once

#include "transforms/gpu/FlatMemory.h"
#include "transforms/gpu/IndexMath.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

#include <map>
#include <string>
#include <vector>

namespace kgen::gpu_kernels {

/// An index of a buffer: values times factors, a constant, and an index of a view times a stride.
struct ViewIndex {
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;
  int64_t constant = 0, stride = 1;
  std::optional<unsigned> own; ///< the dimension of the view; nothing: none
};

/// The part of a buffer, or of a view that was there before, that a memref in a sequence shows.
struct SequenceView {
  mlir::Value base;
  std::vector<ViewIndex> indices; ///< one for each dimension of the base
};

/// An scf.for, or a loop of an operation on memrefs by its number.
using SequenceLoop = std::pair<mlir::Operation *, unsigned>;

/// Loops whose iterations are those of one thread each: each buffer that is written has a dimension
/// whose index they are in all that reads and writes it.
struct SequenceAxis {
  int64_t size = 0; ///< threads; loops may have fewer iterations
  std::vector<SequenceLoop> loops;
};

/// A loop around operations on memrefs. Each thread runs all of it, but of loops of an axis only
/// its own iteration.
struct Sequence {
  mlir::scf::ForOp loop;
  std::vector<SequenceAxis> axes;
  llvm::SmallVector<mlir::Value> memrefs;  ///< all of outside
  llvm::SmallVector<mlir::Value> buffers;  ///< allocated inside, for all threads
  llvm::SmallVector<mlir::Value> privates; ///< allocated inside, for each thread
  std::map<SequenceLoop, unsigned> axisOf; ///< loops of axes
  llvm::DenseMap<mlir::Value, SequenceView> views;

  int64_t threads() const;
};

/// The iterations of a loop from 0 in steps of 1; nothing for others.
std::optional<int64_t> countOf(mlir::scf::ForOp loop);

/// Returns nothing, and why, where no kernel can be made.
std::optional<Sequence> sequenceOf(mlir::scf::ForOp loop, std::string &reason);

} // namespace kgen::gpu_kernels
