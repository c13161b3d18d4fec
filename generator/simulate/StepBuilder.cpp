// See Steps.h.
#include "simulate/Steps.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {

int StepBuilder::scalarOf(Value value) {
  auto [entry, isNew] = scalars.try_emplace(value, program.scalarCount);
  program.scalarCount += isNew;
  return entry->second;
}

int StepBuilder::viewOf(Value value) {
  auto [entry, isNew] = views.try_emplace(value, program.viewCount);
  program.viewCount += isNew;
  return entry->second;
}

IndexValue StepBuilder::indexOf(OpFoldResult value) {
  if (auto constant = dyn_cast<Attribute>(value))
    return {-1, cast<IntegerAttr>(constant).getInt()};
  return {scalarOf(cast<Value>(value)), 0};
}

void StepBuilder::error(Operation *op, const std::string &message, const std::string &hint) {
  diagnostics.error(locationOf(op->getLoc()), message, hint);
  isComplete = false;
}

StepBlock StepBuilder::blockOf(mlir::Block &block) {
  StepBlock result;
  for (Operation &op : block.without_terminator())
    addOperation(&op, result);
  result.viewsLeave = llvm::any_of(block.getTerminator()->getOperandTypes(),
                                   [](Type type) { return isa<MemRefType>(type); });
  return result;
}

void StepBuilder::addOperation(Operation *op, StepBlock &block) {
  for (auto addStep : {addStructuredStep, addViewStep, addMemoryStep, addLoopStep, addScalarStep})
    if (addStep(op, *this, block))
      return;
  error(op, "'" + op->getName().getStringRef().str() + "' is not simulated",
        "the simulator takes scf.forall, scf.for, scf.if, memref, linalg on memrefs, arith, affine "
        "and math");
}

/// Returns what a view is a view of: an allocation, an argument or a constant. Loops may pass views
/// on.
static Value rootOf(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
      OpOperand *initial = loop ? loop.getTiedLoopInit(argument) : nullptr;
      if (!initial)
        return value;
      value = initial->get();
    } else if (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
      value = view.getViewSource();
    } else if (auto loop = value.getDefiningOp<LoopLikeOpInterface>()) {
      value = loop.getTiedLoopInit(cast<OpResult>(value))->get();
    } else {
      return value;
    }
  }
}

void StepBuilder::findWrites(func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
      SmallVector<MemoryEffects::EffectInstance> list;
      effects.getEffects(list);
      for (auto &effect : list)
        if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
          written.insert(rootOf(effect.getValue()));
    }
  });
}

/// Arguments hold what the caller put there. In kgen's own functions the inputs are marked as
/// read-only, and the others are outputs with nothing in them.
void StepBuilder::addArguments(func::FuncOp function) {
  StringRef readOnly = LLVM::LLVMDialect::getReadonlyAttrName();
  bool marksInputs = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    marksInputs |= bool(function.getArgAttr(i, readOnly));
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto number = type ? numberOf(type.getElementType()) : std::nullopt;
    if (!number || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
        type.getMemorySpaceAsInt() != 0) {
      std::string text;
      llvm::raw_string_ostream(text) << argument.getType();
      error(function,
            "argument " + std::to_string(argument.getArgNumber()) +
                " must be a memref of static shape in L3, without layout, of i1, i8, i16, i32, "
                "i64, f16, bf16, f32 or f64, found '" +
                text + "'");
      continue;
    }
    if (type.getNumElements() > maxBufferElements) {
      error(function,
            "argument " + std::to_string(argument.getArgNumber()) + " has more than 2^31 elements");
      continue;
    }
    GivenBuffer given;
    given.view = viewOf(argument);
    given.site = program.sites.addArgument(argument, argument.getArgNumber());
    given.number = *number;
    given.shape = type.getShape().vec();
    given.isWritten = isWritten(argument);
    given.isUndefined = marksInputs && !function.getArgAttr(argument.getArgNumber(), readOnly);
    program.given.push_back(std::move(given));
  }
}

bool StepBuilder::build(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock()) {
    error(function, "function '" + function.getName().str() + "' must have one block",
          "loops and branches are scf's");
    return false;
  }
  findWrites(function);
  addArguments(function);
  program.body = blockOf(function.getBody().front());
  program.body.viewsLeave = false;
  if (function.getNumResults() != 0)
    error(function, "function '" + function.getName().str() +
                        "' must write its results to "
                        "arguments, not return them");
  return isComplete;
}

} // namespace kgen
