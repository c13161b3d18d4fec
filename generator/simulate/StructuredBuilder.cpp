// Compiles operations of linalg.
#include "simulate/StructuredStep.h"

#include <llvm/Support/MathExtras.h>

#include <numeric>

using namespace mlir;

namespace kgen {

/// A factor as the body's argument that it comes from.
static std::optional<std::pair<int, FactorForm>> factorOf(Value value) {
  bool isUnsigned = value.getDefiningOp<arith::ExtUIOp>();
  if (Operation *op = value.getDefiningOp())
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp>(op))
      value = op->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  auto number = argument ? numberOf(argument.getType()) : std::nullopt;
  if (!number)
    return std::nullopt;
  return std::pair(static_cast<int>(argument.getArgNumber()), FactorForm{*number, isUnsigned});
}

std::optional<ProductBody> productBodyOf(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  mlir::Block &body = *op.getBlock();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!sum || !isa<arith::AddIOp, arith::AddFOp>(sum))
    return std::nullopt;
  Value accumulator = body.getArgument(2);
  int side = sum->getOperand(0) == accumulator ? 1 : sum->getOperand(1) == accumulator ? 0 : -1;
  Operation *product = side < 0 ? nullptr : sum->getOperand(side).getDefiningOp();
  if (!product || !isa<arith::MulIOp, arith::MulFOp>(product))
    return std::nullopt;
  auto a = factorOf(product->getOperand(0)), b = factorOf(product->getOperand(1));
  if (!a || !b || a->first == 2 || b->first == 2 || a->first == b->first)
    return std::nullopt;
  return ProductBody{a->first, b->first, a->second, b->second};
}

/// Adds `factor` times an expression to a subscript; false if it is not linear.
static bool addLinear(AffineExpr expression, int64_t factor, MutableArrayRef<int64_t> factors,
                      int64_t &constant) {
  if (auto value = dyn_cast<AffineConstantExpr>(expression)) {
    constant += factor * value.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    factors[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (expression.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, factors, constant) &&
           addLinear(binary.getRHS(), factor, factors, constant);
  auto times = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expression.getKind() == AffineExprKind::Mul && times &&
         addLinear(binary.getLHS(), factor * times.getValue(), factors, constant);
}

bool StructuredStep::addOperand(linalg::LinalgOp op, OpOperand &value, StepBuilder &builder) {
  Operand operand;
  operand.isOutput = op.isDpsInit(&value);
  operand.isRead = op.payloadUsesValueFromOperand(&value);
  AffineMap map = op.getMatchingIndexingMap(&value);
  if (isa<MemRefType>(value.get().getType())) {
    operand.view = builder.viewOf(value.get());
  } else if (numberOf(value.get().getType())) {
    operand.scalar = builder.scalarOf(value.get());
  } else {
    builder.error(op, "'" + op->getName().getStringRef().str() + "' works on no memref",
                  "bufferize it first");
    return false;
  }
  for (AffineExpr result : operand.view < 0 ? ArrayRef<AffineExpr>() : map.getResults()) {
    operand.factors.emplace_back(map.getNumDims(), 0);
    operand.constants.push_back(0);
    if (!addLinear(result, 1, operand.factors.back(), operand.constants.back())) {
      builder.error(op, "'" + op->getName().getStringRef().str() +
                            "' has a subscript that is not linear in its loops");
      return false;
    }
  }
  operands.push_back(std::move(operand));
  return true;
}

bool StructuredStep::findLoopSizes(linalg::LinalgOp op, StepBuilder &builder) {
  loops.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dimension, result] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result); dim && loops[dim.getPosition()].operand < 0)
        loops[dim.getPosition()] = {static_cast<int>(operand.getOperandNumber()),
                                    static_cast<int>(dimension)};
  if (llvm::all_of(loops, [](const LoopSize &loop) { return loop.operand >= 0; }))
    return true;
  builder.error(op, "'" + op->getName().getStringRef().str() +
                        "' has a loop whose length no operand tells");
  return false;
}

bool StructuredStep::compileBody(linalg::LinalgOp op, StepBuilder &builder) {
  mlir::Block &body = *op.getBlock();
  DenseMap<Value, int> numbers;
  auto outerScalar = [&](Value value) {
    auto [entry, isNew] = numbers.try_emplace(value, static_cast<int>(outerScalars.size()));
    if (isNew)
      outerScalars.push_back(builder.scalarOf(value));
    return entry->second;
  };
  program =
      ScalarProgram::compile(body, outerScalar, [&](Operation *inner, const std::string &message) {
        builder.error(inner, message, "lower it to operations of arith and math");
      });
  if (!program)
    return false;
  speedType = *numberOf(getElementTypeOrSelf(op.getDpsInits()[0].getType()));
  // A body that only passes a value on moves it.
  auto passedOn = dyn_cast<BlockArgument>(body.getTerminator()->getOperand(0));
  auto views = llvm::count_if(operands, [](const Operand &operand) { return operand.view >= 0; });
  if (passedOn && passedOn.getOwner() == &body && op.getNumDpsInits() == 1 &&
      !operands[passedOn.getArgNumber()].isOutput) {
    copied = static_cast<int>(passedOn.getArgNumber());
    kind = operands[copied].view < 0 ? Kind::fill : views == 2 ? Kind::copy : Kind::work;
  }
  auto body2 = productBodyOf(op);
  if (!body2 || kind != Kind::work)
    return true;
  product = *body2;
  work = WorkKind::product;
  windows = windowsOf(op, builder.isForMachine);
  Number sum = speedType;
  speedType = product.formOfA.number;
  if (operands[product.a].view >= 0 && operands[product.b].view >= 0)
    fast = multiplyAddFor(sum, product.formOfA, product.formOfB);
  return true;
}

/// In how many pairs of iterations `a * x + b * y` of two loops has the same value at most.
static int64_t pairsOfOneValue(int64_t a, int64_t sizeOfX, int64_t b, int64_t sizeOfY) {
  int64_t common = std::gcd(a, b);
  return std::min(llvm::divideCeil(sizeOfX, b / common), llvm::divideCeil(sizeOfY, a / common));
}

int64_t StructuredStep::windowsOf(linalg::LinalgOp op, bool isTile) const {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int> operandsOf(ranges.size(), 0);
  SmallVector<bool> isInWindow(ranges.size(), false);
  int64_t count = 1;
  int factorsWithWindows = 0;
  for (const Operand &operand : operands) {
    bool hasWindow = false;
    for (const Strides &factors : operand.factors) {
      SmallVector<int, 2> used;
      for (auto [loop, factor] : llvm::enumerate(factors))
        if (factor != 0)
          used.push_back(static_cast<int>(loop));
      for (int loop : used)
        ++operandsOf[loop];
      if (used.size() < 2)
        continue;
      hasWindow = true;
      // The place of a window, and the place in it. Sizes of a tile say nothing about the whole.
      int x = used[0], y = used[1];
      if (isTile || used.size() > 2 || operand.isOutput || ranges[x] <= 0 || ranges[y] <= 0 ||
          factors[x] < 0 || factors[y] < 0)
        return 0;
      count *= pairsOfOneValue(factors[x], ranges[x], factors[y], ranges[y]);
      for (int loop : used)
        isInWindow[loop] = op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
    }
    factorsWithWindows += hasWindow;
  }
  bool isInTwo = llvm::all_of(llvm::zip_equal(operandsOf, isInWindow),
                              [](auto loop) { return std::get<0>(loop) > 1 || std::get<1>(loop); });
  return isInTwo && factorsWithWindows < 2 ? count : 0;
}

std::unique_ptr<StructuredStep> StructuredStep::make(linalg::LinalgOp op, StepBuilder &builder) {
  auto step = std::make_unique<StructuredStep>();
  step->site = builder.siteOf(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!step->addOperand(op, operand, builder))
      return nullptr;
  if (!step->findLoopSizes(op, builder) || !step->compileBody(op, builder))
    return nullptr;
  return step;
}

bool addStructuredStep(Operation *op, StepBuilder &builder, StepBlock &block) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return false;
  if (std::unique_ptr<StructuredStep> step = StructuredStep::make(structured, builder))
    builder.add(block, std::move(step));
  return true;
}

} // namespace kgen
