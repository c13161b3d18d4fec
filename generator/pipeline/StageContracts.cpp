#include "pipeline/StageContracts.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Size.h"
#include "dialect/tpp/Tpp.h"
#include "dialect/ukernel/Ukernel.h"
#include "templates/Templates.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMTypes.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/SymbolTable.h>

using namespace mlir;

namespace kgen {

namespace {

/// The functions that a library exports, and that the workspace and the executor are given to.
bool isEntry(Operation *op) {
  auto function = dyn_cast_if_present<func::FuncOp>(op);
  return function && function.isPublic() && !function.isExternal();
}

/// True if an operation of the function's body is a node's, a weight's or an input's work.
bool isNamed(Operation *op) {
  return !isa<func::FuncOp>(op->getParentOp()) || op->hasTrait<OpTrait::IsTerminator>() ||
         !namesIn(op->getLoc()).empty();
}

/// Returns what is wrong with a parameter of a graph's function.
std::string parameterViolation(func::FuncOp function, unsigned number) {
  BlockArgument argument = function.getArgument(number);
  if (argument.getType().isIndex())
    return sizeAttrOf(argument) ? "" : "has a size without bounds (kgen.size)";
  auto memory = dyn_cast<MemRefType>(argument.getType());
  const bool hasShape = memory && (memory.hasStaticShape() || shapeMapOf(argument));
  if (!hasShape || !memory.getLayout().isIdentity())
    return "has an argument that is no memref with a static shape, or one of sizes (kgen.shape), "
           "and identity layout";
  if (!function.getArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName()))
    return "has an argument without llvm.noalias";
  return "";
}

std::string ingressViolation(Operation *op) {
  auto around = op->getParentOfType<func::FuncOp>();
  const bool hasSizes = around && !around.isExternal() && !sizeArguments(around).empty();
  auto isUnknown = [&](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && (!shaped.hasRank() || (!shaped.hasStaticShape() && !hasSizes));
  };
  if (llvm::any_of(op->getResultTypes(), isUnknown))
    return "has a result without a static shape";
  if (!isa<ModuleOp, func::FuncOp>(op))
    return isNamed(op) ? "" : "has no name of a node, a weight or an input as its location";
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return "";
  if (function.getNumResults() != 0)
    return "has results: outputs are arguments";
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (std::string violation = parameterViolation(function, i); !violation.empty())
      return violation;
  return "";
}

/// True if a contraction's sums are of the type in which products of its operands are added up, and
/// go along one or two loops: others stay loops over vectors.
bool hasTileForm(linalg::LinalgOp op) {
  Type a = getElementTypeOrSelf(op.getDpsInputs()[0]),
       b = getElementTypeOrSelf(op.getDpsInputs()[1]);
  return op.getNumReductionLoops() <= 2 && a.isIntOrFloat() && b.isIntOrFloat() &&
         accumulatorOf(a, b) == getElementTypeOrSelf(op.getDpsInits()[0]);
}

std::string raiseViolation(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && linalgOp.hasPureTensorSemantics() &&
      linalg::isaContractionOpInterface(linalgOp) && hasTileForm(linalgOp))
    return "is a contraction outside of tpp";
  return "";
}

std::string packViolation(Operation *op) {
  if (std::string violation = raiseViolation(op); !violation.empty())
    return violation;
  auto pack = dyn_cast<linalg::PackOp>(op);
  if (pack && matchPattern(pack.getSource(), m_Constant()))
    return "packs a constant at run time";
  return "";
}

/// Tile operations on tensors are those that become micro-kernels; those on buffers are lowered in
/// the macro-kernel stage.
std::string vectorizeViolation(Operation *op) {
  auto isPart = [](Operation *user) { return isa<tensor::ExtractSliceOp>(user); };
  if (isa<tensor::PadOp>(op) && !llvm::all_of(op->getUsers(), isPart))
    return "is a pad that is read as a whole";
  bool isTile = isa<tpp::GemmOp, tpp::BrgemmOp, tpp::ImplicitPadOp, tpp::YieldOp>(op);
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return isa_and_nonnull<tpp::TppDialect>(op->getDialect()) && !isTile &&
                 llvm::any_of(op->getOperandTypes(), isTensor)
             ? "is a tile operation without a kernel"
             : "";
}

std::string bufferizeViolation(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
    return "has a tensor";
  if (isa<memref::AllocOp>(op) && isEntry(op->getParentOfType<func::FuncOp>()))
    return "allocates memory outside of the workspace";
  if (isEntry(op) && !op->hasAttr("kgen.workspace"))
    return "has no size of its workspace (kgen.workspace)";
  return "";
}

std::string microKernelViolation(Operation *op) {
  auto call = dyn_cast<ukernel::CallOp>(op);
  if (call && !SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr()))
    return "calls a micro-kernel that nobody has made";
  return "";
}

std::string parallelViolation(Operation *op) {
  if (isEntry(op)) {
    ArrayRef<Type> arguments = cast<func::FuncOp>(op).getArgumentTypes();
    if (arguments.empty() || !isa<LLVM::LLVMPointerType>(arguments.back()))
      return "does not take the executor as its last argument";
  }
  return "";
}

std::string noViolation(Operation *) { return ""; }

// Dialects of stages on tensors, and of those on buffers.
constexpr StringLiteral withVectors[] = {
    "builtin", "func", "arith",  "math", "linalg",  "tensor", "memref", "bufferization", "tpp",
    "kgen",    "scf",  "affine", "ub",   "complex", "bench",  "vector", "template"};
// Vectors may meet single instructions of LLVM.
constexpr StringLiteral withInstructions[] = {
    "builtin", "func", "arith",  "math", "linalg",  "tensor", "memref", "bufferization", "tpp",
    "kgen",    "scf",  "affine", "ub",   "complex", "bench",  "vector", "template",      "llvm"};
constexpr StringLiteral ofGraphs[] = {"builtin", "func",   "arith",         "math",     "linalg",
                                      "tensor",  "memref", "bufferization", "kgen",     "tpp",
                                      "scf",     "ub",     "complex",       "template", "affine"};
constexpr StringLiteral onBuffers[] = {"builtin", "func", "arith",   "math",    "linalg", "memref",
                                       "tpp",     "kgen", "scf",     "affine",  "ub",     "cf",
                                       "vector",  "llvm", "complex", "template"};
constexpr StringLiteral withDescriptors[] = {
    "builtin", "func",   "arith", "math",   "linalg",  "memref", "kgen",    "scf",
    "cf",      "affine", "ub",    "vector", "ukernel", "llvm",   "complex", "template"};
constexpr StringLiteral llvmOnly[] = {"builtin", "llvm"};

// Operations that a stage has decomposed may not be there after it.
constexpr StringLiteral tiledOperations[] = {"kgen.attention", "kgen.matmul_nbits"};
constexpr StringLiteral wholeOperations[] = {"kgen.attention", "kgen.matmul_nbits", "linalg.pack",
                                             "linalg.unpack"};
constexpr StringLiteral productsOfBytes[] = {"kgen.quantized_product"};
constexpr StringLiteral namedOperations[] = {"kgen.softmax", "kgen.log_sum_exp",
                                             "kgen.normalization"};
constexpr StringLiteral allocations[] = {"memref.alloc"};
constexpr StringLiteral descriptors[] = {"memref.alloc", "ukernel.gemm", "ukernel.map",
                                         "ukernel.yield", "template.func"};
constexpr StringLiteral loopsOfTasks[] = {"memref.alloc", "scf.forall", "template.func"};
constexpr StringLiteral casts[] = {"builtin.unrealized_conversion_cast"};

bool contains(ArrayRef<StringLiteral> names, StringRef name) {
  return llvm::any_of(names, [&](StringRef other) { return other == name; });
}

class VerifyStage : public PassWrapper<VerifyStage, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyStage)

  explicit VerifyStage(const StageContract &contract) : contract(contract) {}
  StringRef getName() const override { return "kgen-verify-stage"; }
  void runOnOperation() override {
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      std::string wrong = violationOf(op);
      if (wrong.empty())
        return WalkResult::advance();
      op->emitOpError() << wrong << ", after the stage '" << contract.stage << "'";
      return WalkResult::interrupt();
    });
    markAllAnalysesPreserved();
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  std::string violationOf(Operation *op) const {
    OperationName name = op->getName();
    // Templates that are micro-kernels wait for who makes these.
    if (templateCall(op) || !contains(contract.dialects, name.getDialectNamespace()) ||
        contains(contract.forbidden, name.getStringRef()))
      return "is left";
    return contract.violation(op);
  }

  const StageContract &contract;
};

} // namespace

ArrayRef<StageContract> stageContracts() {
  static constexpr StageContract contracts[] = {
      {ingressStage, ofGraphs, {}, ingressViolation},
      {"raise", withVectors, productsOfBytes, raiseViolation},
      {"fuse", withVectors, namedOperations, raiseViolation},
      {"pack", withVectors, {}, packViolation},
      {"tiling", withVectors, tiledOperations, packViolation},
      {"vectorize", withInstructions, wholeOperations, vectorizeViolation},
      {"bufferize", onBuffers, {}, bufferizeViolation},
      {"reference-bufferize", onBuffers, {}, bufferizeViolation},
      {"macro-kernel", withDescriptors, allocations, noViolation},
      {"micro-kernel", withDescriptors, descriptors, microKernelViolation},
      {"parallel", withDescriptors, loopsOfTasks, parallelViolation},
      {"llvm", llvmOnly, casts, noViolation},
  };
  return contracts;
}

const StageContract *findStageContract(StringRef stage) {
  for (ArrayRef<StageContract> contracts : {stageContracts(), gpuStageContracts()})
    for (const StageContract &contract : contracts)
      if (contract.stage == stage)
        return &contract;
  return nullptr;
}

std::unique_ptr<Pass> createVerifyStagePass(const StageContract &contract) {
  return std::make_unique<VerifyStage>(contract);
}

} // namespace kgen
