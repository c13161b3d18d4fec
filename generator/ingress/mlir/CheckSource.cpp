// Checks of the file's own operations: forms with which upstream's passes would not come to an end,
// or of which they would make something else.
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen {
namespace {

/// Operations of a function with all that it calls: a hundred times those of a layer of BERT for
/// each of 12 layers.
constexpr uint64_t maxInlinedOperations = uint64_t(1) << 18;

class SourceChecker {
public:
  bool check(func::FuncOp function) {
    sizeOf(function);
    return isRight;
  }

private:
  /// Operations of the function when its calls are inlined. Each function is visited once; what
  /// calls itself is an error of inlining.
  uint64_t sizeOf(func::FuncOp function) {
    auto [entry, isNew] = sizes.try_emplace(function, 0);
    if (!isNew)
      return entry->second;
    uint64_t size = 0;
    func::CallOp last;
    function.walk([&](Operation *op) {
      ++size;
      checkOperation(op);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        checkLoop(loop);
      auto call = dyn_cast<func::CallOp>(op);
      auto callee =
          call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr())
               : func::FuncOp();
      if (!callee)
        return;
      size = llvm::SaturatingAdd(size, sizeOf(callee));
      last = call;
    });
    if (size > maxInlinedOperations && last && !isTooLarge) {
      isTooLarge = true;
      error(last, "function '" + function.getName() + "' has more than " +
                      Twine(maxInlinedOperations) + " operations with those of what it calls");
    }
    sizes[function] = size;
    return size;
  }

  /// One that stays, or that returnDestinations() and dropProbes() make something else of.
  void checkOperation(Operation *op) {
    bool isTaken = isInputDialect(op->getName().getDialectNamespace()) ||
                   isa<bufferization::MaterializeInDestinationOp, bufferization::ToTensorOp,
                       bufferization::AllocTensorOp, cf::AssertOp, vector::PrintOp>(op);
    if (!isTaken)
      error(op, "'" + op->getName().getStringRef() +
                    "' cannot be imported: a graph has operations on tensors of linalg, tensor, "
                    "arith, math, scf.for, template, tpp and tosa");
    else if (isa<linalg::WinogradFilterTransformOp, linalg::WinogradInputTransformOp,
                 linalg::WinogradOutputTransformOp>(op))
      error(op, "'" + op->getName().getStringRef() +
                    "' cannot be imported: expected the convolution that it is a part of, such as "
                    "linalg.conv_2d_nhwc_fhwc, for which kgen itself chooses Winograd's form");
    else if (isa<tensor::GatherOp, tensor::ScatterOp>(op))
      error(op, "'" + op->getName().getStringRef() +
                    "' cannot be imported: upstream's bufferization has no code for it; expected "
                    "linalg.generic with tensor.extract, or tensor.insert in scf.for");
  }

  /// Upstream takes loops without a positive step, and those whose bounds are further apart than
  /// 2^63, for ones without iterations.
  void checkLoop(scf::ForOp loop) {
    std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                           end = getConstantIntValue(loop.getUpperBound()),
                           step = getConstantIntValue(loop.getStep());
    int64_t range = 0;
    if (step && *step <= 0)
      error(loop, "the step of the loop is " + Twine(*step) + ": expected a positive one");
    else if (begin && end && llvm::SubOverflow(*end, *begin, range))
      error(loop, "the bounds of the loop, " + Twine(*begin) + " and " + Twine(*end) +
                      ", are further apart than 2^63");
  }

  void error(Operation *op, const Twine &message) {
    op->emitError() << message;
    isRight = false;
  }

  llvm::DenseMap<Operation *, uint64_t> sizes;
  bool isRight = true, isTooLarge = false;
};

} // namespace

bool isInputDialect(StringRef dialect) {
  static constexpr StringLiteral known[] = {"affine", "arith", "builtin",    "func", "kgen",
                                            "linalg", "math",  "ml_program", "scf",  "template",
                                            "tensor", "tosa",  "tpp"};
  return llvm::is_contained(known, dialect);
}

bool checkSource(func::FuncOp function) { return SourceChecker().check(function); }

} // namespace kgen
