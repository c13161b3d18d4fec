// An operation as the text of a function, and back.
#include "ingress/mlir/ImportParts.h"

#include "dialect/kgen/Size.h"
#include "graph/Operator.h"
#include "ops/Lowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Parser/Parser.h>

#include <map>
#include <mutex>

using namespace mlir;

namespace kgen {

bool isPartOfUsers(Operation *op) {
  if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>))
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && (elements.isSplat() || elements.getNumElements() <= fewElements);
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() != nullptr;
  return isa<tensor::EmptyOp>(op);
}

bool keepsImages(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() < 3 ||
      op.hasIndexSemantics() || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  bool readsMemory = false;
  op->walk([&](tensor::ExtractOp) { readsMemory = true; });
  return !readsMemory && llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    Operation *made = operand->get().getDefiningOp();
    return map.isIdentity() ? !made || !isPartOfUsers(made)
                            : map.getNumResults() <= 1 && map.isProjectedPermutation();
  });
}

namespace {

class CodeWriter {
public:
  CodeWriter(Operation *op, ArrayRef<Value> results, ArrayRef<Value> inputs)
      : b(op ? op->getContext() : results.front().getContext()) {
    Operation *end = op ? op : *Value(results.front()).user_begin();
    SmallVector<Value> given = sizeArguments(end->getParentOfType<func::FuncOp>());
    llvm::append_range(given, inputs);
    SmallVector<Type> arguments, types;
    for (Value input : given)
      arguments.push_back(input.getType());
    for (Value result : op ? ValueRange(op->getResults()) : ValueRange(results))
      types.push_back(result.getType());
    Location loc = b.getUnknownLoc();
    function = func::FuncOp::create(b, loc, "node", b.getFunctionType(arguments, types));
    b.setInsertionPointToEnd(function->addEntryBlock());
    for (auto [input, argument] : llvm::zip_equal(given, function->getArguments()))
      map.map(input, argument);
    SmallVector<Value> made;
    if (op) {
      copyOperandsOf(op);
      llvm::append_range(made, b.clone(*op, map)->getResults());
    }
    for (Value result : results)
      made.push_back(copied(result));
    func::ReturnOp::create(b, loc, made);
  }

  std::string text() {
    std::string code;
    llvm::raw_string_ostream os(code);
    function.get()->print(os, OpPrintingFlags().enableDebugInfo(false));
    return code;
  }

private:
  /// Also what its regions read of what is outside.
  void copyOperandsOf(Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()) ||
            operand.getParentRegion() == op->getParentRegion())
          copied(operand);
    });
  }

  Value copied(Value value) {
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    copyOperandsOf(op);
    b.clone(*op, map);
    return map.lookup(value);
  }

  OpBuilder b;
  OwningOpRef<func::FuncOp> function;
  IRMapping map;
};

/// Elements of i1 are bytes in the graph's inputs, weights and results.
Value inElementType(LoweringContext &context, Value value, RankedTensorType wanted) {
  Type from = getElementTypeOrSelf(value.getType()), to = wanted.getElementType();
  if (from == to) // a size may be a number in one of the types only
    return value.getType() == wanted
               ? value
               : tensor::CastOp::create(context.b, context.loc, wanted, value).getResult();
  Value init = context.emptyLike(value, to);
  SmallVector<AffineMap> maps(
      2, AffineMap::getMultiDimIdentityMap(wanted.getRank(), context.b.getContext()));
  SmallVector<utils::IteratorType> loops(wanted.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             context.b, context.loc, wanted, value, init, maps, loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value element = args[0];
               if (to.isInteger(1)) {
                 Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(from, 0));
                 element = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, element, zero);
               } else {
                 element = arith::ExtUIOp::create(b, loc, to, element);
               }
               linalg::YieldOp::create(b, loc, element);
             })
      .getResult(0);
}

/// The operation with its image, and operands of the same shape, in the order of the context.
Value inOrderOf(LoweringContext &context, linalg::LinalgOp op, const IRMapping &map) {
  auto rank = static_cast<int64_t>(op.getNumLoops());
  SmallVector<AffineExpr> loops; // of the graph's dimensions
  for (int64_t d = 0; d < rank; ++d)
    loops.push_back(context.b.getAffineDimExpr(context.dimensionOf(d, rank)));
  AffineMap inOrder = AffineMap::get(rank, 0, loops, context.b.getContext()),
            identity = context.b.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap of = op.getMatchingIndexingMap(operand);
    maps.push_back(of.isIdentity() ? identity : of.compose(inOrder));
    inputs.push_back(map.lookupOrDefault(operand->get()));
  }
  maps.push_back(identity);
  RankedTensorType type = context.resultTensor();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      context.b, context.loc, type, inputs,
      context.empty(context.resultShape(), type.getElementType()), maps, iterators);
  IRMapping inner = map;
  op->getRegion(0).cloneInto(&generic.getRegion(), inner);
  generic->walk([&](Operation *each) { each->setLoc(context.loc); });
  return generic.getResult(0);
}

/// Each target reads it again: 0.05 ms a node, 1.5 % of the time of the smallest ones (800
/// elementwise nodes of 64 elements, AVX2).
void lowerCode(LoweringContext &context) {
  const std::string &code = context.string("code");
  ParserConfig config(context.b.getContext());
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(code, config);
  if (!module)
    return context.error("internal error: the code of the node cannot be read");
  auto function = *module->getOps<func::FuncOp>().begin();
  computeInTargetTypes(function);
  storeIndicesAsIntegers(function);
  IRMapping map;
  int64_t rank = context.resultTensor().getRank();
  bool isMoved = context.dimensionOf(1, rank) != 1;
  llvm::DenseMap<Value, Dim> sizes;
  for (auto [argument, symbol] : llvm::zip(function.getArguments(), context.graph.dims))
    sizes.insert({argument, Dim(symbol)});
  for (const auto &[argument, size] : sizes)
    map.map(argument, cast<Value>(sizeValue(context.b, size)));
  for (BlockArgument argument : function.getArguments().drop_front(sizes.size())) {
    Value given = context.operand(argument.getArgNumber() - sizes.size());
    auto wanted = cast<RankedTensorType>(argument.getType());
    if (isMoved && wanted.getRank() == rank)
      wanted = wanted.clone(cast<RankedTensorType>(given.getType()).getShape());
    else if (isMoved) // it was broadcast as ONNX does it
      given = context.reshape(given, wanted.getShape());
    map.map(argument, inElementType(context, given, wanted));
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (op.getNumResults() == 1 && op.getResult(0).getType().isIndex())
      if (std::optional<Dim> size = dimOfIndex(op.getResult(0), sizes); size && !size->isNumber()) {
        map.map(op.getResult(0), cast<Value>(sizeValue(context.b, *size)));
        continue;
      }
    auto computed = isMoved ? dyn_cast<linalg::LinalgOp>(op) : nullptr;
    if (computed && keepsImages(computed)) {
      map.map(op.getResult(0), inOrderOf(context, computed, map));
      continue;
    }
    Operation *copy = context.b.clone(op, map);
    copy->walk([&](Operation *inner) { inner->setLoc(context.loc); });
  }
  for (auto [i, value] :
       llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    Value result = map.lookup(value);
    bool isBit = getElementTypeOrSelf(result.getType()).isInteger(1);
    if (isBit && llvm::is_contained(context.graph.outputs, context.node.outputs[i]))
      result = inElementType(context, result, context.resultTensor(i));
    else if (!isBit && !isMoved && !context.resultShape(i).isStatic())
      result = inElementType(context, result, context.resultTensor(i));
    context.setResult(result, i);
  }
}

} // namespace

std::string nodeCode(Operation *op, ArrayRef<Value> results, ArrayRef<Value> inputs) {
  return CodeWriter(op, results, inputs).text();
}

const Operator *codeOperator(Operation *operation) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, bool, bool>, std::unique_ptr<const Operator>> made;
  auto computed = dyn_cast_or_null<linalg::LinalgOp>(operation);
  std::string name =
      operation ? operation->getName().getStringRef().str() : std::string("func.return");
  bool keepsLayout = computed && keepsImages(computed);
  bool sumsProducts =
      computed && computed.getNumReductionLoops() > 0 && computed.getNumDpsInputs() > 1;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Operator> &op = made[{name, keepsLayout, sumsProducts}];
  if (!op) {
    Operator one;
    one.name = name;
    one.summary = "an operation of an MLIR file";
    one.minInputs = 0;
    one.maxInputs = operatorUnlimited;
    one.keepsLayout = keepsLayout;
    one.sumsProducts = sumsProducts;
    one.lower = lowerCode;
    op = std::make_unique<const Operator>(std::move(one));
  }
  return op.get();
}

} // namespace kgen
