// Long functions become several: LLVM's passes take more than linear time for one of them.
#include "transforms/parallel/SplitFunctions.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
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
/// For each loop of a linalg operation: LLVM's loop passes took 13 s for 40 convolutions in one
/// function.
constexpr int64_t operationsOfLoop = 128;
/// Values in registers that a part hands on to later ones: a call passes so few in registers.
constexpr size_t maxPartResults = 4;

/// Consecutive operations of a function's block, of which those that are not computed anew move.
struct Part {
  SmallVector<Operation *> moved;
  llvm::SetVector<Value> captures;     ///< arguments of the function, results of others
  llvm::SetVector<Operation *> cloned; ///< operands before users
  SmallVector<Value> results;          ///< vectors and numbers that later operations use
};

class Splitter {
public:
  Splitter(func::FuncOp function, SymbolTable &symbols)
      : function(function), body(function.getBody().front()), symbols(symbols),
        rewriter(function.getContext()) {}

  void run() {
    findCuts();
    // From the last one: what it captures of others are values of the function until these move.
    Operation *next = function;
    for (size_t number = parts.size(); number-- > 0;)
      next = outline(parts[number], number, next);
    eraseUnused();
  }

private:
  void findCuts();
  void close(ArrayRef<Operation *> ops);
  void addResults(Operation &op, llvm::function_ref<size_t(Operation *)> positionOf);
  bool canCut(size_t position);
  bool collect(Value value, Part &part);
  func::FuncOp outline(const Part &part, size_t number, Operation *next);
  void copyArgAttrs(func::FuncOp made, ArrayRef<Value> captures);
  void eraseUnused();

  /// True if each part that uses the operation's results can compute them itself: it is pure, and
  /// so is what its operands are computed by.
  bool isComputedAnew(Operation *op) const { return anew.contains(op); }

  func::FuncOp function;
  Block &body;
  SymbolTable &symbols;
  IRRewriter rewriter;
  llvm::DenseSet<Operation *> anew;
  std::deque<Part> parts;
  SmallVector<std::pair<Value, size_t>> waiting; ///< results with their last uses, in findCuts
};

/// A mathematical function counts as what it will be expanded to, and a loop that a linalg
/// operation will be as what it costs LLVM's loop passes.
int64_t countOperations(Operation *op) {
  const int64_t ofFunction = cpuOf(op).heuristics.functionOperations;
  int64_t count = 0;
  op->walk([&](Operation *inner) {
    count += isMathFunction(inner) ? ofFunction : 1;
    if (auto loops = dyn_cast<linalg::LinalgOp>(inner))
      count += operationsOfLoop * static_cast<int64_t>(loops.getNumLoops());
  });
  return count;
}

/// True if the operation has to stay in the function: memory that lives as long as it does, and
/// calls that end it when they fail.
bool hasToStay(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || isa<memref::AllocaOp>(op) ||
         op->walk([](ExternOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// True if a value can be an argument or a result of a part.
bool isPassed(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.getElementType().isInteger(1) && !vector.isScalable();
  return type.isIntOrIndexOrFloat();
}

/// Adds the results that are used, with the positions of their last uses.
void Splitter::addResults(Operation &op, llvm::function_ref<size_t(Operation *)> positionOf) {
  for (Value result : op.getResults()) {
    size_t last = 0;
    for (Operation *user : result.getUsers())
      last = std::max(last, positionOf(user));
    if (last)
      waiting.emplace_back(result, last);
  }
}

/// True if what is needed after the position can be passed to later parts.
bool Splitter::canCut(size_t position) {
  llvm::erase_if(waiting, [&](auto &each) { return each.second <= position; });
  return waiting.size() <= maxPartResults &&
         llvm::all_of(waiting, [](auto &each) { return isPassed(each.first.getType()); });
}

/// A part ends where it is long enough, and hands on no more than a few values in registers.
void Splitter::findCuts() {
  llvm::DenseMap<Operation *, size_t> positions;
  for (Operation &op : body)
    positions.try_emplace(&op, positions.size());
  auto positionOf = [&](Operation *user) {
    return positions.lookup(body.findAncestorOpInBlock(*user));
  };
  int64_t size = 0;
  SmallVector<Operation *> ops;
  auto end = [&](size_t position) {
    if (canCut(position))
      close(ops);
    ops.clear();
    size = 0;
  };
  for (Operation &op : body) {
    size_t position = positions.lookup(&op);
    bool isPure =
        op.getNumRegions() == 0 && mlir::isPure(&op) && !op.hasTrait<OpTrait::IsTerminator>();
    if (isPure && llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *source = operand.getDefiningOp();
          return !source || isComputedAnew(source);
        }))
      anew.insert(&op);
    else if (hasToStay(&op)) {
      end(position - 1);
    } else {
      ops.push_back(&op);
      size += countOperations(&op);
      addResults(op, positionOf);
    }
    // Rather where nothing is handed on.
    if (size >= maxPartOperations && !ops.empty() && canCut(position) &&
        (waiting.empty() || size >= 2 * maxPartOperations))
      end(position);
  }
}

/// Makes a part of the operations, unless they need what cannot be passed.
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
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !inside.contains(body.findAncestorOpInBlock(*user));
          }))
        part.results.push_back(result);
  if (!ops.empty())
    parts.push_back(std::move(part));
}

/// Adds what a part needs to have `value`. Returns false if it cannot be passed.
bool Splitter::collect(Value value, Part &part) {
  Operation *op = value.getDefiningOp();
  if (!op || !isComputedAnew(op)) {
    part.captures.insert(value);
    return canBeCaptured(value.getType()) || isPassed(value.getType());
  }
  if (part.cloned.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!collect(operand, part))
      return false;
  part.cloned.insert(op);
  return true;
}

/// Makes a function of a part, before `next`.
func::FuncOp Splitter::outline(const Part &part, size_t number, Operation *next) {
  Location loc = function.getLoc();
  ArrayRef<Value> captures = part.captures.getArrayRef();
  rewriter.setInsertionPoint(next);
  auto made =
      func::FuncOp::create(rewriter, loc, (function.getName() + "_part" + Twine(number)).str(),
                           rewriter.getFunctionType(ValueRange(captures).getTypes(),
                                                    ValueRange(part.results).getTypes()));
  made.setPrivate();
  made->setAttr("llvm.linkage",
                LLVM::LinkageAttr::get(rewriter.getContext(), LLVM::Linkage::Internal));
  symbols.insert(made); // gives it a name of its own
  copyArgAttrs(made, captures);
  rewriter.setInsertionPoint(part.moved.front());
  auto call = func::CallOp::create(rewriter, part.moved.front()->getLoc(), made, captures);
  Block *entry = made.addEntryBlock();
  rewriter.setInsertionPointToStart(entry);
  IRMapping inside;
  inside.map(captures, entry->getArguments());
  for (Operation *op : part.cloned)
    rewriter.clone(*op, inside);
  auto end = func::ReturnOp::create(rewriter, loc, part.results);
  for (Operation *op : part.moved) {
    op->moveBefore(end);
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Value mapped = inside.lookupOrNull(operand.get()))
          operand.set(mapped);
    });
  }
  for (auto [value, passed] : llvm::zip_equal(part.results, call.getResults())) {
    Value result = value;
    result.replaceUsesWithIf(
        passed, [&](OpOperand &use) { return !made->isProperAncestor(use.getOwner()); });
  }
  return made;
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

/// Erases operations that only parts have used.
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
