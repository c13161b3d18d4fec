// Results that a function writes into its arguments, as compilers have them at the boundary to
// memory.
#include "dialect/kgen/EmptyTensor.h"
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr StringLiteral nameAttrName = "kgen.name";

class DestinationReturner {
public:
  explicit DestinationReturner(func::FuncOp function)
      : function(function), end(function.getBody().front().getTerminator()) {}

  bool run() {
    replaceAllocations();
    SmallVector<bufferization::MaterializeInDestinationOp> writes;
    function.walk([&](bufferization::MaterializeInDestinationOp op) { writes.push_back(op); });
    if (writes.empty() && !hasMemory())
      return true;
    for (bufferization::MaterializeInDestinationOp op : writes)
      returnSource(op);
    for (BlockArgument argument : function.getArguments())
      if (isa<MemRefType>(argument.getType()) && !isWritten.contains(argument))
        readAsTensor(argument);
    if (isRight)
      rewriteSignature();
    return isRight;
  }

private:
  bool hasMemory() { return llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<MemRefType>); }

  static RankedTensorType tensorOf(MemRefType type) {
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }

  /// Memory that a function takes for a tensor of its own is a tensor.
  void replaceAllocations() {
    function.walk([](bufferization::AllocTensorOp op) {
      OpBuilder b(op);
      Value made = op.getCopy();
      if (!made) {
        SmallVector<OpFoldResult> sizes;
        auto dynamic = op.getDynamicSizes().begin();
        for (int64_t size : op.getType().getShape())
          sizes.push_back(ShapedType::isDynamic(size) ? OpFoldResult(*dynamic++)
                                                      : OpFoldResult(b.getIndexAttr(size)));
        made = emptyTensor(b, op.getLoc(), sizes, op.getType().getElementType());
      }
      op.getResult().replaceAllUsesWith(made);
      op.erase();
    });
  }

  /// The argument that a destination is, through casts of its type.
  static BlockArgument argumentOf(Value destination) {
    while (auto cast = destination.getDefiningOp<tensor::CastOp>())
      destination = cast.getSource();
    return dyn_cast<BlockArgument>(destination);
  }

  void returnSource(bufferization::MaterializeInDestinationOp op) {
    BlockArgument destination = argumentOf(op.getDest());
    bool isMemory = isa<BaseMemRefType>(op.getDest().getType());
    bool isArgument = destination && destination.getOwner() == &function.getBody().front();
    if (op->getParentOp() != function || (isMemory && !isArgument))
      return error(op, "'bufferization.materialize_in_destination' writes what is no argument of "
                       "the function: expected one of its arguments, outside of loops");
    bool isReturned = op->getNumResults() != 0 && !op.getResult().use_empty();
    if (isReturned)
      op.getResult().replaceAllUsesWith(op.getSource());
    if (isArgument && !isReturned) {
      if (!isWritten.insert(destination).second)
        return error(op, "argument " + Twine(destination.getArgNumber()) + " is written twice");
      results.push_back({op.getSource(), destination});
    }
    op.erase();
  }

  /// Memory whose elements are read by `bufferization.to_tensor` alone.
  void readAsTensor(BlockArgument argument) {
    auto type = cast<MemRefType>(argument.getType());
    auto isRead = [](Operation *user) { return isa<bufferization::ToTensorOp>(user); };
    if (!type.getLayout().isIdentity() || argument.use_empty() ||
        !llvm::all_of(argument.getUsers(), isRead))
      return; // checkFunction() says what it expects
    for (Operation *user : llvm::to_vector(argument.getUsers())) {
      user->getResult(0).replaceAllUsesWith(argument);
      user->erase();
    }
    argument.setType(tensorOf(type));
  }

  /// Results are named as the arguments that they were written into; what is left keeps its name.
  void rewriteSignature() {
    SmallVector<Value> returned(end->getOperands());
    SmallVector<DictionaryAttr> names;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      names.push_back(function.getResultAttrDict(i));
    OpBuilder b(function.getContext());
    llvm::BitVector gone(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      if (!function.getArgAttr(argument.getArgNumber(), nameAttrName))
        function.setArgAttr(argument.getArgNumber(), nameAttrName,
                            b.getStringAttr(nameOf(argument)));
    for (auto [value, argument] : results) {
      returned.push_back(value);
      names.push_back(b.getDictionaryAttr(b.getNamedAttr(
          nameAttrName, function.getArgAttr(argument.getArgNumber(), nameAttrName))));
      if (argument.use_empty())
        gone.set(argument.getArgNumber());
      else
        error(argument, "argument " + Twine(argument.getArgNumber()) +
                            " is read and written: functions of a library read inputs and write "
                            "outputs; expected two arguments");
    }
    end->setOperands(returned);
    function.setFunctionType(b.getFunctionType(function.getBody().front().getArgumentTypes(),
                                               ValueRange(returned).getTypes()));
    function.setAllResultAttrs(names);
    if (failed(function.eraseArguments(gone)))
      isRight = false;
  }

  std::string nameOf(BlockArgument argument) {
    return "arg" + std::to_string(argument.getArgNumber());
  }

  void error(Operation *op, const Twine &message) {
    op->emitError() << message;
    isRight = false;
  }
  void error(BlockArgument argument, const Twine &message) {
    emitError(argument.getLoc()) << message;
    isRight = false;
  }

  func::FuncOp function;
  Operation *end;
  SmallVector<std::pair<Value, BlockArgument>> results; ///< that are written
  llvm::SmallDenseSet<Value> isWritten;
  bool isRight = true;
};

} // namespace

bool returnDestinations(func::FuncOp function) { return DestinationReturner(function).run(); }

} // namespace kgen
