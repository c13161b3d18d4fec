// Blocks of A that are packed for matrix products, which take two rows of A in a vector.
//
// Pairs of rows follow each other. In a pair, groups of k of its first row and its second one
// alternate: [rows / 2][k / v][2][v]. To a kernel each group is a product of depth v, with rows in
// runs of two:
//
//     for each block of rows, and of k:
//       interleave the rows of A, into memory of the task
//       for each block of columns: kernels read it
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

/// Packs the even number of first rows of a block. A load has two groups of a row.
void MacroKernel::packA(SmallVector<Value> indices, const RowBlock &rows, const KBlock &depth) {
  int64_t pairs = plan.rowBlocks[rows.number].rows / 2, group = gemm.getVnni(), step = 2 * group;
  packed = startOfPacked = Value();
  if (pairs == 0)
    return;
  Type element = gemm.getAType();
  auto vector = VectorType::get({step}, element);
  packed = memref::ViewOp::create(b, loc, MemRefType::get({pairs, 2 * depth.size}, element),
                                  memoryOfTask(), index(0), ValueRange{});
  startOfPacked = rows.start;
  Value start = indices[k()];
  repeat({0, 1, pairs}, [&](Value pair) {
    indices[m] = add(rows.start, scale(pair, 2));
    repeat({0, step, depth.size / step}, [&](Value at) {
      indices[k()] = add(start, at);
      Value both = tile(a, indices, 2, a.strides[m], step, 1);
      Value first = vector::LoadOp::create(b, loc, vector, both, ValueRange{index(0), index(0)}),
            second = vector::LoadOp::create(b, loc, vector, both, ValueRange{index(1), index(0)});
      for (int64_t half : {0, 1}) {
        SmallVector<int64_t> lanes;
        for (int64_t row : {0, 1})
          for (int64_t lane = 0; lane < group; ++lane)
            lanes.push_back(row * step + half * group + lane);
        Value groups = vector::ShuffleOp::create(b, loc, first, second, lanes);
        vector::StoreOp::create(b, loc, groups, packed,
                                ValueRange{pair, add(scale(at, 2), index(half * step))});
      }
    });
  });
}

/// A call of a kernel with an even number of rows, whose tile of A is packed.
void MacroKernel::callPacked(ArrayRef<Value> indices, KernelShape shape, ArrayRef<Value> others) {
  int64_t group = gemm.getVnni(), pair = cast<MemRefType>(packed.getType()).getDimSize(1);
  SmallVector<Value> tiles{{}, tileOfB(indices, group, shape.n)};
  shape.batch = shape.k / group;
  shape.k = group;
  shape.aRow = group;
  shape.aCol = 1;
  shape.aBatch = 2 * group;
  shape.bBatch = shape.bRow;
  shape.aRun = 2;
  shape.aJump = pair;
  Value row = b.createOrFold<arith::SubIOp>(loc, indices[m], startOfPacked);
  Value offset = scale(b.createOrFold<arith::DivUIOp>(loc, row, index(2)), pair);
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {group, 1});
  SmallVector<OpFoldResult> sizesOfTile{b.getIndexAttr(2), b.getIndexAttr(group)},
      strides{b.getIndexAttr(group), b.getIndexAttr(1)};
  tiles.front() = memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({2, group}, gemm.getAType(), layout), packed, OpFoldResult(offset),
      sizesOfTile, strides);
  llvm::append_range(tiles, others);
  ukernel::CallOp::create(b, loc, kernels.get(gemm, shape), tiles);
  ++numCalls;
}

} // namespace kgen
