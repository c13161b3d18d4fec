#include "transforms/gpu/GenericLoops.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Affine/Utils.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen::gpu_kernels {

bool isScalarCode(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect, KgenDialect>(op->getDialect()) ||
         isa<affine::AffineApplyOp, linalg::IndexOp, linalg::YieldOp, memref::LoadOp, scf::ForOp,
             scf::IfOp, scf::YieldOp>(op);
}

int64_t GenericLoops::points() const {
  int64_t count = 1;
  for (unsigned loop : parallel)
    count *= sizes[loop];
  return count;
}

int64_t GenericLoops::terms() const {
  int64_t count = 1;
  for (unsigned loop : reduced)
    count *= sizes[loop];
  return count;
}

SmallVector<Value> GenericLoops::memrefs() const {
  SmallVector<Value> all = capturesOf(op).memrefs;
  for (const LoopOperand &operand : inputs)
    if (operand.memref)
      all.push_back(operand.memref);
  for (const LoopOperand &operand : outputs)
    all.push_back(operand.memref);
  return all;
}

bool GenericLoops::readsOutput(unsigned number) const {
  linalg::GenericOp generic = op;
  return generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(number));
}

bool GenericLoops::usesIndices() const { return linalg::GenericOp(op).hasIndexSemantics(); }

std::optional<GenericLoops> loopsOf(linalg::GenericOp op, std::string &reason) {
  GenericLoops loops;
  loops.op = op;
  loops.sizes = op.getStaticLoopRanges();
  if (llvm::any_of(loops.sizes, ShapedType::isDynamic)) {
    reason = "has sizes that are known at run time only";
    return std::nullopt;
  }
  for (auto [number, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? loops.parallel : loops.reduced).push_back(number);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand &operand : op->getOpOperands()) {
    LoopOperand one{operand.get(), maps[operand.getOperandNumber()], std::nullopt};
    // An operand that only says how large a window is has no contents.
    if (op.isDpsInput(&operand) && !op.payloadUsesValueFromOperand(&operand))
      one.constant =
          cast<TypedAttr>(OpBuilder(op).getZeroAttr(getElementTypeOrSelf(one.memref.getType())));
    if (one.constant || matchPattern(one.memref, m_Constant(&one.constant))) {
      one.memref = {};
      loops.inputs.push_back(std::move(one));
      continue;
    }
    if (!isa<MemRefType>(one.memref.getType())) {
      reason = "reads a scalar that is computed on its own";
      return std::nullopt;
    }
    std::optional<FlatMemory> flat = flatten(one.memref);
    if (!flat) {
      reason = "has a tensor whose place in memory is known at run time only, or of 2^31 elements "
               "and more";
      return std::nullopt;
    }
    if (std::optional<SmallVector<LinearForm>> indices = linearFormsOf(one.map))
      one.address = addressForm(*flat, *indices, one.map.getNumDims());
    (op.isDpsInit(&operand) ? loops.outputs : loops.inputs).push_back(std::move(one));
  }
  loops.starts.resize(loops.outputs.size());
  Captures captures = capturesOf(op);
  if (!captures.others.empty() ||
      llvm::any_of(captures.memrefs, [](Value memref) { return !flatten(memref); })) {
    reason = "reads a value that is computed on its own";
    return std::nullopt;
  }
  WalkResult walk = op.getBody()->walk([&](Operation *inner) {
    if (isScalarCode(inner))
      return WalkResult::advance();
    reason = "has elements of more than arithmetic (" + inner->getName().getStringRef().str() + ")";
    return WalkResult::interrupt();
  });
  return walk.wasInterrupted() ? std::nullopt : std::optional(std::move(loops));
}

Value zeroLike(KernelBuilder &kernel, const LoopOperand &operand) {
  Type type = getElementTypeOrSelf(operand.memref.getType());
  return arith::ConstantOp::create(kernel.b, kernel.loc, kernel.b.getZeroAttr(type));
}

Value elementAt(KernelBuilder &kernel, const LoopOperand &operand, Value address) {
  if (operand.constant)
    return arith::ConstantOp::create(kernel.b, kernel.loc, operand.constant);
  return kernel.loadAt(operand.memref, address);
}

Value addressOf(KernelBuilder &kernel, const LoopOperand &operand, ValueRange indices) {
  if (!operand.address) {
    std::optional<SmallVector<Value, 8>> expanded =
        affine::expandAffineMap(kernel.b, kernel.loc, operand.map, indices);
    return kernel.address(operand.memref, *expanded);
  }
  const IndexMath &math = kernel.math;
  Value sum = math.constant(operand.address->constant);
  for (auto [index, factor] : llvm::zip_equal(indices, operand.address->factors))
    if (factor != 0)
      sum = math.add(sum, math.times(index, factor));
  return sum;
}

} // namespace kgen::gpu_kernels
