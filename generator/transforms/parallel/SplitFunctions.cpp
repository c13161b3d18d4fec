// Long functions become several: LLVM's passes take more than linear time for one of them.
#include "transforms/parallel/SplitFunctions.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Transforms/RegionUtils.h>

#include <deque>

using namespace mlir;

namespace kgen {
namespace {

/// Of a function that stays whole: LLVM's passes take more than linear time for a function, and a
/// call costs nothing beside so many operations.
constexpr int64_t maxFunctionOperations = 8192;
/// Of a part, unless its last operation has more.
constexpr int64_t maxPartOperations = 512;

/// Consecutive operations of a function's block, of which those that are not computed anew move.
struct Part {
  SmallVector<Operation *> moved;
  llvm::SetVector<Value> captures;     ///< arguments of the function
  llvm::SetVector<Operation *> cloned; ///< operands before users
};

class Splitter {
public:
  Splitter(func::FuncOp function, SymbolTable &symbols)
      : function(function), body(function.getBody().front()), symbols(symbols),
        rewriter(function.getContext()) {}

  void run() {
    findCuts();
    for (const Part &part : parts)
      outline(part);
    eraseUnused();
  }

private:
  void findCuts();
  void close(ArrayRef<Operation *> ops);
  bool collect(Value value, Part &part);
  void outline(const Part &part);
  void copyArgAttrs(func::FuncOp made, ArrayRef<Value> captures);
  void eraseUnused();

  /// Whether each part that uses the operation's results can compute them itself: it is pure, and
  /// so is what its operands are computed by.
  bool isComputedAnew(Operation *op) const { return anew.contains(op); }

  func::FuncOp function;
  Block &body;
  SymbolTable &symbols;
  IRRewriter rewriter;
  llvm::DenseSet<Operation *> anew;
  std::deque<Part> parts;
};

/// A mathematical function counts as what it will be expanded to.
int64_t countOperations(Operation *op) {
  const int64_t ofFunction = cpuOf(op).heuristics.functionOperations;
  int64_t count = 0;
  op->walk([&](Operation *inner) { count += isMathFunction(inner) ? ofFunction : 1; });
  return count;
}

/// True if the operation has to stay in the function: memory that lives as long as it does, and
/// calls that end it when they fail.
bool hasToStay(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || isa<memref::AllocaOp>(op) ||
         op->walk([](ExternOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// A part ends where it is long enough, and no value that only it can compute is needed after it.
void Splitter::findCuts() {
  llvm::DenseMap<Operation *, size_t> positions;
  for (Operation &op : body)
    positions.try_emplace(&op, positions.size());
  size_t lastUse = 0, position = 0;
  int64_t size = 0;
  SmallVector<Operation *> ops;
  for (Operation &op : body) {
    bool isPure =
        op.getNumRegions() == 0 && mlir::isPure(&op) && !op.hasTrait<OpTrait::IsTerminator>();
    if (isPure && llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *source = operand.getDefiningOp();
          return !source || isComputedAnew(source);
        }))
      anew.insert(&op);
    else if (hasToStay(&op)) {
      if (lastUse < position)
        close(ops);
      ops.clear();
    } else {
      for (Operation *user : op.getUsers())
        lastUse = std::max(lastUse, positions.lookup(body.findAncestorOpInBlock(*user)));
      ops.push_back(&op);
      size += countOperations(&op);
    }
    if (size >= maxPartOperations && lastUse <= position && !ops.empty()) {
      close(ops);
      ops.clear();
    }
    if (ops.empty())
      size = 0;
    ++position;
  }
}

/// Makes a part of the operations, unless they are few, or need what cannot be passed.
void Splitter::close(ArrayRef<Operation *> ops) {
  Part part;
  part.moved.assign(ops.begin(), ops.end());
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  for (Operation *op : ops) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used) {
      Operation *source = value.getDefiningOp();
      if (!(source && inside.contains(source)) && !collect(value, part))
        return;
    }
  }
  if (!ops.empty())
    parts.push_back(std::move(part));
}

/// Adds what a part needs to have `value`. Returns false if it cannot be passed.
bool Splitter::collect(Value value, Part &part) {
  Operation *op = value.getDefiningOp();
  if (!op || !isComputedAnew(op)) {
    part.captures.insert(value);
    return canBeCaptured(value.getType());
  }
  if (part.cloned.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!collect(operand, part))
      return false;
  part.cloned.insert(op);
  return true;
}

void Splitter::outline(const Part &part) {
  Location loc = function.getLoc();
  ArrayRef<Value> captures = part.captures.getArrayRef();
  rewriter.setInsertionPoint(function);
  SmallVector<Type> types(ValueRange(captures).getTypes());
  auto made = func::FuncOp::create(rewriter, loc, (function.getName() + "_part").str(),
                                   rewriter.getFunctionType(types, {}));
  made.setPrivate();
  made->setAttr("llvm.linkage",
                LLVM::LinkageAttr::get(rewriter.getContext(), LLVM::Linkage::Internal));
  symbols.insert(made); // gives it a name of its own
  copyArgAttrs(made, captures);
  rewriter.setInsertionPoint(part.moved.front());
  func::CallOp::create(rewriter, part.moved.front()->getLoc(), made, captures);
  Block *entry = made.addEntryBlock();
  rewriter.setInsertionPointToStart(entry);
  IRMapping inside;
  inside.map(captures, entry->getArguments());
  for (Operation *op : part.cloned)
    rewriter.clone(*op, inside);
  auto end = func::ReturnOp::create(rewriter, loc);
  for (Operation *op : part.moved) {
    op->moveBefore(end);
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Value mapped = inside.lookupOrNull(operand.get()))
          operand.set(mapped);
    });
  }
}

/// The function's promises about its arguments (noalias, readonly) hold for the part's, if all of
/// its buffers are arguments.
void Splitter::copyArgAttrs(func::FuncOp made, ArrayRef<Value> captures) {
  if (llvm::any_of(captures, [](Value capture) {
        return isa<MemRefType>(capture.getType()) && !isa<BlockArgument>(capture);
      }))
    return;
  for (auto [i, capture] : llvm::enumerate(captures))
    if (auto argument = dyn_cast<BlockArgument>(capture))
      if (DictionaryAttr attributes = function.getArgAttrDict(argument.getArgNumber()))
        made.setArgAttrs(i, attributes);
}

/// What only parts have used.
void Splitter::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isComputedAnew(&op) && op.use_empty())
      rewriter.eraseOp(&op);
}

} // namespace

void splitLongFunction(func::FuncOp function, SymbolTable &symbols) {
  if (function.getBody().hasOneBlock() && countOperations(function) > maxFunctionOperations)
    Splitter(function, symbols).run();
}

} // namespace kgen
