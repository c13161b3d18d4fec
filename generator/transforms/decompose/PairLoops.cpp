#include "transforms/decompose/PairLoops.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {
namespace {

class PairLoops {
public:
  PairLoops(OpBuilder &b, Location loc, ArrayRef<int64_t> sizes, Type element)
      : b(b), loc(loc), sizes(sizes), element(element), compute(accumulatorOf(element)),
        position(b.getAffineDimExpr(sizes.size() - 1)) {}

  Value build(const PairOperand &pairs, const PairTerm &other, const std::optional<PairTerm> &own) {
    for (int64_t number : {1, 0})
      addElements(pairs, b.getAffineConstantExpr(number));
    add(arith::ConstantOp::create(b, loc,
                                  DenseElementsAttr::get(RankedTensorType::get({2}, b.getI8Type()),
                                                         ArrayRef<int8_t>{1, 0})),
        position);
    addTerm(other);
    if (own) {
      addElements(pairs, position);
      addTerm(*own);
    }
    Value init = emptyTensor(b, loc, sizes, element);
    maps.push_back(b.getMultiDimIdentityMap(sizes.size()));
    SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
    auto fill = [&](OpBuilder &inner, Location at, ValueRange in) {
      linalg::YieldOp::create(inner, at, body(inner, at, in, other, own));
    };
    return linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps, loops, fill)
        .getResult(0);
  }

private:
  /// The operands' elements follow each other as they were added.
  Value body(OpBuilder &inner, Location at, ValueRange in, const PairTerm &other,
             const std::optional<PairTerm> &own) const {
    unsigned next = 0;
    auto take = [&] { return inFloatType(inner, at, in[next++], compute); };
    auto term = [&](Value value, const PairTerm &by) -> Value {
      Value factor = by.factor ? take() : Value();
      if (by.number)
        factor = arith::ConstantOp::create(inner, at, inner.getFloatAttr(compute, *by.number));
      if (by.isNegative[0] != by.isNegative[1])
        value = arith::MulFOp::create(inner, at, value, take());
      else if (by.isNegative[0])
        value = arith::NegFOp::create(inner, at, value);
      return factor ? arith::MulFOp::create(inner, at, value, factor) : value;
    };
    Value second = take(), first = take(), isFirst = in[next++];
    Value zero = arith::ConstantOp::create(inner, at, inner.getI8IntegerAttr(0));
    isFirst = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::ne, isFirst, zero);
    Value sum = term(arith::SelectOp::create(inner, at, isFirst, second, first), other);
    if (own)
      sum = arith::AddFOp::create(inner, at, term(take(), *own), sum);
    return inFloatType(inner, at, sum, element);
  }

  void add(Value value, ArrayRef<AffineExpr> at) {
    inputs.push_back(value);
    maps.push_back(AffineMap::get(sizes.size(), 0, at, b.getContext()));
  }

  void addElements(const PairOperand &pairs, AffineExpr number) {
    SmallVector<AffineExpr> at(pairs.at);
    at.push_back(number);
    add(pairs.tensor, at);
  }

  /// With -1 for the elements of pairs that are negative, if it is one of two.
  void addTerm(const PairTerm &term) {
    if (term.factor)
      add(term.factor->tensor, term.factor->at);
    if (term.isNegative[0] == term.isNegative[1])
      return;
    SmallVector<Attribute> signs;
    for (bool is : term.isNegative)
      signs.push_back(b.getFloatAttr(compute, is ? -1.0 : 1.0));
    auto type = RankedTensorType::get({2}, compute);
    add(arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, signs)), position);
  }

  OpBuilder &b;
  Location loc;
  ArrayRef<int64_t> sizes;
  Type element, compute;
  AffineExpr position;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};

} // namespace

Value buildPairLoops(OpBuilder &b, Location loc, ArrayRef<int64_t> sizes, Type element,
                     const PairOperand &pairs, const PairTerm &other,
                     const std::optional<PairTerm> &own) {
  return PairLoops(b, loc, sizes, element).build(pairs, other, own);
}

} // namespace kgen
