// In-register transposes, for operands that are contiguous along another dimension than the result.
#include "analysis/AccessPattern.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorShuffles.h"
#include "transforms/vectorize/Vectorizer.h"

#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

namespace {

/// Transposes n vectors of n elements (n a power of two): first the blocks within lanes of 128
/// bits, which x86 interleaves in one instruction, then the lanes.
class BlockTransposer {
public:
  BlockTransposer(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  SmallVector<Value> run(ArrayRef<Value> rows) {
    auto n = static_cast<int64_t>(rows.size());
    assert(llvm::isPowerOf2_64(rows.size()) &&
           cast<VectorType>(rows.front().getType()).getNumElements() == n && "a square block");
    laneElements = elementsInLane(rows.front());
    SmallVector<SmallVector<Value>> blocks; // transposed rows of each
    for (int64_t first = 0; first < n; first += laneElements)
      blocks.push_back(transposeInLanes(rows.slice(first, laneElements)));
    SmallVector<Value> result(n);
    for (int64_t column = 0; column < laneElements; ++column) {
      SmallVector<Value> parts;
      for (const SmallVector<Value> &block : blocks)
        parts.push_back(block[column]);
      for (auto [index, value] : llvm::enumerate(transposeLanes(parts)))
        result[index * laneElements + column] = value;
    }
    return result;
  }

private:
  SmallVector<Value> transposeInLanes(ArrayRef<Value> rows) {
    SmallVector<Value> current(rows), next(rows);
    for (int64_t distance = 1; distance < laneElements; distance *= 2) {
      for (int64_t i = 0; i < laneElements / 2; ++i) {
        next[2 * i] = interleaveLanes(b, loc, current[i], current[i + laneElements / 2], false);
        next[2 * i + 1] = interleaveLanes(b, loc, current[i], current[i + laneElements / 2], true);
      }
      std::swap(current, next);
    }
    return current;
  }

  SmallVector<Value> transposeLanes(ArrayRef<Value> parts) {
    int64_t count = parts.size();
    SmallVector<Value> current(parts), next(parts);
    for (int64_t distance = 1; distance < count; distance *= 2) {
      for (int64_t i = 0; i < count / 2; ++i) {
        next[i] = everyOtherLane(b, loc, current[2 * i], current[2 * i + 1], false);
        next[i + count / 2] = everyOtherLane(b, loc, current[2 * i], current[2 * i + 1], true);
      }
      std::swap(current, next);
    }
    return current;
  }

  OpBuilder &b;
  Location loc;
  int64_t laneElements = 1;
};

/// Concatenates vectors of equal length and returns the first `count` elements.
Value concatenate(OpBuilder &b, Location loc, SmallVector<Value> parts, int64_t count) {
  auto pick = [&](Value first, Value second, int64_t lanes) -> Value {
    return vector::ShuffleOp::create(b, loc, first, second,
                                     llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
  };
  // LLVM lowers shuffles of two vectors of the same length best.
  while (parts.size() > 1) {
    if (parts.size() % 2 == 1)
      parts.push_back(ub::PoisonOp::create(b, loc, parts.back().getType()));
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = pick(parts[2 * i], parts[2 * i + 1],
                      2 * cast<VectorType>(parts[2 * i].getType()).getNumElements());
    parts.truncate(parts.size() / 2);
  }
  Value all = parts.front();
  return cast<VectorType>(all.getType()).getNumElements() == count ? all : pick(all, all, count);
}

} // namespace

/// Returns the dimension along which all operands are contiguous that are not along the vector
/// dimension; -1 if there is none.
int64_t Vectorizer::transposedDim() {
  AffineMap out = op.getIndexingMapsArray().back();
  if (vectorDim < 0 || op.getNumParallelLoops() != op.getNumLoops() || !out.isPermutation() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) || sizes.greatest(vectorDim) < 2)
    return -1;
  if (llvm::any_of(op.getBody()->without_terminator(),
                   [](Operation &inner) { return isa<tensor::ExtractOp>(inner); }))
    return -1;
  int64_t found = -1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isTransposed(input))
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!map.isProjectedPermutation() || !last ||
        (found >= 0 && found != static_cast<int64_t>(last.getPosition())))
      return -1;
    found = last.getPosition();
  }
  return found >= 0 && sizes.greatest(found) > 1 ? found : -1;
}

/// True if the operand moves along the vector dimension but is not contiguous in it.
bool Vectorizer::isTransposed(OpOperand *input) {
  return AccessPattern(op, *input).isStridedAlong(vectorDim);
}

/// Reads `rows` vectors of `columns` elements along the vector dimension from an operand that is
/// contiguous along `across`.
SmallVector<Value> Vectorizer::readTransposed(OpOperand *input, int64_t across, int64_t rows,
                                              int64_t columns) {
  AffineMap map = op.getMatchingIndexingMap(input);
  Type element = getElementTypeOrSelf(input->get().getType());
  int64_t side = transposeBlockSize();
  auto block = VectorType::get({side}, element);
  Value poison = ub::PoisonOp::create(b, loc, block);
  Value start = ivs[vectorDim];
  SmallVector<SmallVector<Value>> parts(rows);
  for (int64_t first = 0; first < columns; first += side) {
    SmallVector<Value> lines(side, poison);
    for (int64_t i = 0; i < std::min(side, columns - first); ++i) {
      ivs[vectorDim] = b.createOrFold<arith::AddIOp>(loc, start, index(first + i));
      Value line = readVector(b, loc, input->get(), operandIndices(map), rows);
      if (rows < side) {
        SmallVector<int64_t> mask(side, vector::ShuffleOp::kPoisonIndex);
        for (int64_t lane = 0; lane < rows; ++lane)
          mask[lane] = lane;
        line = vector::ShuffleOp::create(b, loc, line, line, mask);
      }
      lines[i] = line;
    }
    lines = BlockTransposer(b, loc).run(lines);
    for (int64_t row = 0; row < rows; ++row)
      parts[row].push_back(lines[row]);
  }
  ivs[vectorDim] = start;
  SmallVector<Value> result;
  for (SmallVector<Value> &row : parts)
    result.push_back(concatenate(b, loc, row, columns));
  return result;
}

/// Returns rows and columns of a transpose block: at most a register of lanes.
int64_t Vectorizer::transposeBlockSize() const {
  constexpr int64_t maxBlock = 512 / 8; // bytes in the widest register, one lane each
  return std::min(lanes, maxBlock);
}

/// True if a dimension has as many elements as a block; null if it always has.
Value Vectorizer::hasBlocks(int64_t dimension, int64_t step) {
  if (sizes.least(dimension) >= step)
    return {};
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index(ends[dimension]),
                               index(step));
}

/// Computes the result in strips of a cache line. Within a strip, operands that are contiguous
/// along `across` are read line by line from begin to end: one access stream per row of the strip,
/// which the hardware prefetcher follows. Blocks at the end overlap the ones before: elements
/// computed twice cost less than short vectors. If a dynamic size may be less than a block, there
/// are loops without vectors for this case.
Value Vectorizer::computeTransposed(Value tensor, int64_t across) {
  int64_t bytes = bytesOfElement(tensor.getType());
  int64_t line = std::max(transposeBlockSize(), target.cpu().lineBytes / bytes);
  int64_t rows = std::min(sizes.greatest(across), transposeBlockSize()),
          columns = std::min(sizes.greatest(vectorDim), line);
  // The last block starts earlier, so that it is a whole one.
  auto clamp = [&](Value start, int64_t step, int64_t dimension) -> Value {
    if (sizes.divisor(dimension) % step == 0)
      return start;
    Value last = index(difference(b, loc, ends[dimension], OpFoldResult(b.getIndexAttr(step))));
    return arith::MinSIOp::create(b, loc, start, last).getResult();
  };
  auto tile = [&](Value row, Value column, Value t) {
    ivs[across] = row;
    ivs[vectorDim] = column;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isTransposed(input) && op.payloadUsesValueFromOperand(input))
        transposed[input->getOperandNumber()] = readTransposed(input, across, rows, columns);
    for (tileRow = 0; tileRow < rows; ++tileRow) {
      ivs[across] = b.createOrFold<arith::AddIOp>(loc, row, index(tileRow));
      t = computeElements(t, columns);
    }
    transposed.clear();
    return t;
  };
  OpFoldResult none = b.getIndexAttr(0), width = ends[vectorDim], byElement = none;
  Value isWide = hasBlocks(vectorDim, columns), isHigh = hasBlocks(across, rows);
  if (isWide && isHigh)
    isWide = arith::AndIOp::create(b, loc, isWide, isHigh);
  if (Value hasBlock = isWide ? isWide : isHigh) {
    Value all = index(width), zero = index(none);
    width = arith::SelectOp::create(b, loc, hasBlock, all, zero).getResult();
    byElement = arith::SelectOp::create(b, loc, hasBlock, zero, all).getResult();
  }
  tensor = buildFor(b, loc, none, width, columns, tensor, [&](Value j, Value strip) {
    Value column = clamp(j, columns, vectorDim);
    return buildFor(b, loc, none, ends[across], rows, strip,
                    [&](Value i, Value t) { return tile(clamp(i, rows, across), column, t); });
  });
  return buildFor(b, loc, none, byElement, 1, tensor, [&](Value j, Value strip) {
    ivs[vectorDim] = j;
    return nest(across, strip, [&](Value t) { return computeElements(t, 0); });
  });
}

} // namespace kgen
