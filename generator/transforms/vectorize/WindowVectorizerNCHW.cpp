#include "transforms/vectorize/WindowVectorizerNCHW.h"

#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"
#include "transforms/vectorize/WindowColumnReuse.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

/// Writes the loops for one operation.
class WindowVectorizerNCHW : WindowColumnReuse {
public:
  WindowVectorizerNCHW(IRRewriter &rewriter, WindowShapeNCHW shape, TargetAttr target)
      : WindowColumnReuse(rewriter, std::move(shape)), rewriter(rewriter),
        consumer(findConsumer()) {
    int64_t bits = widestBits(op);
    if (consumer)
      bits = std::max(bits, widestBits(consumer));
    lanes = std::max<int64_t>(1, target.getVectorBits() / bits);
  }

  void run() {
    linalg::GenericOp last = consumer ? consumer : op;
    b.setInsertionPoint(last);
    Value result = overLoops(windowDestination(op, last), 0);
    rewriter.replaceOp(last, result);
    if (consumer)
      rewriter.eraseOp(op);
  }

private:
  linalg::GenericOp findConsumer();
  Value overLoops(Value tensor, unsigned loop);
  Value overRow(Value tensor);
  Value overPieces(Value tensor, int64_t from, int64_t to);
  Value piece(Value tensor, Value from, int64_t count, std::map<int64_t, Value> known = {});
  Value readOther(Value tensor, AffineMap map, ArrayRef<Value> place, int64_t count);

  IRRewriter &rewriter;
  linalg::GenericOp consumer;
  int64_t lanes = 1;
};

/// What computes something of each result, and is the only one to read it; or null.
linalg::GenericOp WindowVectorizerNCHW::findConsumer() {
  linalg::GenericOp user = onlyElementwiseUser(op);
  if (!user)
    return nullptr;
  auto fits = [&](OpOperand &operand) {
    AffineMap map = user.getMatchingIndexingMap(&operand);
    if (operand.get() == op.getResult(0) || user.isDpsInit(&operand))
      return map.isIdentity();
    auto position = map.getResultPosition(getAffineDimExpr(pixel, op.getContext()));
    return map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
           (!position || *position + 1 == map.getNumResults());
  };
  return llvm::all_of(user->getOpOperands(), fits) ? user : nullptr;
}

/// The loops around rows. Where windows reach out of the image along one of them, there is a loop
/// for each set of taps that are inside.
Value WindowVectorizerNCHW::overLoops(Value tensor, unsigned loop) {
  if (loop == pixel)
    return overRow(tensor);
  auto overPart = [&](int64_t from, int64_t to, Value t) {
    return buildFor(b, loc, from, to, 1, t, [&](Value i, Value inner) {
      at[loop] = i;
      return overLoops(inner, loop + 1);
    });
  };
  if (!rows || rows->loop != loop)
    return overPart(0, sizes[loop], tensor);
  auto insideAt = [&](int64_t i) {
    Taps inside;
    for (const auto &[place, all] : taps)
      for (const Tap &tap : all) {
        int64_t row = rows->stride * i + rows->offset;
        for (auto [step, by] : llvm::zip(coefficients[rows->position], tap))
          row += step * by;
        std::vector<Tap> &known = inside[place];
        if (row >= 0 && row < rows->size)
          known.push_back(tap);
      }
    return inside;
  };
  for (int64_t from = 0, to = 0; from < sizes[loop]; from = to) {
    active = insideAt(from);
    for (to = from + 1; to < sizes[loop] && insideAt(to) == active; ++to) {
    }
    tensor = overPart(from, to, tensor);
  }
  return tensor;
}

/// Pieces of a row whose windows reach out of the image are written one by one.
Value WindowVectorizerNCHW::overRow(Value tensor) {
  int64_t size = sizes[pixel], whole = size / lanes * lanes, from = 0, to = whole;
  auto isInside = [&](int64_t first) {
    return beginOf(first) >= 0 && endOf(first, lanes) <= columns.size;
  };
  while (from < to && !isInside(from))
    from += lanes;
  while (to > from && !isInside(to - lanes))
    to -= lanes;
  for (int64_t first = 0; first < from; first += lanes)
    tensor = piece(tensor, index(first), lanes);
  tensor = overPieces(tensor, from, to);
  for (int64_t first = to; first < size; first += lanes)
    tensor = piece(tensor, index(first), std::min(lanes, size - first));
  return tensor;
}

/// Pieces of as many results as there are lanes, in a loop that carries the vectors of columns that
/// two of them need: those that the later one begins with.
Value WindowVectorizerNCHW::overPieces(Value tensor, int64_t from, int64_t to) {
  if (readsEachColumn() || to - from < 2 * lanes)
    return buildFor(b, loc, from, to, lanes, tensor,
                    [&](Value start, Value t) { return piece(t, start, lanes); });
  beginPiece(index(from), lanes);
  SmallVector<Value> inits{tensor};
  SmallVector<int64_t> again;
  for (int64_t number : vectorsOfColumns())
    if (number >= columns.stride) {
      again.push_back(number);
      inits.push_back(columnsOf(number - columns.stride));
    }
  auto pieceOf = [&](OpBuilder &, Location, Value start, ValueRange carried) {
    std::map<int64_t, Value> known;
    for (auto [number, vector] : llvm::zip_equal(again, carried.drop_front()))
      known[number - columns.stride] = vector;
    SmallVector<Value> results{piece(carried.front(), start, lanes, known)};
    for (int64_t number : again)
      results.push_back(columnsOf(number));
    scf::YieldOp::create(b, loc, results);
  };
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, index(from), index(to), index(lanes), inits, pieceOf);
  return loop.getResult(0);
}

/// What the consumer reads beside `count` results at `place`.
Value WindowVectorizerNCHW::readOther(Value tensor, AffineMap map, ArrayRef<Value> place,
                                      int64_t count) {
  SmallVector<Value> where;
  for (AffineExpr index : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    where.push_back(loop ? place[loop.getPosition()] : this->index(0));
  }
  if (map.isFunctionOfDim(pixel))
    return readVector(b, loc, tensor, where, count);
  return tensor::ExtractOp::create(b, loc, tensor, where);
}

/// `count` results from `from` on; vectors of columns may be known.
Value WindowVectorizerNCHW::piece(Value tensor, Value from, int64_t count,
                                  std::map<int64_t, Value> known) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  beginPiece(from, widthOf(count), std::move(known));
  Value total;
  for (const auto &[place, inColumn] : taps) {
    Value one = columnOfTaps(place);
    total = total ? vector::makeArithReduction(b, loc, kind, total, one) : one;
  }
  SmallVector<Value> where(ArrayRef(at).take_front(pixel));
  where.push_back(first);
  Value init = op.getDpsInits()[0], start = fillValue(init);
  start = start ? broadcastToLanes(b, loc, start, width) : Value();
  if (width != count) {
    auto lanesOf = llvm::to_vector(llvm::seq<int64_t>(0, count));
    total = vector::ShuffleOp::create(b, loc, total, total, lanesOf);
    if (start)
      start = vector::ShuffleOp::create(b, loc, start, start, lanesOf);
  }
  if (!start)
    start = readVector(b, loc, init, where, count);
  Value value = vector::makeArithReduction(b, loc, kind, total, start);
  if (consumer) {
    IRMapping values;
    for (OpOperand &operand : consumer->getOpOperands()) {
      BlockArgument argument = consumer.getMatchingBlockArgument(&operand);
      if (operand.get() == op.getResult(0))
        values.map(argument, value);
      else if (consumer.payloadUsesValueFromOperand(&operand))
        values.map(argument, readOther(operand.get(), consumer.getMatchingIndexingMap(&operand),
                                       where, count));
    }
    value = vectorizeBody(b, loc, *consumer.getBody(), values, count);
  }
  return writeVector(b, loc, value, tensor, where);
}

} // namespace

bool vectorizeWindowNCHW(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target) {
  std::optional<WindowShapeNCHW> shape = WindowShapeNCHW::of(op);
  if (!shape)
    return false;
  WindowVectorizerNCHW(rewriter, std::move(*shape), target).run();
  return true;
}

} // namespace kgen
