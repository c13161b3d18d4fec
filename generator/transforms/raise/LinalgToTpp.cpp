// Recognizes tile operations in linalg: a generic whose body is the scalar code of one of them is
// that one.
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LINALGTOTPPPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ElementwiseOpInterface;

/// The body of `op`, with copies of the constants that it uses from outside.
std::unique_ptr<Block> selfContainedBody(linalg::GenericOp op) {
  auto block = std::make_unique<Block>();
  OpBuilder b(op.getContext());
  b.setInsertionPointToEnd(block.get());
  IRMapping mapping;
  for (BlockArgument argument : op.getBody()->getArguments())
    mapping.map(argument, block->addArgument(argument.getType(), op.getLoc()));
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(op.getRegion(), outside);
  for (Value value : outside) {
    Operation *constant = value.getDefiningOp();
    if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
      return nullptr;
    b.clone(*constant, mapping);
  }
  for (Operation &inner : *op.getBody())
    b.clone(inner, mapping);
  return block;
}

/// Whether two values are computed alike; arguments by their number.
bool sameValue(Value x, Value y) {
  if (x.getType() != y.getType())
    return false;
  auto argument = dyn_cast<BlockArgument>(x), other = dyn_cast<BlockArgument>(y);
  if (argument || other)
    return argument && other && argument.getArgNumber() == other.getArgNumber();
  Operation *left = x.getDefiningOp(), *right = y.getDefiningOp();
  return left->getName() == right->getName() && left->getNumResults() == 1 &&
         left->getNumRegions() == 0 && left->getNumOperands() == right->getNumOperands() &&
         left->getAttrDictionary() == right->getAttrDictionary() &&
         llvm::all_of(llvm::zip(left->getOperands(), right->getOperands()), [](auto operands) {
           return sameValue(std::get<0>(operands), std::get<1>(operands));
         });
}

/// The x of 0 > x ? 0 : x, in whichever way that is written; null if `value` is something else.
Value reluOf(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  if (!compare)
    return {};
  Value left = compare.getLhs(), right = compare.getRhs();
  auto isZero = [](Value v) { return matchPattern(v, m_PosZeroFloat()); };
  auto chooses = [&](arith::CmpFPredicate predicate, Value zero, Value x, bool zeroIfTrue) {
    Value then = select.getTrueValue(), otherwise = select.getFalseValue();
    return compare.getPredicate() == predicate && isZero(zero) &&
           (zeroIfTrue ? isZero(then) && otherwise == x : then == x && isZero(otherwise));
  };
  if (chooses(arith::CmpFPredicate::OGT, left, right, true) ||
      chooses(arith::CmpFPredicate::ULE, left, right, false))
    return right;
  if (chooses(arith::CmpFPredicate::OLT, right, left, true) ||
      chooses(arith::CmpFPredicate::UGE, right, left, false))
    return left;
  return {};
}

/// A generic that may be an elementwise tile operation.
class Recognizer {
public:
  Recognizer(IRRewriter &b, linalg::GenericOp op) : b(b), op(op), body(selfContainedBody(op)) {}

  bool run() {
    if (!body || !isElementwise())
      return false;
    if (tryAs<tpp::ZeroOp>() || tryAs<tpp::IdentityOp>() || tryAs<tpp::ReluOp>() ||
        tryAs<tpp::SigmoidOp>() || tryAs<tpp::TanhOp>() || tryAs<tpp::ExpOp>() ||
        tryAs<tpp::LogOp>() || tryAs<tpp::SqrtOp>() || tryAs<tpp::ReciprocalOp>() ||
        tryAs<tpp::NegOp>() || tryAs<tpp::AbsOp>() || tryAs<tpp::AddOp>() || tryAs<tpp::SubOp>() ||
        tryAs<tpp::MulOp>() || tryAs<tpp::DivOp>() || tryAs<tpp::MaxOp>() || tryAs<tpp::MinOp>())
      return true;
    return tryGelu() || tryLeakyRelu();
  }

private:
  bool isElementwise() {
    if (op.getNumDpsInits() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
        op.hasIndexSemantics() || op.hasDynamicShape() ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return false;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return isa<ShapedType>(operand.get().getType()) &&
             getElementTypeOrSelf(operand.get()).isIntOrFloat() &&
             op.getMatchingIndexingMap(&operand).isProjectedPermutation();
    });
  }

  bool acceptsTypes(bool integers) {
    return integers || llvm::all_of(op->getOperands(), [](Value operand) {
             return isa<FloatType>(getElementTypeOrSelf(operand));
           });
  }

  /// Builds the tile operation on the generic's inputs in the order of `numbers`, and keeps it if
  /// its scalar code is the body.
  template <typename Op>
  bool keepIfEqual(ArrayRef<unsigned> numbers, ArrayRef<NamedAttribute> attributes) {
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (unsigned number : numbers) {
      operands.push_back(op.getDpsInputs()[number]);
      maps.push_back(op.getMatchingIndexingMap(op.getDpsInputOperand(number)));
    }
    operands.push_back(op.getDpsInits()[0]);
    b.setInsertionPoint(op);
    auto tile = Op::create(b, op.getLoc(), op->getResultTypes(), operands, attributes);
    if (!llvm::all_of(maps, [](AffineMap map) { return map.isIdentity(); }))
      tile.setMapsAttr(b.getAffineMapArrayAttr(maps));
    if (!tile.acceptsIntegers() && !acceptsTypes(false)) {
      b.eraseOp(tile);
      return false;
    }
    Block scratch;
    SmallVector<Value> elements;
    for (BlockArgument argument : body->getArguments())
      scratch.addArgument(argument.getType(), op.getLoc());
    for (unsigned number : numbers)
      elements.push_back(scratch.getArgument(number));
    OpBuilder inner(op.getContext());
    inner.setInsertionPointToEnd(&scratch);
    Value element = tpp::buildElement(cast<ElementwiseOpInterface>(tile.getOperation()), inner,
                                      op.getLoc(), elements);
    Value computed = body->getTerminator()->getOperand(0);
    Value relu = std::is_same_v<Op, tpp::ReluOp> ? reluOf(computed) : Value();
    // Between conversions it is compared as a whole.
    if (relu && reluOf(element) ? !sameValue(reluOf(element), relu)
                                : !sameValue(element, computed)) {
      b.eraseOp(tile);
      return false;
    }
    b.replaceOp(op, tile->getResults());
    return true;
  }

  /// With every choice of inputs.
  template <typename Op> bool tryAs(ArrayRef<NamedAttribute> attributes = {}) {
    unsigned count = op.getNumDpsInputs(), arity = arityOf<Op>();
    SmallVector<unsigned> numbers(arity, 0);
    if (arity > 0 && count == 0)
      return false;
    while (true) {
      if (typesFit<Op>(numbers) && keepIfEqual<Op>(numbers, attributes))
        return true;
      unsigned position = 0;
      while (position < arity && ++numbers[position] == count)
        numbers[position++] = 0;
      if (position == arity)
        return false;
    }
  }

  template <typename Op> static unsigned arityOf() {
    if constexpr (std::is_same_v<Op, tpp::ZeroOp>)
      return 0;
    return llvm::is_one_of<Op, tpp::AddOp, tpp::SubOp, tpp::MulOp, tpp::DivOp, tpp::MaxOp,
                           tpp::MinOp>::value
               ? 2
               : 1;
  }

  /// Whether the tile operation is defined for the types of its operands.
  template <typename Op> bool typesFit(ArrayRef<unsigned> numbers) {
    Type out = getElementTypeOrSelf(op.getDpsInits()[0]);
    return llvm::all_of(numbers, [&](unsigned number) {
      Type in = getElementTypeOrSelf(op.getDpsInputs()[number]);
      bool converts = std::is_same_v<Op, tpp::IdentityOp> && isa<IntegerType>(in);
      return in == out || converts || (isa<FloatType>(in) && isa<FloatType>(out));
    });
  }

  bool tryGelu() {
    NamedAttribute byTanh(b.getStringAttr("tanh"), b.getUnitAttr());
    return tryAs<tpp::GeluOp>() || tryAs<tpp::GeluOp>(byTanh);
  }

  /// Any of the body's constants may be the slope.
  bool tryLeakyRelu() {
    for (Operation &inner : *body) {
      auto constant = dyn_cast<arith::ConstantOp>(inner);
      auto value = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
      if (!value || value.getValue().isZero())
        continue;
      double alpha = value.getValueAsDouble();
      NamedAttribute slope(b.getStringAttr("alpha"), b.getF64FloatAttr(alpha));
      if (tryAs<tpp::LeakyReluOp>(slope))
        return true;
    }
    return false;
  }

  IRRewriter &b;
  linalg::GenericOp op;
  std::unique_ptr<Block> body;
};

/// A copy in another order of dimensions.
bool raiseTranspose(IRRewriter &b, linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.hasDynamicShape() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  AffineMap in = op.getIndexingMapsArray()[0], out = op.getIndexingMapsArray()[1];
  bool copies = op.getBody()->getTerminator()->getOperand(0) == op.getBody()->getArgument(0);
  if (!copies || !in.isPermutation() || !out.isIdentity() || in.isIdentity())
    return false;
  SmallVector<int64_t> order;
  for (AffineExpr result : inversePermutation(in).getResults())
    order.push_back(cast<AffineDimExpr>(result).getPosition());
  b.setInsertionPoint(op);
  b.replaceOpWithNewOp<tpp::TransposeOp>(op, op->getResultTypes(), op.getDpsInputs()[0],
                                         op.getDpsInits()[0], order);
  return true;
}

std::optional<tpp::ReduceKind> kindOf(Operation *combiner) {
  if (isa<arith::AddFOp, arith::AddIOp>(combiner))
    return tpp::ReduceKind::add;
  if (isa<arith::MaximumFOp, arith::MaxSIOp>(combiner))
    return tpp::ReduceKind::max;
  if (isa<arith::MinimumFOp, arith::MinSIOp>(combiner))
    return tpp::ReduceKind::min;
  if (isa<arith::MulFOp, arith::MulIOp>(combiner))
    return tpp::ReduceKind::mul;
  return std::nullopt;
}

/// One combining operation of the element and the result so far.
bool raiseReduce(IRRewriter &b, linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.hasDynamicShape() ||
      op.getNumReductionLoops() == 0 || !op.getIndexingMapsArray()[0].isIdentity() ||
      op.getBody()->getOperations().size() != 2)
    return false;
  Operation &combiner = op.getBody()->front();
  std::optional<tpp::ReduceKind> kind = kindOf(&combiner);
  if (!kind || op.getBody()->getTerminator()->getOperand(0) != combiner.getResult(0))
    return false;
  Value x = op.getBody()->getArgument(0), sum = op.getBody()->getArgument(1);
  bool combines = (combiner.getOperand(0) == x && combiner.getOperand(1) == sum) ||
                  (combiner.getOperand(0) == sum && combiner.getOperand(1) == x);
  SmallVector<int64_t> dimensions;
  for (auto [position, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      dimensions.push_back(position);
  AffineMap kept = op.getIndexingMapsArray()[0].dropResults(dimensions);
  if (!combines || op.getIndexingMapsArray()[1] != kept)
    return false;
  b.setInsertionPoint(op);
  b.replaceOpWithNewOp<tpp::ReduceOp>(op, op->getResultTypes(), op.getDpsInputs()[0],
                                      op.getDpsInits()[0], *kind, dimensions);
  return true;
}

void raiseZero(IRRewriter &b, linalg::FillOp op) {
  bool isZero = matchPattern(op.value(), m_PosZeroFloat()) || matchPattern(op.value(), m_Zero());
  if (isZero && !op.hasDynamicShape())
    b.replaceOpWithNewOp<tpp::ZeroOp>(op, op->getResultTypes(), ValueRange{}, op.output(),
                                      ArrayAttr());
}

/// Named operations that may be tile operations become generics first.
bool isCandidate(linalg::LinalgOp op) {
  return isa<linalg::FillOp, linalg::CopyOp, linalg::BroadcastOp, linalg::TransposeOp,
             linalg::ReduceOp, linalg::MapOp, linalg::ElementwiseOp, linalg::AddOp, linalg::SubOp,
             linalg::MulOp, linalg::DivOp, linalg::MaxOp, linalg::MinOp, linalg::ExpOp,
             linalg::LogOp, linalg::AbsOp, linalg::NegFOp, linalg::SqrtOp, linalg::TanhOp,
             linalg::ReciprocalOp, linalg::GenericOp>(op);
}

struct LinalgToTppPass : impl::LinalgToTppPassBase<LinalgToTppPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> candidates;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isCandidate(op))
        candidates.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : candidates)
      raise(rewriter, op);
  }

private:
  /// Tries on a generic copy; an operation that is none stays as it was.
  static void raise(IRRewriter &b, linalg::LinalgOp op) {
    b.setInsertionPoint(op);
    if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
      return raiseZero(b, fill);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      auto copy = cast<linalg::LinalgOp>(b.clone(*op));
      FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(b, copy);
      if (failed(made))
        return b.eraseOp(copy);
      generic = *made;
    }
    bool raised =
        raiseTranspose(b, generic) || raiseReduce(b, generic) || Recognizer(b, generic).run();
    if (generic == op)
      return;
    if (!raised)
      return b.eraseOp(generic);
    // What was made of the copy stands before the named operation.
    b.replaceOp(op, op->getPrevNode()->getResults());
  }
};

} // namespace
} // namespace kgen
