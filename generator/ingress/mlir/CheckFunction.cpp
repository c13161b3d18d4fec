// Reports all that keeps a function on tensors from becoming a graph.
#include "dialect/kgen/Size.h"
#include "ingress/mlir/ImportParts.h"
#include "ops/SymbolicSizes.h"
#include "support/TensorLimits.h"
#include "templates/Templates.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

using namespace mlir;

namespace kgen {
namespace {

/// Letters of a type in an error.
constexpr size_t mostShown = 200;

class Checker {
public:
  bool check(func::FuncOp function) {
    size_t sizes = sizeArguments(function).size();
    for (BlockArgument argument : function.getArguments().drop_front(sizes))
      checkParameter(function, argument, "argument", argument.getArgNumber() - sizes,
                     argument.getLoc());
    ValueRange results = function.getBody().front().getTerminator()->getOperands();
    if (results.empty())
      error(function.getLoc(),
            "'" + function.getName() +
                "' returns nothing: expected results that are tensors, or "
                "arguments that 'bufferization.materialize_in_destination' writes");
    for (auto [number, value] : llvm::enumerate(results))
      checkParameter(function, value, "result", number, function.getLoc());
    function.getBody().walk([&](Operation *op) { checkOperation(op); });
    return isRight;
  }

private:
  void error(Location where, const Twine &message) {
    emitError(where) << message;
    isRight = false;
  }

  /// The element type is index, or one that graphs have.
  static std::string typeProblem(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      return "expected a ranked tensor";
    std::optional<TensorShape> shape = shapeOfTensor(value);
    if (!shape && isa<BlockArgument>(value))
      return "expected a static shape, or the names of its sizes in 'kgen.dim' or 'kgen.dims', "
             "or " +
             exampleSizes(cast<BlockArgument>(value));
    if (!shape)
      return "expected a static shape, or sizes that are computed from those of arguments by +, -, "
             "*, and / by numbers";
    if (tensor.getRank() > int64_t(maxRank))
      return "expected at most " + std::to_string(maxRank) + " dimensions";
    if (tensor.getEncoding())
      return "expected a tensor without an encoding";
    if (!tensor.getElementType().isIndex() && !elementTypeOf(tensor.getElementType()))
      return "expected elements of f16, bf16, f32, f64, i1, i8, i16, i32, i64, f8E4M3FN or f8E5M2";
    return isTooLarge(*shape) ? "the tensor is too large" : "";
  }

  /// "--dim x:0=1..64 --dim x:1=1..64".
  static std::string exampleSizes(BlockArgument argument) {
    std::string text;
    auto type = cast<RankedTensorType>(argument.getType());
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (type.isDynamicDim(axis))
        text += (text.empty() ? "--dim " : " --dim ") + inputNameOf(argument) + ":" +
                std::to_string(axis) + "=1..64";
    return text;
  }

  static bool isTooLarge(const TensorShape &shape) {
    if (shape.isEmptyTensor())
      return false;
    int64_t left = maxTensorBytes / 8; // elements, of 8 bytes at most
    for (const Dim &size : shape.dims())
      left /= std::max<int64_t>(size.bounds().max, 1);
    return left == 0;
  }

  void checkParameter(func::FuncOp function, Value value, StringRef what, size_t number,
                      Location where) {
    std::string problem = typeProblem(value);
    Type type = value.getType();
    if (problem.empty() && cast<RankedTensorType>(type).getElementType().isIndex())
      problem = "no function of a library takes or returns elements of type index";
    if (!problem.empty())
      error(where, what + " " + Twine(number) + " of '" + function.getName() + "' is " +
                       textOf(type) + ": " + problem);
  }

  static std::string textOf(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (text.size() > mostShown)
      text.replace(mostShown, std::string::npos, "...");
    return "'" + text + "'";
  }

  void checkOperation(Operation *op) {
    static constexpr StringLiteral dialects[] = {"affine",   "arith",  "linalg", "math",
                                                 "template", "tensor", "tpp"};
    bool isKnown =
        llvm::is_contained(dialects, op->getDialect()->getNamespace()) || isa<func::ReturnOp>(op);
    if (!isKnown)
      return error(op->getLoc(),
                   "'" + op->getName().getStringRef() +
                       "' cannot be imported: a graph has operations on tensors of "
                       "linalg, tensor, arith, math, scf.for, template, tpp and tosa");
    auto isDynamic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && !tensor.hasStaticShape();
    };
    if (templateCall(op) && (llvm::any_of(op->getOperandTypes(), isDynamic) ||
                             llvm::any_of(op->getResultTypes(), isDynamic)))
      return error(op->getLoc(), "'template.call' takes and gives tensors of static shapes here; "
                                 "operators of a spec that are templates take any sizes");
    bool hasTensors = false;
    for (Value result : op->getResults()) {
      if (!isa<ShapedType>(result.getType()))
        continue;
      hasTensors = true;
      if (isa<func::FuncOp>(op->getParentOp()))
        if (std::string problem = typeProblem(result); !problem.empty())
          error(op->getLoc(), "a result of '" + op->getName().getStringRef() + "' is " +
                                  textOf(result.getType()) + ": " + problem);
    }
    if (auto computed = dyn_cast<linalg::LinalgOp>(op);
        computed && isa<func::FuncOp>(op->getParentOp()) && computed.hasDynamicShape())
      checkLoopSizes(computed);
    if (auto cast = dyn_cast<tensor::CastOp>(op); cast && hasTensors)
      checkCast(cast);
    checkRounding(op);
    bool isInner = !isa<func::FuncOp>(op->getParentOp()) || isa<func::ReturnOp>(op);
    if (!isInner && hasTensors && !llvm::all_of(op->getResultTypes(), llvm::IsaPred<ShapedType>))
      error(op->getLoc(), "'" + op->getName().getStringRef() +
                              "' has results that are no tensors besides those that are");
    if (!isInner && !hasTensors && !isMemoryEffectFree(op))
      error(op->getLoc(), "'" + op->getName().getStringRef() + "' has an effect on memory");
  }

  /// All operands agree about the sizes of loops, and windows go along numbers.
  void checkLoopSizes(linalg::LinalgOp op) {
    SmallVector<std::optional<Dim>> loops(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, index] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(index);
        std::optional<Dim> size = loop ? dimensionOf(operand.get(), dim) : std::nullopt;
        if (!size)
          continue;
        std::optional<Dim> &known = loops[loop.getPosition()];
        if (known && *known != *size)
          return error(op.getLoc(), "operands of '" + op->getName().getStringRef() +
                                        "' differ in a size: it is " + known->str() + " and " +
                                        size->str());
        known = size;
      }
    }
    for (OpOperand &operand : op->getOpOperands())
      for (AffineExpr index : op.getMatchingIndexingMap(&operand).getResults())
        for (auto [loop, size] : llvm::enumerate(loops))
          if (!isa<AffineDimExpr>(index) && index.isFunctionOfDim(loop) && size &&
              !size->isNumber())
            return error(op.getLoc(), "'" + op->getName().getStringRef() +
                                          "' has windows along a size that is known at run time, " +
                                          size->str() + ": expected a number");
  }

  /// Floats are rounded to nearest, and scaled by products.
  void checkRounding(Operation *op) {
    if (isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
      return error(op->getLoc(),
                   "'" + op->getName().getStringRef() +
                       "' cannot be imported: arith.extf, arith.truncf and arith.mulf "
                       "scale elements, too");
    auto truncation = dyn_cast<arith::TruncFOp>(op);
    if (truncation && truncation.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
                          arith::RoundingMode::to_nearest_even)
      error(op->getLoc(), "'arith.truncf' rounds in another way than to nearest, ties to even: "
                          "expected no rounding mode, or to_nearest_even");
  }

  /// A cast to a type that says more than is known.
  void checkCast(tensor::CastOp op) {
    if (!isa<RankedTensorType>(op.getSource().getType()))
      return;
    std::optional<TensorShape> before = shapeOfTensor(op.getSource()), after = shapeOfTensor(op);
    if (before && after && *before != *after)
      error(op.getLoc(), "'tensor.cast' to " + textOf(op.getType()) + ": a size is another one");
  }

  bool isRight = true;
};

} // namespace

bool checkFunction(func::FuncOp function) { return Checker().check(function); }

} // namespace kgen
