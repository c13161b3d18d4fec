#include "transforms/idioms/Expression.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/Matchers.h>

#include <cstring>

using namespace mlir;

namespace kgen {

/// The first element of a resource whose elements all have the same bytes.
static std::optional<double> splatOf(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  Type element = resource.getType().getElementType();
  if (!blob || !element.isF32() || blob->getData().size() < sizeof(float))
    return std::nullopt;
  ArrayRef<char> bytes = blob->getData();
  if (std::memcmp(bytes.data(), bytes.data() + sizeof(float), bytes.size() - sizeof(float)) != 0)
    return std::nullopt;
  float number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

Value filledWith(Operation *op) {
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op))
    return fill.getInputs()[0];
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  bool isFill =
      generic && generic.getNumDpsInputs() == 1 && generic.getNumDpsInits() == 1 &&
      generic.getInputs()[0].getType().isIntOrIndexOrFloat() &&
      generic.getBody()->getTerminator()->getOperand(0) == generic.getBody()->getArgument(0);
  return isFill ? generic.getInputs()[0] : Value();
}

/// A rounded constant, which upstream does not fold unless it is exact.
static std::optional<double> roundedConstant(arith::TruncFOp rounding) {
  std::optional<double> number = constantOf(rounding.getIn());
  if (!number)
    return std::nullopt;
  return FloatAttr::get(getElementTypeOrSelf(rounding.getType()), *number).getValueAsDouble();
}

std::optional<double> constantOf(Value value) {
  if (auto rounding = value.getDefiningOp<arith::TruncFOp>())
    return roundedConstant(rounding);
  if (Value number = filledWith(value.getDefiningOp()))
    value = number;
  TypedAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
    return splatOf(resource);
  if (auto elements = dyn_cast<DenseElementsAttr>(constant)) {
    if (!elements.isSplat())
      return std::nullopt;
    constant = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  }
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

bool isScalarComputation(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
         isMemoryEffectFree(op) && OpTrait::hasElementwiseMappableTraits(op);
}

void appendSubscripts(std::vector<uint64_t> &key, const Subscripts &at) {
  for (ArrayRef<unsigned> factors : at) {
    key.push_back(~uint64_t(0));
    key.insert(key.end(), factors.begin(), factors.end());
  }
}

const Expression *ExpressionTable::unique(Expression e) {
  std::vector<uint64_t> key{static_cast<uint64_t>(e.kind), llvm::bit_cast<uint64_t>(e.number)};
  if (e.op) {
    key.push_back(reinterpret_cast<uintptr_t>(e.op->getName().getAsOpaquePointer()));
    if (e.kind == Expression::Kind::operation)
      key.push_back(
          reinterpret_cast<uintptr_t>(e.op->getPropertiesAsAttribute().getAsOpaquePointer()));
    if (e.op->hasTrait<OpTrait::IsCommutative>())
      llvm::sort(e.operands,
                 [](const Expression *a, const Expression *b) { return a->id < b->id; });
  }
  for (const Expression *operand : e.operands)
    key.push_back(operand->id);
  key.insert(key.end(), e.over.begin(), e.over.end());
  if (e.kind == Expression::Kind::element) {
    key.push_back(reinterpret_cast<uintptr_t>(e.tensor.getAsOpaquePointer()));
    appendSubscripts(key, e.subscripts);
  }
  const Expression *&entry = known[key];
  if (!entry) {
    e.id = list.size();
    list.push_back(std::make_unique<Expression>(std::move(e)));
    entry = list.back().get();
  }
  return entry;
}

const Expression *ExpressionTable::constant(double number) {
  Expression e;
  e.kind = Expression::Kind::constant;
  e.number = number;
  return unique(std::move(e));
}

const Expression *ScalarExpressions::expressionOf(Value value) {
  if (auto found = ofValue.find(value); found != ofValue.end())
    return found->second;
  if (list.size() > maxExpressions)
    return nullptr;
  const Expression *result;
  Operation *op = value.getDefiningOp();
  if (auto number = constantOf(value)) {
    result = constant(*number);
  } else {
    Expression e;
    e.tensor = value;
    if (op && isScalarComputation(op) && !isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      e.kind = Expression::Kind::operation;
      e.op = op;
      for (Value operand : op->getOperands()) {
        e.operands.push_back(expressionOf(operand));
        if (!e.operands.back())
          return nullptr;
      }
    }
    result = unique(std::move(e));
  }
  if (list.size() > maxExpressions)
    return nullptr;
  return ofValue[value] = result;
}

} // namespace kgen
