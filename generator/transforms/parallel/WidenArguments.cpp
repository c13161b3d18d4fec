// Vectors of three f32 that are passed on the stack have a fourth lane: LLVM 22 crashes for AArch64
// otherwise.
#include "transforms/parallel/LowerRuntimeCalls.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/SymbolTable.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t lanes = 3;
/// That take arguments, on AArch64 as on x86-64, and how many bits each of them has at least.
constexpr int64_t registers = 8, registerBits = 128;

bool isOfThree(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32() && vector.getNumElements() == lanes;
}

/// Registers that take an argument; 0 for numbers that are no floats, and for pointers.
int64_t registersOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return llvm::divideCeil(vector.getNumElements() * vector.getElementTypeBitWidth(),
                            registerBits);
  return isa<FloatType>(type) ? 1 : 0;
}

/// Callers pass, and the function takes, a vector of four elements, of which the last is poison.
void widen(LLVM::LLVMFuncOp function, unsigned position, ArrayRef<Operation *> callers) {
  OpBuilder b(function.getContext());
  BlockArgument argument = function.getArgument(position);
  auto narrow = cast<VectorType>(argument.getType());
  auto wide = VectorType::get({lanes + 1}, narrow.getElementType());
  SmallVector<Type> types(function.getArgumentTypes());
  types[position] = wide;
  function.setType(LLVM::LLVMFunctionType::get(function.getFunctionType().getReturnType(), types));
  argument.setType(wide);
  b.setInsertionPointToStart(&function.getBody().front());
  auto taken = LLVM::ShuffleVectorOp::create(b, function.getLoc(), narrow, argument, argument,
                                             ArrayRef<int32_t>{0, 1, 2});
  argument.replaceAllUsesExcept(taken, taken);
  for (Operation *caller : callers) {
    b.setInsertionPoint(caller);
    Value value = caller->getOperand(position);
    caller->setOperand(position,
                       LLVM::ShuffleVectorOp::create(b, caller->getLoc(), wide, value, value,
                                                     ArrayRef<int32_t>{0, 1, 2, -1}));
  }
}

} // namespace

int64_t widenVectorArguments(ModuleOp module) {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  int64_t count = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    ArrayRef<Operation *> callers = users.getUsers(function);
    if (function.isDeclaration() || function.getLinkage() != LLVM::Linkage::Internal ||
        !llvm::all_of(callers, llvm::IsaPred<LLVM::CallOp>))
      continue;
    int64_t used = 0;
    for (auto [position, type] : llvm::enumerate(SmallVector<Type>(function.getArgumentTypes()))) {
      used += registersOf(type);
      if (used <= registers || !isOfThree(type))
        continue;
      widen(function, position, callers);
      ++count;
    }
  }
  return count;
}

} // namespace kgen
