#include "transforms/gpu/IndexFacts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

#include <llvm/ADT/TypeSwitch.h>

#include <limits>
#include <numeric>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

int64_t product(int64_t a, int64_t b) {
  int64_t result = 0;
  return llvm::MulOverflow(a, b, result) ? 1 : result;
}

/// The divisor of a quotient, rounded towards 0, by a constant.
int64_t quotient(int64_t divisor, Value by) {
  std::optional<int64_t> number = getConstantIntValue(by);
  return number && *number > 0 && divisor % *number == 0 ? divisor / *number : 1;
}

} // namespace

bool isShared(Type memref) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(memref));
}

int64_t Divisors::divisorOf(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  const int64_t divisor = compute(value);
  known[value] = divisor;
  return divisor;
}

int64_t Divisors::compute(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number == std::numeric_limits<int64_t>::min() ? 1 : std::abs(*number);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar()
               ? std::gcd(divisorOf(loop.getLowerBound()), divisorOf(loop.getStep()))
               : 1;
  }
  auto both = [&](auto op) { return std::gcd(divisorOf(op.getLhs()), divisorOf(op.getRhs())); };
  return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case<arith::AddIOp, arith::SubIOp, arith::RemUIOp, arith::RemSIOp, arith::MinUIOp,
            arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(both)
      .Case(
          [&](arith::MulIOp op) { return product(divisorOf(op.getLhs()), divisorOf(op.getRhs())); })
      .Case<arith::DivUIOp, arith::DivSIOp>(
          [&](auto op) { return quotient(divisorOf(op.getLhs()), op.getRhs()); })
      .Case([&](arith::SelectOp op) {
        return std::gcd(divisorOf(op.getTrueValue()), divisorOf(op.getFalseValue()));
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto op) { return divisorOf(op.getIn()); })
      .Default(int64_t(1));
}

GridDependence::GridDependence(gpu::GPUFuncOp kernel) {
  do {
    hasChanged = false;
    kernel.getBody().walk([&](Operation *op) { visit(op); });
  } while (hasChanged);
}

GridDims GridDependence::dimsOf(ValueRange values) const {
  GridDims dims = 0;
  for (Value value : values)
    dims |= dimsOf(value);
  return dims;
}

void GridDependence::add(Value value, GridDims dims) {
  GridDims &of = known[value];
  hasChanged |= (of | dims) != of;
  of |= dims;
}

void GridDependence::visit(Operation *op) {
  GridDims dims = dimsOf(op->getOperands());
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op))
    dims |= 1U << static_cast<unsigned>(thread.getDimension());
  if (auto block = dyn_cast<gpu::BlockIdOp>(op))
    dims |= 0b1000U << static_cast<unsigned>(block.getDimension());
  // All threads read the same of one address, unless one of them has just written it.
  auto load = dyn_cast<memref::LoadOp>(op);
  if (isa<gpu::LaneIdOp, gpu::SubgroupIdOp>(op) || (load && isShared(load.getMemRefType())))
    dims |= variesAmongThreads;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      dims |= dimsOf(block.getTerminator()->getOperands());
      for (Operation &inner : block)
        if (isDivergent(dimsOf(inner.getOperands())))
          dims |= variesAmongThreads;
    }
  for (Value result : op->getResults())
    add(result, dims);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop)
    add(loop.getInductionVar(), dimsOfControl(loop));
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (!loop)
        add(argument, threadDims | blockDims);
      else if (argument != loop.getInductionVar())
        add(argument, dimsOf({loop.getTiedLoopInit(argument)->get(),
                              loop.getTiedLoopYieldedValue(argument)->get()}));
}

GridDims GridDependence::dimsOfControl(Operation *op) const {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return dimsOf(branch.getCondition());
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop ? dimsOf({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) : 0;
}

GridDims GridDependence::dimsAround(Operation *op) const {
  GridDims dims = 0;
  for (Operation *around = op->getParentOp(); !isa<gpu::GPUFuncOp>(around);
       around = around->getParentOp())
    dims |= dimsOfControl(around);
  return dims;
}

} // namespace kgen::gpu_kernels
