// Vectorizer for sums and extrema over windows of NCHW images, as in pools: loops over vectors of
// neighbours in a row of the result. The taps of a column are combined first, then columns, every
// n-th of them if n is the stride of the windows.
#include "transforms/vectorize/LoopSizes.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/VectorizeBody.h"
#include "transforms/vectorize/WindowColumnReuse.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds the loops of one operation.
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
    LoopSizes loops(op);
    for (unsigned loop = 0; loop < pixel; ++loop) // outside of all loops
      ends.push_back(loops.value(b, loop));
    Value result = buildLoops(windowDestination(op, last), 0);
    rewriter.replaceOp(last, result);
    if (consumer)
      rewriter.eraseOp(op);
  }

  using WindowColumnReuse::readsPerTap;
  linalg::GenericOp fusedReader() const { return consumer; }

private:
  linalg::GenericOp findConsumer();
  Value buildLoops(Value tensor, unsigned loop);
  Value buildRow(Value tensor);
  Value buildVectors(Value tensor, int64_t from, int64_t to);
  Value buildVector(Value tensor, Value from, int64_t count, std::map<int64_t, Value> known = {});
  Value readOther(Value tensor, AffineMap map, ArrayRef<Value> resultIndices, int64_t count);

  IRRewriter &rewriter;
  linalg::GenericOp consumer;
  int64_t lanes = 1;
  SmallVector<OpFoldResult> ends; ///< of the loops around rows
};

/// Returns the elementwise operation that alone reads the result, if it can be fused; otherwise
/// null.
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

/// Builds the loops around image rows. Along a loop where windows reach into the padding, there is
/// one loop for each set of taps inside of the image.
Value WindowVectorizerNCHW::buildLoops(Value tensor, unsigned loop) {
  if (loop == pixel)
    return buildRow(tensor);
  auto buildRange = [&](OpFoldResult from, OpFoldResult to, Value t) {
    return buildFor(b, loc, from, to, 1, t, [&](Value i, Value inner) {
      ivs[loop] = i;
      return buildLoops(inner, loop + 1);
    });
  };
  if (!rows || rows->loop != loop)
    return buildRange(b.getIndexAttr(0), ends[loop], tensor);
  auto insideAt = [&](int64_t i) {
    Taps inside;
    for (const auto &[offset, all] : taps)
      for (const Tap &tap : all) {
        int64_t row = rows->stride * i + rows->offset;
        for (auto [step, by] : llvm::zip(coefficients[rows->position], tap))
          row += step * by;
        std::vector<Tap> &known = inside[offset];
        if (row >= 0 && row < rows->size)
          known.push_back(tap);
      }
    return inside;
  };
  for (int64_t from = 0, to = 0; from < sizes[loop]; from = to) {
    active = insideAt(from);
    for (to = from + 1; to < sizes[loop] && insideAt(to) == active; ++to) {
    }
    tensor = buildRange(b.getIndexAttr(from), b.getIndexAttr(to), tensor);
  }
  return tensor;
}

/// Vectors whose windows reach into the padding are written one by one.
Value WindowVectorizerNCHW::buildRow(Value tensor) {
  int64_t size = sizes[pixel], whole = size / lanes * lanes, from = 0, to = whole;
  auto isInside = [&](int64_t first) {
    return beginOf(first) >= 0 && endOf(first, lanes) <= columns.size;
  };
  while (from < to && !isInside(from))
    from += lanes;
  while (to > from && !isInside(to - lanes))
    to -= lanes;
  for (int64_t first = 0; first < from; first += lanes)
    tensor = buildVector(tensor, index(first), lanes);
  tensor = buildVectors(tensor, from, to);
  for (int64_t first = to; first < size; first += lanes)
    tensor = buildVector(tensor, index(first), std::min(lanes, size - first));
  return tensor;
}

/// Builds a loop over vectors of results. It carries the vectors of columns that two of them need:
/// those that the next one begins with.
Value WindowVectorizerNCHW::buildVectors(Value tensor, int64_t from, int64_t to) {
  if (readsEachColumn() || to - from < 2 * lanes)
    return buildFor(b, loc, from, to, lanes, tensor,
                    [&](Value start, Value t) { return buildVector(t, start, lanes); });
  beginVector(index(from), lanes);
  SmallVector<Value> inits{tensor};
  SmallVector<int64_t> carriedNumbers;
  for (int64_t number : vectorsOfColumns())
    if (number >= columns.stride) {
      carriedNumbers.push_back(number);
      inits.push_back(columnVector(number - columns.stride));
    }
  auto nextVector = [&](OpBuilder &, Location, Value start, ValueRange carried) {
    std::map<int64_t, Value> known;
    for (auto [number, vector] : llvm::zip_equal(carriedNumbers, carried.drop_front()))
      known[number - columns.stride] = vector;
    SmallVector<Value> results{buildVector(carried.front(), start, lanes, known)};
    for (int64_t number : carriedNumbers)
      results.push_back(columnVector(number));
    scf::YieldOp::create(b, loc, results);
  };
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, index(from), index(to), index(lanes), inits, nextVector);
  return loop.getResult(0);
}

/// Reads another operand of the consumer for `count` results at `resultIndices`.
Value WindowVectorizerNCHW::readOther(Value tensor, AffineMap map, ArrayRef<Value> resultIndices,
                                      int64_t count) {
  SmallVector<Value> indices;
  for (AffineExpr index : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    indices.push_back(loop ? resultIndices[loop.getPosition()] : this->index(0));
  }
  if (map.isFunctionOfDim(pixel))
    return readVector(b, loc, tensor, indices, count);
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}

/// Computes `count` results from `from` on. `known`: vectors of columns that were carried.
Value WindowVectorizerNCHW::buildVector(Value tensor, Value from, int64_t count,
                                        std::map<int64_t, Value> known) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  beginVector(from, widthOf(count), std::move(known));
  Value total;
  for (const auto &[offset, inColumn] : taps) {
    Value ofColumn = combineColumnOfTaps(offset);
    total = total ? vector::makeArithReduction(b, loc, kind, total, ofColumn) : ofColumn;
  }
  SmallVector<Value> indices(ArrayRef(ivs).take_front(pixel));
  indices.push_back(first);
  Value init = op.getDpsInits()[0], start = fillValue(init);
  start = start ? broadcastToLanes(b, loc, start, width) : Value();
  if (width != count) {
    auto lanesOf = llvm::to_vector(llvm::seq<int64_t>(0, count));
    total = vector::ShuffleOp::create(b, loc, total, total, lanesOf);
    if (start)
      start = vector::ShuffleOp::create(b, loc, start, start, lanesOf);
  }
  if (!start)
    start = readVector(b, loc, init, indices, count);
  Value value = vector::makeArithReduction(b, loc, kind, total, start);
  if (consumer) {
    IRMapping values;
    for (OpOperand &operand : consumer->getOpOperands()) {
      BlockArgument argument = consumer.getMatchingBlockArgument(&operand);
      if (operand.get() == op.getResult(0))
        values.map(argument, value);
      else if (consumer.payloadUsesValueFromOperand(&operand))
        values.map(argument, readOther(operand.get(), consumer.getMatchingIndexingMap(&operand),
                                       indices, count));
    }
    value = vectorizeBody(b, loc, *consumer.getBody(), values, count);
  }
  return writeVector(b, loc, value, tensor, indices);
}

class WindowsPlanNCHW : public VectorizationPlan {
public:
  WindowsPlanNCHW(IRRewriter &rewriter, WindowShapeNCHW shape, TargetAttr target)
      : shape(std::move(shape)), target(target) {
    dimension = this->shape.pixel;
    lanes = std::max<int64_t>(1, target.getVectorBits() / widestBits(this->shape.op));
    VectorRows rows{this->shape.sizes[dimension], lanes};
    WindowVectorizerNCHW vectorizer(rewriter, this->shape, target);
    cost = cyclesInWindows(target.cpu(), rows, vectorizer.readsPerTap());
    fusedReader = vectorizer.fusedReader();
  }

  void emit(IRRewriter &rewriter) override {
    WindowVectorizerNCHW(rewriter, std::move(shape), target).run();
  }

private:
  WindowShapeNCHW shape;
  TargetAttr target;
};

VectorizationMatch matchWindowsNCHW(linalg::GenericOp op, TargetAttr target) {
  std::optional<WindowShapeNCHW> shape = WindowShapeNCHW::match(op);
  if (!shape)
    return {};
  IRRewriter rewriter(op.getContext());
  return {std::make_unique<WindowsPlanNCHW>(rewriter, std::move(*shape), target)};
}

} // namespace

const VectorizationStrategy &windowsNCHW() {
  static constexpr VectorizationStrategy strategy{"windows-nchw", "windows with vectors of columns",
                                                  /*fusesReader=*/true, matchWindowsNCHW};
  return strategy;
}

} // namespace kgen
