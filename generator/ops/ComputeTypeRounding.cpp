#include "ops/ComputeTypeRounding.h"

#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/SymbolicShape.h"
#include "ops/Lowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <cstring>

using namespace mlir;

namespace kgen {
namespace {

/// Writes the numbers rounded.
void roundNumbers(ArrayRef<char> floats, FloatType element, MutableArrayRef<char> result) {
  for (size_t i = 0; 2 * i < result.size(); ++i) {
    float value;
    std::memcpy(&value, floats.data() + i * sizeof value, sizeof value);
    llvm::APFloat number(value);
    bool inexact; // rounding is the point
    number.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    auto bits = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
    std::memcpy(result.data() + 2 * i, &bits, sizeof bits);
  }
}

/// The reshape or transposition `op` applied to `source`.
Value moved(OpBuilder &b, Operation *op, Value source) {
  auto type =
      cast<RankedTensorType>(op->getResult(0).getType()).clone(getElementTypeOrSelf(source));
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    Value empty =
        emptyTensor(b, op->getLoc(), tensorShapeOf(transpose->getResult(0)), type.getElementType());
    return linalg::TransposeOp::create(b, op->getLoc(), source, empty, transpose.getPermutation())
        ->getResult(0);
  }
  Operation *clone = b.clone(*op);
  clone->setOperand(0, source);
  clone->getResult(0).setType(type);
  return clone->getResult(0);
}

Value roundedTensor(OpBuilder &b, Location loc, Value value, FloatType element) {
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  Value empty = emptyTensor(b, loc, tensorShapeOf(value), element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location at, ValueRange scalars) {
    Value narrow = arith::TruncFOp::create(inner, at, element, scalars[0]);
    linalg::YieldOp::create(inner, at, narrow);
  };
  return linalg::GenericOp::create(b, loc, type, value, empty, maps, loops, body).getResult(0);
}

} // namespace

/// The constant's numbers rounded, as a constant of the same kind.
Value NarrowFactors::roundedConstant(OpBuilder &b, arith::ConstantOp constant, FloatType element) {
  auto type = cast<RankedTensorType>(constant.getType()).clone(element);
  auto create = [&](Attribute numbers) -> Value {
    return arith::ConstantOp::create(b, constant.getLoc(), cast<TypedAttr>(numbers));
  };
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  if (!resource) {
    ArrayRef<char> floats = cast<DenseElementsAttr>(constant.getValue()).getRawData();
    SmallVector<char> numbers(floats.size() / 2);
    roundNumbers(floats, element, numbers);
    return create(DenseElementsAttr::getFromRawBuffer(type, numbers));
  }
  void *key = resource.getRawHandle().getResource();
  if (auto known = resources.find(key); known != resources.end())
    return create(DenseResourceElementsAttr::get(type, known->second));
  ArrayRef<char> floats = resource.getRawHandle().getBlob()->getData();
  AsmResourceBlob blob = allocateBlob(floats.size() / 2);
  roundNumbers(floats, element, blob.getMutableData());
  std::string name = resource.getRawHandle().getKey().str();
  llvm::raw_string_ostream(name) << '_' << element;
  auto numbers = DenseResourceElementsAttr::get(type, name, std::move(blob));
  resources.insert({key, numbers.getRawHandle()});
  return create(numbers);
}

Value NarrowFactors::rounded(OpBuilder &b, Location loc, Value value, FloatType element) {
  if (Value done = known.lookup(value))
    return done;
  Operation *op = value.getDefiningOp();
  Value result;
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    result = roundedConstant(b, constant, element);
  else if (isa_and_nonnull<linalg::TransposeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    result = moved(b, op, rounded(b, loc, op->getOperand(0), element));
  else
    result = roundedTensor(b, loc, value, element);
  return known[value] = result;
}

} // namespace kgen
