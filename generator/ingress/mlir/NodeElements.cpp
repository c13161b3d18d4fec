// Arithmetic of a node's code in the types that all targets compute in: bf16, f16 and floats of 8
// bits become f32 before an operation and are rounded after it, as kgen's own operators do; floats
// of 8 bits are bytes.
#include "ingress/mlir/ImportParts.h"
#include "ops/Conversion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/AttrTypeSubElements.h>

using namespace mlir;

namespace kgen {
namespace {

bool isFloat8Type(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// A scalar of a type that has no arithmetic of its own.
bool isNarrow(Type type) { return type.isBF16() || type.isF16() || isFloat8Type(type); }

/// True if every target has code for the operation as it is.
bool isAsItIs(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return true;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) { // between f32 and types of 16 bits
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    return !isFloat8Type(from) && !isFloat8Type(to) && (isNarrow(from) || !from.isF64());
  }
  return false;
}

bool isRewritten(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow)) &&
         !isAsItIs(op);
}

/// Rewrites one operation on scalars.
class InF32 {
public:
  explicit InF32(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  void rewrite() {
    if (isa<arith::NegFOp, math::AbsFOp, math::CopySignOp>(op))
      return replaceWith(signOfBits());
    if (isa<math::IsNormalOp>(op)) // in f32, numbers below the type's normal ones are normal
      return replaceWith(isNormal());
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return replaceWith(rounded(widened(op->getOperand(0)), op->getResult(0).getType()));
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      return replaceWith(fromInteger());
    for (OpOperand &operand : op->getOpOperands())
      operand.set(widened(operand.get()));
    b.setInsertionPointAfter(op);
    for (OpResult result : op->getResults()) {
      Type type = result.getType();
      if (!isNarrow(type))
        continue;
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : result.getUses())
        uses.push_back(&use);
      result.setType(b.getF32Type());
      Value narrow = rounded(result, type);
      for (OpOperand *use : uses)
        use->set(narrow);
    }
  }

private:
  void replaceWith(Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  Value bitsOf(Value x) {
    Type bits = b.getIntegerType(x.getType().getIntOrFloatBitWidth());
    return arith::BitcastOp::create(b, loc, bits, x);
  }

  Value signOfBits() {
    Value bits = bitsOf(op->getOperand(0));
    unsigned width = bits.getType().getIntOrFloatBitWidth();
    auto mask = [&](const APInt &value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits.getType(), value));
    };
    Value sign = mask(APInt::getSignMask(width)), others = mask(APInt::getSignedMaxValue(width));
    Value result;
    if (isa<arith::NegFOp>(op))
      result = arith::XOrIOp::create(b, loc, bits, sign);
    else
      result = arith::AndIOp::create(b, loc, bits, others);
    if (isa<math::CopySignOp>(op)) {
      Value other = arith::AndIOp::create(b, loc, bitsOf(op->getOperand(1)), sign);
      result = arith::OrIOp::create(b, loc, result, other);
    }
    return arith::BitcastOp::create(b, loc, op->getResult(0).getType(), result);
  }

  /// True if the bits without the sign are those of the type's normal numbers, which follow each
  /// other.
  Value isNormal() {
    auto type = cast<FloatType>(op->getOperand(0).getType());
    const llvm::fltSemantics &format = type.getFloatSemantics();
    APInt least = APFloat::getSmallestNormalized(format).bitcastToAPInt(),
          greatest = APFloat::getLargest(format).bitcastToAPInt();
    Value bits = bitsOf(op->getOperand(0));
    auto constant = [&](const APInt &value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits.getType(), value));
    };
    APInt others = APInt::getSignedMaxValue(least.getBitWidth());
    Value magnitude = arith::AndIOp::create(b, loc, bits, constant(others)),
          offset = arith::SubIOp::create(b, loc, magnitude, constant(least));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, offset,
                                 constant(greatest - least));
  }

  /// An f32 with the number of a narrow one; others stay.
  Value widened(Value x) {
    if (isFloat8Type(x.getType()))
      return fromFloat8(b, loc, bitsOf(x), *elementTypeOf(x.getType()));
    return isNarrow(x.getType()) ? arith::ExtFOp::create(b, loc, b.getF32Type(), x) : x;
  }

  /// An f32 or f64 in any type of floats.
  Value rounded(Value x, Type type) {
    return inType(
        castElement(b, loc, x, *elementTypeOf(x.getType()), *elementTypeOf(type), Overflow::isLost),
        type);
  }

  Value inType(Value x, Type type) {
    return isFloat8Type(type) ? arith::BitcastOp::create(b, loc, type, x) : x;
  }

  Value fromInteger() {
    Value x = op->getOperand(0);
    Type type = op->getResult(0).getType();
    bool hasSign = isa<arith::SIToFPOp>(op);
    if (x.getType().isInteger(1))
      x = hasSign ? arith::ExtSIOp::create(b, loc, b.getI8Type(), x).getResult()
                  : arith::ExtUIOp::create(b, loc, b.getI8Type(), x).getResult();
    std::optional<ElementType> from = elementTypeOf(x.getType());
    static constexpr std::pair<ElementType, ElementType> withoutSign[] = {
        {ElementType::i8, ElementType::u8},
        {ElementType::i16, ElementType::u16},
        {ElementType::i32, ElementType::u32},
        {ElementType::i64, ElementType::u64}};
    for (auto [with, without] : withoutSign)
      if (!hasSign && from == with) {
        from = without;
        break;
      }
    return inType(castElement(b, loc, x, *from, *elementTypeOf(type), Overflow::isLost), type);
  }

  Operation *op;
  OpBuilder b;
  Location loc;
};

/// Floats of 8 bits as bytes, in all types and constants.
void storeAsBytes(func::FuncOp function) {
  Type bytes = IntegerType::get(function.getContext(), 8);
  AttrTypeReplacer replacer;
  replacer.addReplacement([bytes](FloatType type) -> std::optional<Type> {
    return isFloat8Type(type) ? std::optional<Type>(bytes) : std::nullopt;
  });
  using Replaced = std::optional<std::pair<Attribute, WalkResult>>;
  replacer.addReplacement([bytes](FloatAttr number) -> Replaced {
    if (!isFloat8Type(number.getType()))
      return std::nullopt;
    return {{IntegerAttr::get(bytes, number.getValue().bitcastToAPInt()), WalkResult::skip()}};
  });
  replacer.addReplacement([bytes](DenseElementsAttr numbers) -> Replaced {
    if (!isFloat8Type(numbers.getElementType()))
      return std::nullopt;
    return {{numbers.bitcast(bytes), WalkResult::skip()}};
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  function.walk([](Operation *op) {
    if (!isa<arith::BitcastOp, tensor::BitcastOp>(op) ||
        op->getOperand(0).getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

} // namespace

void computeInTargetTypes(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> named;
  bool hasFloat8 = false;
  function.walk([&](linalg::LinalgOp op) {
    bool changes = false;
    op->getRegion(0).walk([&](Operation *inner) { changes |= isRewritten(inner); });
    if (changes && !isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : named) { // bodies of these say their operations only
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  SmallVector<Operation *> rewritten;
  auto isOfFloat8 = [](Type type) { return isFloat8Type(getElementTypeOrSelf(type)); };
  function.walk([&](Operation *op) {
    if (isRewritten(op))
      rewritten.push_back(op);
    hasFloat8 |= llvm::any_of(op->getOperandTypes(), isOfFloat8) ||
                 llvm::any_of(op->getResultTypes(), isOfFloat8);
  });
  for (Operation *op : rewritten)
    InF32(op).rewrite();
  if (hasFloat8)
    storeAsBytes(function);
}

} // namespace kgen
