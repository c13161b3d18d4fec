#include "transforms/vectorize/WindowVectorizerNHWC.h"

#include "dialect/tpp/Tpp.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"
#include "transforms/vectorize/WindowTileSizes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <map>
#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

/// Writes the loops for one operation.
class Windows : WindowShape {
public:
  Windows(IRRewriter &rewriter, WindowShape shape, TargetAttr target)
      : WindowShape(std::move(shape)), b(rewriter), consumer(findConsumer()),
        plan(*this, consumer, target), loc(op.getLoc()), at(sizes.size()) {}

  void run() {
    linalg::GenericOp last = consumer ? consumer : op;
    b.setInsertionPoint(last);
    auto outer = llvm::to_vector(llvm::seq<int64_t>(0, pixel));
    Value result =
        nest(outer, windowDestination(op, last), [&](Value t) { return overRows(t, 0); });
    b.replaceOp(last, result);
    if (consumer)
      b.eraseOp(op);
  }

private:
  using Body = llvm::function_ref<Value(Value)>;

  Value overRows(Value tensor, size_t first);
  Value tapLimit(int64_t edge);
  Value overRow(Value tensor);
  Value overChannels(Value tensor, llvm::function_ref<Value(Value tensor, int64_t width)> body);
  Value overPixels(Value tensor,
                   llvm::function_ref<Value(Value tensor, Value first, int64_t count)> body);
  Value pixels(Value tensor, Value first, int64_t count, int64_t width,
               ArrayRef<SmallVector<Value>> weights);
  SmallVector<SmallVector<Value>> loadWeights(int64_t width);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value nest(ArrayRef<int64_t> dims, Value tensor, Body body) {
    if (dims.empty())
      return body(tensor);
    return buildFor(b, loc, 0, sizes[dims.front()], 1, tensor, [&](Value i, Value t) {
      at[dims.front()] = i;
      return nest(dims.drop_front(), t, body);
    });
  }
  /// The place that `map` gives where the loops are, `by` further along some of them, and `shift`
  /// further along dimensions of the operand.
  SmallVector<Value> position(AffineMap map, ArrayRef<int64_t> by,
                              ArrayRef<OpFoldResult> shift = {}) {
    SmallVector<Value> result;
    for (AffineExpr expr : map.getResults()) {
      SmallVector<int64_t> steps = *tpp::linearCoefficients(expr, map.getNumDims());
      int64_t constant = 0;
      Value sum;
      if (!shift.empty()) {
        OpFoldResult further = shift[result.size()];
        constant = getConstantIntValue(further).value_or(0);
        sum = dyn_cast_if_present<Value>(further);
      }
      for (auto [dimension, step] : llvm::enumerate(steps)) {
        constant += step * by[dimension];
        if (step == 0 || !at[dimension])
          continue;
        Value part = step == 1 ? at[dimension]
                               : b.createOrFold<arith::MulIOp>(loc, at[dimension], index(step));
        sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, part) : part;
      }
      if (sum && constant != 0)
        sum = b.createOrFold<arith::AddIOp>(loc, sum, index(constant));
      result.push_back(sum ? sum : index(constant));
    }
    return result;
  }
  /// A vector of channels, or one element in all lanes where the operand has no channels.
  Value read(Value tensor, AffineMap map, ArrayRef<int64_t> by, int64_t width,
             ArrayRef<OpFoldResult> shift = {}) {
    SmallVector<Value> where = position(map, by, shift);
    if (map.isFunctionOfDim(channel))
      return readVector(b, loc, tensor, where, width);
    return broadcastToLanes(b, loc, tensor::ExtractOp::create(b, loc, tensor, where), width);
  }
  /// Of the channels of each group, the one that `tap` is of, in the lanes of the whole group.
  Value readGroups(Value tensor, AffineMap map, ArrayRef<int64_t> by, int64_t width,
                   ArrayRef<OpFoldResult> shift) {
    int64_t size = group->size, member = by[group->member];
    SmallVector<Value> where = position(map, by, shift);
    if (size > width) { // vectors are parts of groups
      Value start = where.back(), rest = b.createOrFold<arith::RemUIOp>(loc, start, index(size));
      start = b.createOrFold<arith::SubIOp>(loc, start, rest);
      where.back() = b.createOrFold<arith::AddIOp>(loc, start, index(member));
      return broadcastToLanes(b, loc, tensor::ExtractOp::create(b, loc, tensor, where), width);
    }
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(lane / size * size + member);
    Value all = readVector(b, loc, tensor, where, width);
    return vector::ShuffleOp::create(b, loc, all, all, lanes);
  }
  /// The product that `inner` adds to a sum of products; as in other contractions, the two are
  /// rounded once where the target has an instruction for them.
  arith::MulFOp addedProduct(linalg::GenericOp of, Operation &inner) {
    if (of != op || !isa<arith::AddFOp>(inner))
      return {};
    for (Value operand : inner.getOperands())
      if (auto product = operand.getDefiningOp<arith::MulFOp>(); product && product->hasOneUse())
        return product;
    return {};
  }
  /// The body of an operation on vectors.
  Value apply(linalg::GenericOp of, ArrayRef<Value> arguments, int64_t width) {
    IRMapping values;
    for (auto [argument, value] : llvm::zip(of.getBody()->getArguments(), arguments))
      if (value)
        values.map(argument, value);
    return vectorizeBody(b, loc, *of.getBody(), values, width,
                         [&](Operation &inner, llvm::function_ref<Value(Value)> wide) -> Value {
                           arith::MulFOp product = addedProduct(of, inner);
                           if (!product)
                             return nullptr;
                           Value x = wide(product.getLhs()), y = wide(product.getRhs());
                           Value sum =
                               wide(inner.getOperand(inner.getOperand(0) == product.getResult()));
                           return vector::FMAOp::create(b, loc, x, y, sum);
                         });
  }

  IRRewriter &b;
  linalg::GenericOp consumer;
  WindowTileSizes plan;
  Location loc;
  SmallVector<Value> at;      ///< the current index of each loop; null for taps
  SmallVector<size_t> active; ///< taps that are inside along `rows`, or those of a step
  Value firstTap, endTap;     ///< of the loop over taps
};

/// The first step of the loop over taps at which a window reaches `edge` of the padded tensor.
Value Windows::tapLimit(int64_t edge) {
  size_t first = channel + 1;
  int64_t step =
      (*tpp::linearCoefficients(mapOf(op, padded).getResult(rows->position), sizes.size()))[first];
  AffineExpr place = b.getAffineSymbolExpr(0) * rows->stride + b.getAffineSymbolExpr(1);
  Value limit = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(b, loc, (edge - place).ceilDiv(step),
                                            {OpFoldResult(at[rows->loop]), rows->offset}));
  return b.createOrFold<arith::MinSIOp>(loc, b.createOrFold<arith::MaxSIOp>(loc, limit, index(0)),
                                        index(sizes[first]));
}

/// The loops over channels for the taps that are inside, which are the same for many rows.
Value Windows::overRows(Value tensor, size_t first) {
  if (plan.hasTapLoop) {
    active.resize(taps.size() / sizes[channel + 1]);
    std::iota(active.begin(), active.end(), 0);
    firstTap = rows ? tapLimit(rows->low) : index(0);
    endTap = rows ? tapLimit(rows->low + rows->size) : index(sizes[channel + 1]);
    return overRow(tensor);
  }
  SmallVector<EqualTapRows> all = rowsWithEqualTaps();
  if (first + 1 == all.size()) {
    active = all[first].taps;
    return overRow(tensor);
  }
  AffineExpr begin = b.getAffineSymbolExpr(0) * rows->stride + b.getAffineSymbolExpr(1);
  Value place = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(b, loc, begin,
                                            {OpFoldResult(at[rows->loop]), rows->offset}));
  Value isHere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place, index(all[first].end));
  auto branch = scf::IfOp::create(b, loc, tensor.getType(), isHere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  active = all[first].taps;
  scf::YieldOp::create(b, loc, overRow(tensor));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, overRows(tensor, first + 1));
  return branch.getResult(0);
}

/// The loops over channels and pixels.
Value Windows::overRow(Value tensor) {
  auto vectors = [&](Value t, Value first, int64_t count, int64_t width,
                     ArrayRef<SmallVector<Value>> weights) {
    Value start = at[channel];
    for (int64_t next = 0; next < width; next += plan.lanes) {
      at[channel] = b.createOrFold<arith::AddIOp>(loc, start, index(next));
      t = pixels(t, first, count, std::min(plan.lanes, width - next), weights);
    }
    at[channel] = start;
    return t;
  };
  if (plan.readsRowsOnce)
    return overPixels(tensor, [&](Value t, Value first, int64_t count) {
      return overChannels(t, [&](Value inner, int64_t width) {
        return vectors(inner, first, count, width, loadWeights(width));
      });
    });
  return overChannels(tensor, [&](Value t, int64_t width) {
    SmallVector<SmallVector<Value>> weights = loadWeights(width);
    return overPixels(t, [&](Value inner, Value first, int64_t count) {
      return vectors(inner, first, count, width, weights);
    });
  });
}

Value Windows::overChannels(Value tensor, llvm::function_ref<Value(Value, int64_t)> body) {
  auto part = [&](Value i, int64_t width, Value t) {
    at[channel] = i;
    return body(t, width);
  };
  return buildVectorLoop(b, loc, sizes[channel], plan.channels, tensor, part);
}

/// For each input that is kept in registers, its vectors by tap.
SmallVector<SmallVector<Value>> Windows::loadWeights(int64_t width) {
  SmallVector<SmallVector<Value>> weights(op.getNumDpsInputs());
  if (!plan.keepsFilters)
    return weights;
  for (unsigned number : filters)
    for (const SmallVector<int64_t> &tap : taps)
      weights[number].push_back(read(op.getDpsInputs()[number], mapOf(op, number), tap, width));
  return weights;
}

/// Some pixels after others.
Value Windows::overPixels(Value tensor, llvm::function_ref<Value(Value, Value, int64_t)> body) {
  int64_t size = sizes[pixel], all = size / plan.pixels * plan.pixels, from = 0, to = all;
  // Pixels whose windows reach out of the image are worked on one by one, each with its own taps.
  auto isFree = [&](int64_t first) {
    return !columns || llvm::all_of(taps, [&](ArrayRef<int64_t> tap) {
      auto isIn = [&](int64_t x) {
        return isInside(*columns, x * columns->stride + *getConstantIntValue(columns->offset), tap);
      };
      return isIn(first) && isIn(first + plan.pixels - 1);
    });
  };
  while (from < to && !isFree(from))
    from += plan.pixels;
  while (to > from && !isFree(to - plan.pixels))
    to -= plan.pixels;
  auto part = [&](Value t, Value first) { return body(t, first, plan.pixels); };
  for (int64_t first = 0; first < from; first += plan.pixels)
    tensor = part(tensor, index(first));
  tensor = buildFor(b, loc, from, to, plan.pixels, tensor,
                    [&](Value first, Value t) { return part(t, first); });
  for (int64_t first = to; first < all; first += plan.pixels)
    tensor = part(tensor, index(first));
  return all == size ? tensor : body(tensor, index(all), size - all);
}

Value Windows::pixels(Value tensor, Value first, int64_t count, int64_t width,
                      ArrayRef<SmallVector<Value>> weights) {
  at[pixel] = first;
  Value start = fillValue(op.getDpsInits()[0]);
  auto furtherBy = [&](int64_t i, ArrayRef<int64_t> tap) {
    SmallVector<int64_t> by(tap);
    by[pixel] = i;
    return by;
  };
  SmallVector<int64_t> none(sizes.size(), 0);
  unsigned inputs = op.getNumDpsInputs();
  SmallVector<Value> sums;
  for (int64_t i = 0; i < count; ++i)
    sums.push_back(start ? broadcastToLanes(b, loc, start, width)
                         : read(op.getDpsInits()[0], mapOf(op, inputs), furtherBy(i, none), width));
  // Windows of neighbours share elements: by input and constant part of the place.
  std::map<std::pair<unsigned, std::vector<int64_t>>, Value> loaded;
  auto load = [&](unsigned number, ArrayRef<int64_t> by) -> Value {
    AffineMap map = mapOf(op, number);
    std::vector<int64_t> place;
    for (AffineExpr expr : map.getResults()) {
      int64_t constant = 0;
      for (auto [step, distance] : llvm::zip(*tpp::linearCoefficients(expr, sizes.size()), by))
        constant += step * distance;
      place.push_back(constant);
    }
    bool isGrouped = group && number == grouped;
    if (isGrouped)
      place.push_back(by[group->member]);
    Value &known = loaded[{number, place}];
    bool isPadded = pad && number == padded;
    if (known)
      return known;
    Value tensor = isPadded ? unpadded : op.getDpsInputs()[number];
    auto further = isPadded ? ArrayRef(unpaddedOffsets) : ArrayRef<OpFoldResult>();
    known = isGrouped ? readGroups(tensor, map, by, width, further)
                      : read(tensor, map, by, width, further);
    return known;
  };
  auto isAtPixel = [&](int64_t i, ArrayRef<int64_t> tap) {
    std::optional<int64_t> start = getConstantIntValue(first);
    if (!columns || !start)
      return true;
    int64_t offset = *getConstantIntValue(columns->offset);
    return isInside(*columns, (*start + i) * columns->stride + offset, tap);
  };
  auto addTaps = [&] {
    for (size_t tap : active)
      for (int64_t i = 0; i < count; ++i) {
        if (!isAtPixel(i, taps[tap]))
          continue;
        SmallVector<Value> arguments;
        for (unsigned number = 0; number < inputs; ++number) {
          bool isUsed = op.payloadUsesValueFromOperand(&op->getOpOperand(number));
          arguments.push_back(!isUsed                    ? Value()
                              : !weights[number].empty() ? weights[number][tap]
                                                         : load(number, furtherBy(i, taps[tap])));
        }
        arguments.push_back(sums[i]);
        sums[i] = apply(op, arguments, width);
      }
  };
  if (plan.hasTapLoop) {
    auto forOp = scf::ForOp::create(b, loc, firstTap, endTap, index(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    at[channel + 1] = forOp.getInductionVar();
    llvm::copy(forOp.getRegionIterArgs(), sums.begin());
    addTaps();
    scf::YieldOp::create(b, loc, sums);
    at[channel + 1] = nullptr;
    llvm::copy(forOp.getResults(), sums.begin());
  } else
    addTaps();
  for (int64_t i = 0; i < count; ++i) {
    Value value = sums[i];
    SmallVector<int64_t> by = furtherBy(i, none);
    if (consumer) {
      SmallVector<Value> arguments;
      for (unsigned number = 0; number < consumer.getNumDpsInputs(); ++number) {
        Value input = consumer.getDpsInputs()[number];
        arguments.push_back(
            input == op.getResult(0) ? value : read(input, mapOf(consumer, number), by, width));
      }
      arguments.push_back(consumer.getDpsInits()[0] == op.getResult(0) ? value : Value());
      value = apply(consumer, arguments, width);
    }
    SmallVector<Value> where =
        position(b.getMultiDimIdentityMap(sizes.size()).getMajorSubMap(channel + 1), by);
    tensor = writeVector(b, loc, value, tensor, where);
  }
  return tensor;
}

} // namespace

std::optional<unsigned> vectorizeWindowNHWC(IRRewriter &rewriter, linalg::GenericOp op,
                                            TargetAttr target) {
  std::optional<WindowShape> shape = WindowShape::of(op);
  if (!shape)
    return std::nullopt;
  unsigned channels = shape->channel;
  Windows(rewriter, std::move(*shape), target).run();
  return channels;
}

} // namespace kgen
