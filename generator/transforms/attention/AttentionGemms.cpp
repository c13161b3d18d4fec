#include "transforms/attention/AttentionGemms.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/AttentionProducts.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GemmPlan.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/attention/AttentionPatterns.h"
#include "transforms/attention/AttentionSizes.h"

#include <llvm/Support/MathExtras.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

using utils::IteratorType;

/// A multiplication of the gemm's sum with a constant moves to Q, which has fewer elements than the
/// scores. If nothing else happens to the scores, so does the factor log2(e) of the exponential: a
/// finite mask value times log2(e) might overflow.
ScoreScale::ScoreScale(AttentionOp op) {
  Block &region = op.getScore().front();
  Value sum = region.getArgument(0), score = region.getTerminator()->getOperand(0);
  if (sum.getType() != op.getAccumulatorType())
    return;
  APFloat constant(0.0);
  auto multiply = sum.hasOneUse() ? dyn_cast<arith::MulFOp>(*sum.user_begin()) : nullptr;
  if (multiply && (matchPattern(multiply.getRhs(), m_ConstantFloat(&constant)) ||
                   matchPattern(multiply.getLhs(), m_ConstantFloat(&constant)))) {
    multiplication = multiply;
    factor = constant.convertToDouble();
  }
  areExponents = score == (multiplication ? multiplication->getResult(0) : sum);
  if (areExponents)
    factor *= llvm::numbers::log2e;
}

AttentionGemms::AttentionGemms(OpBuilder &b, AttentionOp op, TargetAttr target,
                               const ScoreScale &scale, OnlineSoftmax &softmax)
    : batch(op.getBatchRank()), b(b), op(op), loc(op.getLoc()), element(op.getAccumulatorType()),
      lanes(target.lanes(element)), cache(capacity(target.cpu(), Cache::l2)), scale(scale),
      softmax(softmax), d(op.getIterationSizes()[op.dimD()]), e(op.getIterationSizes()[op.dimE()]),
      plan(planOfPairs(op)), isVnni(plan != nullptr) {}

Value AttentionGemms::emptyOf(ArrayRef<int64_t> shape, Type type) {
  return emptyTensor(b, loc, shape, type);
}

Value AttentionGemms::leadingColumns(Value tensor, int64_t count) {
  auto shape = cast<ShapedType>(tensor.getType()).getShape();
  if (shape.back() == count)
    return tensor;
  SmallVector<int64_t> lengths(shape);
  lengths.back() = count;
  return extract(b, loc, tensor, TensorSlice(b, SmallVector<int64_t>(shape.size(), 0), lengths));
}

/// The map of a slice in an iteration space of three dimensions; `dims` are pairs (dimension of the
/// operand's map, dimension of that space). Other dimensions are dropped.
AffineMap AttentionGemms::localMap(AffineMap map, ArrayRef<std::pair<unsigned, unsigned>> dims) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    for (auto [from, to] : dims)
      if (cast<AffineDimExpr>(result).getPosition() == from)
        results.push_back(b.getAffineDimExpr(to));
  return AffineMap::get(3, 0, results, b.getContext());
}

/// [rows, k] times [k, columns] or a VNNI panel; the epilogue's region is still empty.
tpp::GemmOp AttentionGemms::createGemm(Value a, AffineMap aMap, Value right, ValueRange epilogueIns,
                                       ArrayRef<AffineMap> epilogueMaps, Value init,
                                       bool accumulate) {
  AffineExpr row, column, depth;
  bindDims(b.getContext(), row, column, depth);
  auto shape = cast<ShapedType>(right.getType()).getShape();
  bool isPanel = shape.size() == 4;
  AffineMap map = AffineMap::get(3, 0, {depth, column}, b.getContext());
  IntegerAttr panel = isPanel ? b.getI64IntegerAttr(shape[2]) : IntegerAttr();
  auto gemm =
      tpp::GemmOp::create(b, loc, init.getType(), a, right, epilogueIns, init, aMap, map,
                          b.getAffineMapArrayAttr(epilogueMaps), panel, /*vnni=*/isPanel ? 2 : 1,
                          accumulate, /*sequential=*/false, /*a_unsigned=*/false,
                          /*b_unsigned=*/false, BlockwiseQuantAttr(), DenseI64ArrayAttr(),
                          /*f16_accumulate=*/false);
  if (isPanel)
    gemm->setDiscardableAttr(gemmPlanAttrName, plan);
  return gemm;
}

Value AttentionGemms::scores(const QueryBlock &queries, const KeyBlock &keys) {
  unsigned dimN = op.dimN(), dimD = op.dimD();
  Value keySlice =
      extractSlice(k, op.getKMap(),
                   {{dimN, keys.first, keys.count, keys.available}, {dimD, softmax.index(0), d}});
  SmallVector<Value> tiles;
  SmallVector<AffineMap> maps;
  for (const EpilogueOperand &operand : epilogueOperands) {
    AffineMap local;
    tiles.push_back(epilogueTile(operand, queries, keys, local));
    maps.push_back(local);
  }
  tpp::GemmOp gemm =
      createGemm(keySlice, localMap(op.getKMap(), {{dimN, 0}, {dimD, 2}}), queries.transposed,
                 tiles, maps, empty({keys.count, padded(queries.count)}), /*accumulate=*/false);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types{element};
  for (Value tile : tiles)
    types.push_back(getElementTypeOrSelf(tile.getType()));
  Block *body =
      b.createBlock(&gemm.getEpilogue(), {}, types, SmallVector<Location>(types.size(), loc));
  IRMapping mapping;
  Value scaled = body->getArgument(0);
  if (isVnni && scale.factor != 1) // Q must keep its rounded values
    scaled = arith::MulFOp::create(
        b, loc, scaled,
        arith::ConstantOp::create(b, loc, b.getFloatAttr(scaled.getType(), scale.factor)));
  for (auto [old, argument] : llvm::zip(op.getScore().getArguments(), body->getArguments())) {
    Value value = argument == body->getArgument(0) ? scaled : argument;
    if (old.getType() != value.getType())
      value = arith::TruncFOp::create(b, loc, old.getType(), value);
    mapping.map(old, value);
  }
  for (Operation &inner : op.getScore().front().without_terminator()) {
    if (&inner == scale.multiplication)
      mapping.map(inner.getResult(0), scaled);
    else
      b.clone(inner, mapping);
  }
  Value score = op.getScore().front().getTerminator()->getOperand(0);
  tpp::YieldOp::create(b, loc, mapping.lookupOrDefault(score));
  return gemm.getResult(0);
}

OnlineSoftmax::Probabilities AttentionGemms::probabilities(Value scores, Value runningMax,
                                                           Value sum) {
  if (!isVnni)
    return softmax.probabilities(scores, runningMax, sum);
  auto shape = cast<ShapedType>(scores.getType()).getShape();
  Value pairs = emptyOf({llvm::divideCeilSigned(shape[0], 2), 2 * shape[1]}, b.getBF16Type());
  auto [probabilities, total] = softmax.probabilityPairs(scores, runningMax, sum, pairs);
  return {vnniPanel(probabilities), total};
}

/// probabilities * V, written to `init` or, with `accumulate`, added to it; the epilogue multiplies
/// with `inverse` of the query unless that is null.
Value AttentionGemms::valueGemm(Value probabilities, const QueryBlock &queries,
                                const KeyBlock &keys, Value init, Value inverse, bool accumulate) {
  Value valueSlice = extractSlice(
      v, vMap,
      {{op.dimN(), keys.first, keys.count, keys.available}, {op.dimE(), softmax.index(0), e}});
  SmallVector<Value> epilogueIns;
  SmallVector<AffineMap> maps;
  AffineExpr row = b.getAffineDimExpr(0), depth = b.getAffineDimExpr(2);
  if (inverse) {
    epilogueIns.push_back(inverse);
    maps.push_back(AffineMap::get(2, 0, row, b.getContext()));
  }
  tpp::GemmOp gemm =
      isVnni ? createGemm(valueSlice, AffineMap::get(3, 0, {row, depth}, b.getContext()),
                          probabilities, epilogueIns, maps, init, accumulate)
             : createGemm(leadingColumns(probabilities, queries.count),
                          AffineMap::get(3, 0, {depth, row}, b.getContext()), valueSlice,
                          epilogueIns, maps, init, accumulate);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(1 + epilogueIns.size(), element);
  mlir::Block *body =
      b.createBlock(&gemm.getEpilogue(), {}, types, SmallVector<Location>(types.size(), loc));
  Value result = body->getArgument(0);
  if (inverse)
    result = divided(b, loc, result, body->getArgument(1));
  if (Type stored = getElementTypeOrSelf(init.getType()); stored != element)
    result = arith::TruncFOp::create(b, loc, stored, result);
  tpp::YieldOp::create(b, loc, result);
  return gemm.getResult(0);
}

Value AttentionGemms::weightedSums(Value probabilities, const QueryBlock &queries,
                                   const KeyBlock &keys, Value before) {
  Value init = before;
  if (!init)
    init = isVnni ? empty({e, padded(queries.count)}) : empty({queries.count, e});
  return valueGemm(probabilities, queries, keys, init, /*inverse=*/{},
                   /*accumulate=*/before != nullptr);
}

Value AttentionGemms::noSums(const QueryBlock &queries) {
  return zeros({queries.count, e}, element);
}

Value AttentionGemms::rescaled(Value sums, const QueryBlock &queries, Value factors) {
  AffineMap all = b.getMultiDimIdentityMap(2),
            byQuery = AffineMap::get(2, 0, b.getAffineDimExpr(isVnni ? 1 : 0), b.getContext());
  if (!isVnni)
    factors = leadingColumns(factors, queries.count);
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, sums.getType(), factors, sums, {byQuery, all}, iterators,
                                   [&](OpBuilder &inner, Location where, ValueRange in) {
                                     Value product =
                                         arith::MulFOp::create(inner, where, in[1], in[0]);
                                     linalg::YieldOp::create(inner, where, product);
                                   })
      .getResult(0);
}

/// Returns the reciprocals of the sums of weights: 0 for no keys, whose weighted sum is 0, too.
Value AttentionGemms::reciprocals(Value sum) {
  AttentionSizes sizes(op);
  Value isNothing;
  if (sizes.leastOf(op.dimN()) == 0) {
    Value keys = getValueOrCreateConstantIndexOp(b, loc, sizes.value(b, op.dimN()));
    isNothing = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, keys, softmax.index(0));
  }
  return softmax.reciprocals(sum, op.getMaskedToZero() || op.getNanToZero(), isNothing);
}

/// `sum` of weighted values times the reciprocal of the sum of the weights.
Value AttentionGemms::divided(OpBuilder &at, Location where, Value sum, Value inverse) {
  Value quotient = arith::MulFOp::create(at, where, sum, inverse);
  if (!op.getNanToZero())
    return quotient;
  Value isNan = arith::CmpFOp::create(at, where, arith::CmpFPredicate::UNO, inverse, inverse);
  Value zero = arith::ConstantOp::create(at, where, at.getZeroAttr(quotient.getType()));
  return arith::SelectOp::create(at, where, isNan, zero, quotient);
}

Value AttentionGemms::normalized(Value sums, const QueryBlock &queries, Value sum, Value target) {
  AffineExpr query, column;
  bindDims(b.getContext(), query, column);
  AffineMap all = b.getMultiDimIdentityMap(2),
            byQuery = AffineMap::get(2, 0, query, b.getContext()),
            ofSums = isVnni ? AffineMap::get(2, 0, {column, query}, b.getContext()) : all;
  Value inverse = leadingColumns(reciprocals(sum), queries.count);
  if (isVnni)
    sums = leadingColumns(sums, queries.count);
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, target.getType(), ValueRange{sums, inverse}, target,
                                   {ofSums, byQuery, all}, iterators,
                                   [&](OpBuilder &inner, Location where, ValueRange in) {
                                     Value quotient = divided(inner, where, in[0], in[1]);
                                     if (in[2].getType() != element)
                                       quotient = arith::TruncFOp::create(
                                           inner, where, in[2].getType(), quotient);
                                     linalg::YieldOp::create(inner, where, quotient);
                                   })
      .getResult(0);
}

Value AttentionGemms::weightedAverage(Value probabilities, const QueryBlock &queries,
                                      const KeyBlock &keys, Value sum, Value target) {
  if (isVnni)
    return normalized(weightedSums(probabilities, queries, keys, {}), queries, sum, target);
  Value inverse = leadingColumns(reciprocals(sum), queries.count);
  return valueGemm(probabilities, queries, keys, target, inverse, /*accumulate=*/false);
}

} // namespace kgen
