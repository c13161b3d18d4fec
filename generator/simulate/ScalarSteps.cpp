// Scalars outside of bodies: constants, arith and math, affine expressions.
#include "simulate/Steps.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>

#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen {
namespace {

class ConstantStep : public Step {
public:
  ConstantStep(int to, Lane value) : to(to), value(value) {}
  void run(Execution &execution) const override { execution.scalars[to] = value; }

private:
  int to;
  Lane value;
};

class ScalarStep : public Step {
public:
  ScalarStep(LaneInstruction instruction, Operation *op, StepBuilder &builder)
      : instruction(std::move(instruction)) {
    for (Value operand : op->getOperands())
      this->instruction.operands.push_back(builder.scalarOf(operand));
    this->instruction.result = builder.scalarOf(op->getResult(0));
  }
  void run(Execution &execution) const override { instruction.run(execution.scalars.data(), 1, 1); }

private:
  LaneInstruction instruction;
};

int64_t evaluate(AffineExpr expression, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t a = evaluate(binary.getLHS(), dims, symbols),
          b = evaluate(binary.getRHS(), dims, symbols);
  if (b == 0 && expression.getKind() != AffineExprKind::Add &&
      expression.getKind() != AffineExprKind::Mul)
    return 0; // undefined
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(a, b);
  default:
    return llvm::mod(a, b);
  }
}

/// affine.apply, affine.min and affine.max.
class AffineStep : public Step {
public:
  AffineStep(AffineMap map, ValueRange operands, Value result, bool takesMax, StepBuilder &builder)
      : map(map), to(builder.scalarOf(result)), takesMax(takesMax) {
    for (Value operand : operands)
      inputs.push_back(builder.scalarOf(operand));
  }

  void run(Execution &execution) const override {
    SmallVector<int64_t, 8> values;
    for (int input : inputs)
      values.push_back(execution.scalars[input].i);
    ArrayRef<int64_t> all(values), dims = all.take_front(map.getNumDims()),
                                   symbols = all.drop_front(map.getNumDims());
    int64_t best = evaluate(map.getResult(0), dims, symbols);
    for (AffineExpr other : map.getResults().drop_front()) {
      int64_t value = evaluate(other, dims, symbols);
      best = takesMax ? std::max(best, value) : std::min(best, value);
    }
    execution.scalars[to].i = best;
  }

private:
  AffineMap map;
  int to;
  bool takesMax;
  SmallVector<int, 8> inputs;
};

} // namespace

bool addScalarStep(Operation *op, StepBuilder &builder, StepBlock &block) {
  auto addAffine = [&](auto affine, bool takesMax) {
    builder.add(block, std::make_unique<AffineStep>(affine.getMap(), affine.getOperands(),
                                                    affine.getResult(), takesMax, builder));
    return true;
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return addAffine(apply, false);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return addAffine(min, false);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return addAffine(max, true);
  if (std::optional<Lane> value = laneOfConstant(op))
    builder.add(block, std::make_unique<ConstantStep>(builder.scalarOf(op->getResult(0)), *value));
  else if (std::optional<LaneInstruction> instruction = instructionOf(op))
    builder.add(block, std::make_unique<ScalarStep>(std::move(*instruction), op, builder));
  else
    return false;
  return true;
}

} // namespace kgen
