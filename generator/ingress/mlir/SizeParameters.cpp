// Sizes that are known at run time: `?` of arguments become parameters of the function, and sizes
// of other tensors expressions of these.
#include "dialect/kgen/Size.h"
#include "dialect/kgen/SizeForm.h"
#include "ingress/mlir/ImportParts.h"
#include "ops/SymbolicSizes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr StringLiteral dimAttrName = "kgen.dim", dimsAttrName = "kgen.dims";

/// Makes parameters of the sizes that `?` of arguments stand for.
class ParameterMaker {
public:
  ParameterMaker(func::FuncOp function, const MlirRequest &request)
      : function(function), request(request), symbols(request.settings.dims) {}

  bool make() {
    for (BlockArgument argument : function.getArguments())
      readShape(argument);
    if (!isRight)
      return false;
    llvm::erase_if(symbols, [&](const auto &symbol) { return !used.count(symbol->name); });
    for (auto &[argument, shape] : shapes)
      bindNumbers(argument, shape);
    function.setFunctionType(FunctionType::get(function.getContext(),
                                               function.getBody().front().getArgumentTypes(),
                                               function.getResultTypes()));
    return symbols.empty() || insertSizes();
  }

private:
  /// The names of `?`, in order; empty: the argument does not say them.
  SmallVector<StringRef> namesOf(BlockArgument argument) {
    SmallVector<StringRef> names;
    unsigned number = argument.getArgNumber();
    if (auto name = function.getArgAttrOfType<StringAttr>(number, dimAttrName))
      names.push_back(name);
    if (auto list = function.getArgAttrOfType<ArrayAttr>(number, dimsAttrName))
      for (Attribute name : list)
        names.push_back(isa<StringAttr>(name) ? cast<StringAttr>(name).getValue() : "");
    return names;
  }

  void readShape(BlockArgument argument) {
    SmallVector<StringRef> names = namesOf(argument);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || (type.hasStaticShape() && names.empty()))
      return;
    if (!names.empty() && names.size() != static_cast<size_t>(type.getNumDynamicDims()))
      return error(argument, "argument " + Twine(argument.getArgNumber()) + " has " +
                                 Twine(type.getNumDynamicDims()) + " sizes that are '?', and " +
                                 Twine(names.size()) + " names of them");
    TensorShape shape;
    bool isKnown = true;
    auto name = names.begin();
    for (auto [axis, size] : llvm::enumerate(type.getShape())) {
      bool isOpen = ShapedType::isDynamic(size), isNamed = isOpen && !names.empty();
      std::optional<Dim> given = isOpen ? sizeOfPlace(argument, axis, !isNamed) : std::nullopt;
      if (isNamed && !given)
        given = sizeOfName(argument, *name);
      name += isNamed;
      isKnown &= !isOpen || given.has_value();
      shape.push_back(isOpen ? given.value_or(Dim(0)) : Dim(size));
    }
    if (isKnown) // else checkFunction() says what is missing
      shapes.push_back({argument, shape});
  }

  /// Returns what "x:0" says, by the name that the argument has as an input, or in the file.
  std::optional<Dim> sizeOfPlace(BlockArgument argument, size_t axis, bool isOnly) {
    const std::string end = ":" + std::to_string(axis), name = inputNameOf(argument) + end;
    auto found = request.dims.find(name);
    if (auto said = argument.getLoc()->findInstanceOf<NameLoc>();
        said && found == request.dims.end())
      found = request.dims.find(said.getName().str() + end);
    const bool isGiven = found != request.dims.end();
    if (request.usedDims && (isGiven || isOnly))
      request.usedDims->insert(isGiven ? found->first : name);
    if (!isGiven)
      return std::nullopt;
    addSymbols(found->second);
    return found->second;
  }

  Dim sizeOfName(BlockArgument argument, StringRef name) {
    if (request.usedDims)
      request.usedDims->insert(name.str());
    auto found = request.dims.find(name.str());
    if (found == request.dims.end()) {
      if (used.insert(name.str()).second)
        error(argument, "dimension '" + name +
                            "' has no bounds: `dims` of the library gives them, or --dim " + name +
                            "=1..64");
      return Dim(0);
    }
    addSymbols(found->second);
    return found->second;
  }

  void addSymbols(const Dim &size) {
    for (const auto &entry : size.symbols()) {
      auto isSame = [&](const auto &other) { return other->name == entry.first; };
      if (used.insert(entry.first).second && llvm::none_of(symbols, isSame))
        symbols.push_back(entry.second);
    }
  }

  /// Sizes that are numbers become part of the argument's type, and that of its users follows.
  void bindNumbers(BlockArgument argument, const TensorShape &shape) {
    auto before = cast<RankedTensorType>(argument.getType());
    RankedTensorType type = tensorOf(shape, before.getElementType());
    if (type == before)
      return;
    argument.setType(type);
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    auto open = tensor::CastOp::create(b, argument.getLoc(), before, argument);
    argument.replaceAllUsesExcept(open, open);
  }

  bool insertSizes() {
    MLIRContext *context = function.getContext();
    SmallVector<unsigned> indices(symbols.size(), 0);
    SmallVector<Type> types(symbols.size(), IndexType::get(context));
    SmallVector<DictionaryAttr> attributes;
    for (const std::shared_ptr<const DimSymbol> &symbol : symbols) {
      NamedAttribute size(
          StringAttr::get(context, sizeAttrName),
          SizeAttr::get(context, symbol->name, symbol->min, symbol->max, symbol->multiple));
      attributes.push_back(DictionaryAttr::get(context, size));
    }
    SmallVector<Location> places(symbols.size(), function.getLoc());
    if (failed(function.insertArguments(indices, types, attributes, places)))
      return false;
    for (const auto &[argument, shape] : shapes)
      if (!shape.isStatic())
        function.setArgAttr(argument.getArgNumber(), shapeAttrName,
                            AffineMapAttr::get(shapeMap(shape, symbols, context)));
    return true;
  }

  void error(BlockArgument argument, const Twine &message) {
    emitError(argument.getLoc()) << message;
    isRight = false;
  }

  func::FuncOp function;
  const MlirRequest &request;
  std::vector<std::shared_ptr<const DimSymbol>> symbols;
  std::set<std::string> used; ///< names of symbols, and of those whose error was reported
  SmallVector<std::pair<BlockArgument, TensorShape>> shapes;
  bool isRight = true;
};

/// A positive number.
std::optional<int64_t> divisorOf(const std::optional<Dim> &dim) {
  std::optional<int64_t> number = dim ? dim->number() : std::nullopt;
  return number && *number > 0 ? number : std::nullopt;
}

class SizeEvaluator {
public:
  explicit SizeEvaluator(const llvm::DenseMap<Value, Dim> &known) : known(known) {}

  std::optional<Dim> evaluate(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return Dim(*number);
    if (sizeAttrOf(value))
      return dimOf(OpFoldResult(value));
    Operation *op = value.getDefiningOp();
    return op ? evaluateOperation(op) : std::nullopt;
  }

  std::optional<Dim> evaluate(const SizeForm &form) {
    return evaluate(form.expression, form.symbols);
  }

private:
  std::optional<Dim> evaluateOperation(Operation *op) {
    return llvm::TypeSwitch<Operation *, std::optional<Dim>>(op)
        .Case([&](affine::AffineApplyOp apply) {
          SmallVector<Value> operands(apply.getMapOperands());
          AffineMap map = apply.getAffineMap();
          SmallVector<AffineExpr> dims;
          for (unsigned i = 0; i < map.getNumInputs(); ++i)
            dims.push_back(getAffineSymbolExpr(i, map.getContext()));
          ArrayRef<AffineExpr> all(dims);
          AffineExpr expression = map.getResult(0).replaceDimsAndSymbols(
              all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
          return evaluate(expression, operands);
        })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(
            [&](auto cast) { return evaluate(cast.getIn()); })
        .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp,
              arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
              arith::RemUIOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(
            [&](auto) { return evaluateBinary(op); })
        .Case([&](tensor::DimOp dim) -> std::optional<Dim> {
          std::optional<int64_t> index = dim.getConstantIndex();
          std::optional<SizeForm> form =
              index && isa<RankedTensorType>(dim.getSource().getType()) &&
                      *index < cast<RankedTensorType>(dim.getSource().getType()).getRank()
                  ? sizeFormOf(dim.getSource(), *index)
                  : std::nullopt;
          return form ? evaluate(*form) : std::nullopt;
        })
        .Default(std::optional<Dim>());
  }

  std::optional<Dim> evaluateBinary(Operation *op) {
    std::optional<Dim> left = evaluate(op->getOperand(0)), right = evaluate(op->getOperand(1));
    if (!left || !right)
      return std::nullopt;
    if (isa<arith::AddIOp>(op))
      return *left + *right;
    if (isa<arith::SubIOp>(op))
      return *left - *right;
    if (isa<arith::MulIOp>(op))
      return *left * *right;
    if (isa<arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(op))
      return *left == *right ? left : std::nullopt;
    std::optional<int64_t> divisor = divisorOf(right);
    if (!divisor || left->bounds().min < 0)
      return std::nullopt;
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      return left->ceilDiv(*divisor);
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return left->modulo(*divisor);
    return left->floorDiv(*divisor);
  }

  std::optional<Dim> evaluate(AffineExpr expression, ArrayRef<Value> symbols) {
    SmallVector<Dim> sizes;
    for (auto [i, symbol] : llvm::enumerate(symbols)) {
      std::optional<Dim> size = evaluate(symbol);
      if (!size && expression.isFunctionOfSymbol(i))
        return std::nullopt;
      sizes.push_back(size.value_or(Dim(0)));
    }
    bool divides = true; // by numbers
    expression.walk([&](AffineExpr inner) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(inner);
      bool isQuotient = binary && binary.getKind() != AffineExprKind::Add &&
                        binary.getKind() != AffineExprKind::Mul;
      if (isQuotient)
        divides &= dimOf(binary.getRHS(), sizes).number().value_or(0) > 0;
    });
    return divides ? std::optional(dimOf(expression, sizes)) : std::nullopt;
  }

  const llvm::DenseMap<Value, Dim> &known; ///< outlives it
};

/// Returns what a cast of a returned tensor hides.
Value withoutCasts(Value tensor) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>()) {
    if (!shapeOfTensor(cast.getSource()) ||
        shapeOfTensor(cast.getSource()) != shapeOfTensor(tensor))
      break;
    tensor = cast.getSource();
  }
  return tensor;
}

} // namespace

std::string inputNameOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  auto name = function.getArgAttrOfType<StringAttr>(number, "kgen.name");
  return name ? name.str() : "arg" + std::to_string(number - sizeArguments(function).size());
}

bool addSizeParameters(func::FuncOp function, const MlirRequest &request) {
  return ParameterMaker(function, request).make();
}

std::optional<Dim> dimOfIndex(Value index, const llvm::DenseMap<Value, Dim> &known) {
  return SizeEvaluator(known).evaluate(index);
}

std::optional<Dim> dimensionOf(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Dim(type.getDimSize(dim));
  std::optional<SizeForm> form = sizeFormOf(tensor, dim);
  const llvm::DenseMap<Value, Dim> none;
  return form ? SizeEvaluator(none).evaluate(*form) : std::nullopt;
}

std::optional<TensorShape> shapeOfTensor(Value tensor) {
  TensorShape shape;
  for (int64_t i = 0; i < cast<RankedTensorType>(tensor.getType()).getRank(); ++i) {
    std::optional<Dim> dim = dimensionOf(tensor, i);
    if (!dim)
      return std::nullopt;
    shape.push_back(*dim);
  }
  return shape;
}

void foldIdentityBroadcasts(func::FuncOp function) {
  function.walk([](scf::IfOp op) {
    if (op.getNumResults() != 1 || op.getElseRegion().empty())
      return;
    Value tensor = op.elseYield()->getOperand(0), broadcast = op.thenYield()->getOperand(0);
    auto copy = broadcast.getDefiningOp<linalg::GenericOp>();
    bool isCopy = copy && copy.getNumDpsInputs() == 1 &&
                  copy.getDpsInputOperand(0)->get() == tensor &&
                  copy.getBody()->getTerminator()->getOperand(0) == copy.getBody()->getArgument(0);
    if (isCopy && tensor.getType() == op.getResult(0).getType() && shapeOfTensor(tensor) &&
        shapeOfTensor(tensor) == shapeOfTensor(broadcast)) {
      op.getResult(0).replaceAllUsesWith(tensor);
      op.erase();
    }
  });
}

void resolveSizes(func::FuncOp function) {
  function.walk([](tensor::DimOp op) {
    std::optional<Dim> size = dimOfIndex(op, llvm::DenseMap<Value, Dim>());
    if (!size)
      return;
    OpBuilder b(op);
    op.replaceAllUsesWith(getValueOrCreateConstantIndexOp(b, op.getLoc(), sizeValue(b, *size)));
    op.erase();
  });
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &result : end->getOpOperands())
    if (isa<RankedTensorType>(result.get().getType()))
      result.set(withoutCasts(result.get()));
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                             end->getOperandTypes()));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace kgen
