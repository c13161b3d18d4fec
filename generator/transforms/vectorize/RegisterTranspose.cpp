// Squares of elements that are transposed in registers: where an operand lies along another
// dimension than the result.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/VectorShuffles.h"
#include "transforms/vectorize/Vectorizer.h"

#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

namespace {

/// Transposes n vectors of n elements, n a power of two: first the squares of elements within
/// groups of 128 bits, which x86 interleaves in one instruction, then the groups.
class SquareTransposer {
public:
  SquareTransposer(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  SmallVector<Value> run(ArrayRef<Value> rows) {
    auto n = static_cast<int64_t>(rows.size());
    group = elementsInLane(rows.front());
    SmallVector<SmallVector<Value>> squares; // by rows of groups
    for (int64_t first = 0; first < n; first += group)
      squares.push_back(transposeInGroups(rows.slice(first, group)));
    SmallVector<Value> result(n);
    for (int64_t column = 0; column < group; ++column) {
      SmallVector<Value> parts;
      for (const SmallVector<Value> &square : squares)
        parts.push_back(square[column]);
      for (auto [index, value] : llvm::enumerate(transposeGroups(parts)))
        result[index * group + column] = value;
    }
    return result;
  }

private:
  SmallVector<Value> transposeInGroups(ArrayRef<Value> rows) {
    SmallVector<Value> now(rows), next(rows);
    for (int64_t stage = 1; stage < group; stage *= 2) {
      for (int64_t i = 0; i < group / 2; ++i) {
        next[2 * i] = interleaveLanes(b, loc, now[i], now[i + group / 2], false);
        next[2 * i + 1] = interleaveLanes(b, loc, now[i], now[i + group / 2], true);
      }
      std::swap(now, next);
    }
    return now;
  }

  SmallVector<Value> transposeGroups(ArrayRef<Value> parts) {
    int64_t count = parts.size();
    SmallVector<Value> now(parts), next(parts);
    for (int64_t stage = 1; stage < count; stage *= 2) {
      for (int64_t i = 0; i < count / 2; ++i) {
        next[i] = everyOtherLane(b, loc, now[2 * i], now[2 * i + 1], false);
        next[i + count / 2] = everyOtherLane(b, loc, now[2 * i], now[2 * i + 1], true);
      }
      std::swap(now, next);
    }
    return now;
  }

  OpBuilder &b;
  Location loc;
  int64_t group = 1;
};

/// The first `count` elements of equal vectors, one after another.
Value concatenate(OpBuilder &b, Location loc, SmallVector<Value> parts, int64_t count) {
  auto pick = [&](Value first, Value second, int64_t lanes) -> Value {
    return vector::ShuffleOp::create(b, loc, first, second,
                                     llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
  };
  // Shuffles of two vectors of the same length are what LLVM knows.
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

/// The dimension along which all operands lie that do not lie along the vector dimension, or -1.
int64_t Vectorizer::transposedDim() {
  AffineMap out = op.getIndexingMapsArray().back();
  if (vectorDim < 0 || op.getNumParallelLoops() != op.getNumLoops() || !out.isPermutation() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) || sizes[vectorDim] < 2)
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
  return found >= 0 && sizes[found] > 1 ? found : -1;
}

/// Whether neighbours along the vector dimension are no neighbours in the operand.
bool Vectorizer::isTransposed(OpOperand *input) {
  AffineMap map = op.getMatchingIndexingMap(input);
  return map.getNumResults() > 0 && map.isFunctionOfDim(vectorDim) &&
         !map.getResults().back().isFunctionOfDim(vectorDim);
}

/// `rows` vectors along the vector dimension of an operand that lies along `across`, from the
/// current position on.
SmallVector<Value> Vectorizer::readTransposed(OpOperand *input, int64_t across, int64_t rows,
                                              int64_t columns) {
  AffineMap map = op.getMatchingIndexingMap(input);
  Type element = getElementTypeOrSelf(input->get().getType());
  int64_t side = transposeBlockSize();
  auto square = VectorType::get({side}, element);
  Value poison = ub::PoisonOp::create(b, loc, square);
  Value start = at[vectorDim];
  SmallVector<SmallVector<Value>> parts(rows);
  for (int64_t first = 0; first < columns; first += side) {
    SmallVector<Value> lines(side, poison);
    for (int64_t i = 0; i < std::min(side, columns - first); ++i) {
      at[vectorDim] = b.createOrFold<arith::AddIOp>(loc, start, index(first + i));
      Value line = readVector(b, loc, input->get(), position(map), rows);
      if (rows < side) {
        SmallVector<int64_t> places(side, vector::ShuffleOp::kPoisonIndex);
        for (int64_t lane = 0; lane < rows; ++lane)
          places[lane] = lane;
        line = vector::ShuffleOp::create(b, loc, line, line, places);
      }
      lines[i] = line;
    }
    lines = SquareTransposer(b, loc).run(lines);
    for (int64_t row = 0; row < rows; ++row)
      parts[row].push_back(lines[row]);
  }
  at[vectorDim] = start;
  SmallVector<Value> result;
  for (SmallVector<Value> &row : parts)
    result.push_back(concatenate(b, loc, row, columns));
  return result;
}

/// Elements that are transposed at a time in each direction: as many as registers hold.
int64_t Vectorizer::transposeBlockSize() const {
  constexpr int64_t most = 64;
  return std::min(lanes, most);
}

/// The result in strips of a cache line. In each of them operands that lie along `across` are read
/// line by line, too, from their beginnings to their ends: as many streams as a line has elements,
/// which what fetches memory ahead by itself follows. The last rows and columns are computed
/// twice rather than in pieces.
Value Vectorizer::transposedTiles(Value tensor, int64_t across) {
  int64_t bytes = bytesOfElement(tensor.getType());
  int64_t line = std::max(transposeBlockSize(), lineBytes / bytes);
  int64_t height = sizes[across], width = sizes[vectorDim];
  int64_t rows = std::min(height, transposeBlockSize()), columns = std::min(width, line);
  // So that a whole step follows.
  auto clamp = [&](Value start, int64_t step, int64_t size) -> Value {
    return size % step == 0 ? start
                            : arith::MinSIOp::create(b, loc, start, index(size - step)).getResult();
  };
  auto tile = [&](Value row, Value column, Value t) {
    at[across] = row;
    at[vectorDim] = column;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isTransposed(input) && op.payloadUsesValueFromOperand(input))
        transposed[input->getOperandNumber()] = readTransposed(input, across, rows, columns);
    for (tileRow = 0; tileRow < rows; ++tileRow) {
      at[across] = b.createOrFold<arith::AddIOp>(loc, row, index(tileRow));
      t = chunk(t, columns);
    }
    transposed.clear();
    return t;
  };
  return buildFor(b, loc, 0, width, columns, tensor, [&](Value j, Value strip) {
    Value column = clamp(j, columns, width);
    return buildFor(b, loc, 0, height, rows, strip,
                    [&](Value i, Value t) { return tile(clamp(i, rows, height), column, t); });
  });
}

} // namespace kgen
