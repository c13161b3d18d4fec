#include "dialect/ukernel/Ukernel.h"

#include <mlir/IR/DialectImplementation.h>

#include "dialect/ukernel/UkernelDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/ukernel/UkernelOps.cpp.inc"

using namespace mlir;

namespace kgen::ukernel {

void UkernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/ukernel/UkernelOps.cpp.inc"
      >();
}

LogicalResult GemmOp::verify() {
  if (static_cast<int64_t>(getM()) < 1 || static_cast<int64_t>(getN()) < 1 ||
      static_cast<int64_t>(getK()) < 0)
    return emitOpError("a tile has at least one row and one column, and no negative depth");
  if (static_cast<int64_t>(getBatch()) < 1 || static_cast<int64_t>(getVnni()) < 1)
    return emitOpError("there is at least one product, and one value of k beside another");
  if (getExtraRows().size() != getExtraCols().size())
    return emitOpError("extra_rows and extra_cols must have one stride per extra each");
  if (getEpilogue().front().getNumArguments() != getExtraRows().size() + 1)
    return emitOpError("the epilogue takes the accumulator and one scalar per extra");
  if (!isa<YieldOp>(getEpilogue().front().getTerminator()))
    return emitOpError("the epilogue must end in ukernel.yield");
  if (getAccumulate() && getResultType() != getAccumulatorType())
    return emitOpError("only C of the accumulator's type can be added to");
  if (getBCol() != 1 && !isDotProducts())
    return emitOpError(
        "columns of B that are not adjacent need contiguous rows of A and columns of B");
  for (int64_t stride : getExtraCols())
    if (stride != 0 && stride != 1)
      return emitOpError("an extra's columns are contiguous (1) or the same value (0)");
  return success();
}

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (auto [index, operand] : llvm::enumerate(getTilesMutable())) {
    effects.emplace_back(MemoryEffects::Read::get(), &operand, SideEffects::DefaultResource::get());
    if (index == 2)
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *callee = symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls unknown micro-kernel " << getCalleeAttr();
  auto kernel = dyn_cast<GemmOp>(callee);
  if (kernel && getTiles().size() != kernel.getExtraRows().size() + 3)
    return emitOpError() << "passes " << getTiles().size() << " tiles, " << getCalleeAttr()
                         << " takes " << kernel.getExtraRows().size() + 3;
  return success();
}

} // namespace kgen::ukernel
