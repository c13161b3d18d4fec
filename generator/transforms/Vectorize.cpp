// linalg.generic on tensors becomes loops over vectors, with the remainder as one shorter vector.
#include "dialect/kgen/Decisions.h"
#include "transforms/CollapseDimensions.h"
#include "transforms/InterleaveCopies.h"
#include "transforms/Passes.h"
#include "transforms/WindowLoops.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Linalg/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "transforms/Passes.h.inc"

namespace {

/// Writes the loops for one operation.
class Vectorizer {
public:
  Vectorizer(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), sizes(op.getStaticLoopRanges()), at(sizes.size()) {
    lanes = std::max<int64_t>(1, target.getVectorBits() / widestBits());
  }

  /// The result that replaces the operation's, or null if it has a form that stays scalar.
  Value run() {
    if (!isSupported())
      return {};
    b.setInsertionPoint(op);
    chooseVectorDim();
    SmallVector<int64_t> outer, reductions;
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
      if (d != vectorDim)
        (isReduction(d) ? reductions : outer).push_back(d);
    Value out = op.getDpsInits()[0];
    return nest(outer, out, [&](Value tensor) {
      if (vectorDim < 0)
        return nest(reductions, tensor, [&](Value t) { return chunk(t, 0); });
      if (isReduction(vectorDim))
        return nest(reductions, tensor, [&](Value t) { return reduceAlong(t); });
      return chunks(tensor, reductions);
    });
  }

  /// How the loops look, for the record.
  Details describe(Details details);

private:
  using Body = llvm::function_ref<Value(Value)>;

  /// Of the types of all operands and of the values in the body, where bf16 is computed in f32.
  int64_t widestBits() {
    int64_t bits = 8;
    auto include = [&](Value v) {
      if (Type element = getElementTypeOrSelf(v.getType()); element.isIntOrFloat())
        bits = std::max<int64_t>(bits, element.getIntOrFloatBitWidth());
    };
    llvm::for_each(op->getOperands(), include);
    for (Operation &inner : op.getBody()->without_terminator())
      llvm::for_each(inner.getResults(), include);
    return bits;
  }

  bool isReduction(int64_t d) {
    return op.getIteratorTypesArray()[d] == utils::IteratorType::reduction;
  }

  /// The operation that combines a new value with the result so far, for each reduction.
  Operation *combiner() {
    SmallVector<Operation *> found;
    if (!matchReduction(op.getRegionOutputArgs(), 0, found) || found.size() != 1)
      return nullptr;
    return linalg::getCombinerOpKind(found[0]) && arith::getNeutralElement(found[0]) ? found[0]
                                                                                     : nullptr;
  }

  bool isSupported();
  void chooseVectorDim();

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  /// Loops over `dims` that carry the tensor; `body` is placed in the innermost one.
  Value nest(ArrayRef<int64_t> dims, Value tensor, Body body) {
    if (dims.empty())
      return body(tensor);
    return loop(0, sizes[dims.front()], 1, tensor, [&](Value i, Value t) {
      at[dims.front()] = i;
      return nest(dims.drop_front(), t, body);
    });
  }

  /// A loop that carries one value; none at all for a single step.
  Value loop(int64_t from, int64_t to, int64_t step, Value init,
             llvm::function_ref<Value(Value, Value)> body) {
    if (to <= from)
      return init;
    if (to - from <= step)
      return body(index(from), init);
    auto forOp = scf::ForOp::create(b, loc, index(from), index(to), index(step), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    scf::YieldOp::create(b, loc, body(forOp.getInductionVar(), forOp.getRegionIterArg(0)));
    return forOp.getResult(0);
  }

  /// The current index of each of the operand's dimensions.
  SmallVector<Value> position(AffineMap map) {
    SmallVector<Value> result;
    for (AffineExpr expr : map.getResults()) {
      Value sum;
      for (auto [value, step] : llvm::zip(at, *tpp::stepsOf(expr, at.size()))) {
        if (step == 0)
          continue;
        Value part = step == 1 ? value : b.createOrFold<arith::MulIOp>(loc, value, index(step));
        sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, part) : part;
      }
      result.push_back(sum ? sum : index(0));
    }
    return result;
  }

  Value read(Value tensor, AffineMap map, int64_t count);
  Value write(Value tensor, Value value, int64_t count);
  Value compute(Value accumulator, int64_t count);
  Value chunk(Value tensor, int64_t count);
  Value chunks(Value tensor, ArrayRef<int64_t> reductions);
  Value reduceAlong(Value tensor);

  IRRewriter &b;
  linalg::GenericOp op;
  Location loc;
  SmallVector<int64_t> sizes;
  SmallVector<Value> at;  ///< the current index of each dimension
  int64_t vectorDim = -1; ///< -1: no dimension at all, one element
  int64_t lanes = 1;
};

bool Vectorizer::isSupported() {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return false;
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return false;
  auto isSum = [&](AffineExpr index) { return tpp::stepsOf(index, sizes.size()).has_value(); };
  auto isOfSums = [&](AffineMap map) { return llvm::all_of(map.getResults(), isSum); };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, isOfSums) || !maps.back().isProjectedPermutation())
    return false;
  auto wholeBytes = [](Value v) {
    Type element = getElementTypeOrSelf(v.getType());
    return isa<RankedTensorType>(v.getType()) && element.isIntOrFloat() &&
           element.getIntOrFloatBitWidth() >= 8;
  };
  return llvm::all_of(op->getOperands(), wholeBytes) &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           return OpTrait::hasElementwiseMappableTraits(&inner) ||
                  inner.hasTrait<OpTrait::ConstantLike>();
         });
}

/// The dimension with the fewest operands that are not contiguous in it; the result's last
/// dimension wins a tie.
void Vectorizer::chooseVectorDim() {
  AffineMap out = op.getIndexingMapsArray().back();
  auto lastOf = [](AffineMap map) {
    auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
    return last ? static_cast<int64_t>(last.getPosition()) : -1;
  };
  // Along other loops, windows move by steps.
  auto movesPlainly = [&](int64_t d) {
    return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
      return !map.isFunctionOfDim(d) || map.getResultPosition(b.getAffineDimExpr(d));
    });
  };
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
    bool possible = isReduction(d) ? combiner() != nullptr : lastOf(out) == d;
    if (!possible || !movesPlainly(d))
      continue;
    int64_t cost = 2 * (sizes[d] == 1) + isReduction(d);
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      cost += 4 * (map.isFunctionOfDim(d) && lastOf(map) != d);
    }
    if (cost < best) {
      best = cost;
      vectorDim = d;
    }
  }
}

/// `count` elements along the vector dimension as a vector; a scalar where the operand does not
/// move along it, or where count is 0.
Value Vectorizer::read(Value tensor, AffineMap map, int64_t count) {
  SmallVector<Value> where = position(map);
  if (count == 0 || vectorDim < 0 || !map.isFunctionOfDim(vectorDim))
    return tensor::ExtractOp::create(b, loc, tensor, where);
  Type element = getElementTypeOrSelf(tensor.getType());
  auto type = VectorType::get({count}, element);
  int64_t along = *map.getResultPosition(getAffineDimExpr(vectorDim, map.getContext()));
  if (along + 1 == map.getNumResults()) {
    Value padding = ub::PoisonOp::create(b, loc, element);
    return vector::TransferReadOp::create(b, loc, type, tensor, where, padding,
                                          ArrayRef<bool>{true});
  }
  SmallVector<Value> elements;
  Value start = where[along];
  for (int64_t i = 0; i < count; ++i) {
    where[along] = arith::AddIOp::create(b, loc, start, index(i));
    elements.push_back(tensor::ExtractOp::create(b, loc, tensor, where));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Value Vectorizer::write(Value tensor, Value value, int64_t count) {
  AffineMap map = op.getIndexingMapsArray().back();
  SmallVector<Value> where = position(map);
  if (count == 0 || !map.isFunctionOfDim(vectorDim))
    return tensor::InsertOp::create(b, loc, value, tensor, where);
  return vector::TransferWriteOp::create(b, loc, value, tensor, where, ArrayRef<bool>{true})
      .getResult();
}

/// The operation's body at the current position on `count` elements (0: one scalar), with
/// `accumulator` for the result so far (null if the body does not use it).
Value Vectorizer::compute(Value accumulator, int64_t count) {
  auto widen = [&](Value v) -> Value {
    if (count == 0 || isa<VectorType>(v.getType()))
      return v;
    return vector::BroadcastOp::create(b, loc, VectorType::get({count}, v.getType()), v);
  };
  IRMapping values;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      values.map(op.getMatchingBlockArgument(input),
                 widen(read(input->get(), op.getMatchingIndexingMap(input), count)));
  if (accumulator)
    values.map(op.getRegionOutputArgs().front(), widen(accumulator));
  for (Operation &inner : op.getBody()->without_terminator()) {
    for (Value operand : inner.getOperands())
      values.map(operand, widen(values.lookupOrDefault(operand)));
    Operation *clone = b.clone(inner, values);
    bool constant = inner.hasTrait<OpTrait::ConstantLike>();
    for (auto [old, result] : llvm::zip(inner.getResults(), clone->getResults())) {
      if (count != 0 && !constant)
        result.setType(VectorType::get({count}, result.getType()));
      values.map(old, result);
    }
  }
  return widen(values.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0)));
}

/// `count` elements of the result at the current position; no reductions are left.
Value Vectorizer::chunk(Value tensor, int64_t count) {
  AffineMap map = op.getIndexingMapsArray().back();
  bool usesOld = op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
  return write(tensor, compute(usesOld ? read(tensor, map, count) : Value(), count), count);
}

/// The result along its last dimension, vector by vector; reductions run inside, on registers.
Value Vectorizer::chunks(Value tensor, ArrayRef<int64_t> reductions) {
  AffineMap map = op.getIndexingMapsArray().back();
  int64_t size = sizes[vectorDim], whole = size / lanes * lanes;
  auto piece = [&](Value i, Value t, int64_t count) {
    at[vectorDim] = i;
    if (reductions.empty())
      return chunk(t, count);
    Value sum =
        nest(reductions, read(t, map, count), [&](Value acc) { return compute(acc, count); });
    return write(t, sum, count);
  };
  tensor = loop(0, whole, lanes, tensor, [&](Value i, Value t) { return piece(i, t, lanes); });
  return whole == size ? tensor : piece(index(whole), tensor, size - whole);
}

/// One element of the result as a reduction along the vector dimension.
Value Vectorizer::reduceAlong(Value tensor) {
  Operation *combine = combiner();
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  auto neutral = [&](int64_t count) -> Value {
    TypedAttr element = *arith::getNeutralElement(combine);
    auto type = VectorType::get({count}, element.getType());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(element)));
  };
  auto sum = [&](Value vector, Value scalar) -> Value {
    // The order of the lanes is part of the variant; a tree is both faster and more accurate than a
    // chain.
    Value total = vector::ReductionOp::create(b, loc, kind, vector, arith::FastMathFlags::reassoc);
    return vector::makeArithReduction(b, loc, kind, total, scalar);
  };
  AffineMap map = op.getIndexingMapsArray().back();
  Value result = read(tensor, map, 0);
  int64_t size = sizes[vectorDim], whole = size / lanes * lanes;
  // Four partial results hide the latency of the combination.
  constexpr int64_t chains = 4;
  int64_t unrolled = whole / (chains * lanes) * (chains * lanes);
  SmallVector<Value> partial;
  if (unrolled > 0) {
    SmallVector<Value> inits(chains, neutral(lanes));
    auto forOp =
        scf::ForOp::create(b, loc, index(0), index(unrolled), index(chains * lanes), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    SmallVector<Value> next;
    for (int64_t c = 0; c < chains; ++c) {
      at[vectorDim] = arith::AddIOp::create(b, loc, forOp.getInductionVar(), index(c * lanes));
      next.push_back(compute(forOp.getRegionIterArg(c), lanes));
    }
    scf::YieldOp::create(b, loc, next);
    llvm::append_range(partial, forOp.getResults());
  }
  for (int64_t i = unrolled; i < whole; i += lanes) {
    at[vectorDim] = index(i);
    partial.push_back(compute(neutral(lanes), lanes));
  }
  while (partial.size() > 1) {
    Value last = partial.pop_back_val();
    Value &other = partial[partial.size() / 2];
    other = vector::makeArithReduction(b, loc, kind, other, last);
  }
  if (!partial.empty())
    result = sum(partial.front(), result);
  if (size > whole) {
    at[vectorDim] = index(whole);
    result = sum(compute(neutral(size - whole), size - whole), result);
  }
  return write(tensor, result, 0);
}

Details Vectorizer::describe(Details details) {
  details.set("sizes", ArrayRef<int64_t>(sizes)).set("dimension", vectorDim).set("lanes", lanes);
  bool computes = !op.getBody()->without_terminator().empty();
  Value result = op.getBody()->getTerminator()->getOperand(0);
  bool moves = llvm::is_contained(op.getRegionInputArgs(), result);
  bool reads =
      llvm::any_of(op.getDpsInputs(), [](Value v) { return isa<ShapedType>(v.getType()); });
  details.set("form", op.getNumReductionLoops() ? "reduction"
                      : computes                ? "elementwise"
                      : moves && reads          ? "copy"
                                                : "fill");
  details.set("bytes", bytesOf(op.getDpsInits()[0].getType()));
  int64_t gathered = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    gathered += vectorDim >= 0 && map.getNumResults() && map.isFunctionOfDim(vectorDim) &&
                !map.getResults().back().isFunctionOfDim(vectorDim);
  }
  return details.set("gathered", gathered);
}

struct VectorizePass : impl::VectorizePassBase<VectorizePass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    // These take elementwise operations along.
    for (linalg::GenericOp op : generics) {
      Location loc = op.getLoc();
      Details details = Vectorizer(rewriter, op, target).describe(log.details());
      if (vectoriseWindow(rewriter, op, target) && log.isOn())
        log.add("vectorised", loc, details);
    }
    generics.clear();
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics) {
      if (op.hasPureTensorSemantics() && op.getNumResults() == 1)
        op = collapseDimensions(rewriter, op);
      Vectorizer vectorizer(rewriter, op, target);
      Value result = interleaveCopy(rewriter, op, target);
      if (!result)
        result = vectorizer.run();
      if (log.isOn())
        log.add(result ? "vectorised" : "scalar", op.getLoc(), vectorizer.describe(log.details()));
      if (result)
        rewriter.replaceOp(op, result);
    }
  }
};

} // namespace
} // namespace kgen
