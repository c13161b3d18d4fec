// Tasks that differ only in the constants that they read become one, which gets these as arguments:
// the layers of a network are often equal but for their weights.
#include "transforms/parallel/MergeEqualTasks.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/SymbolTable.h>

#include <llvm/ADT/MapVector.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr OperationEquivalence::Flags ignoringLocations = OperationEquivalence::IgnoreLocations;

/// A private function, who runs it, and the constants that it reads, in the order of first reads.
struct Task {
  struct Constant {
    StringAttr name;
    SmallVector<memref::GetGlobalOp> reads;
  };
  func::FuncOp function;
  ArrayRef<Operation *> callers; ///< all are launches, or all are calls
  SmallVector<Constant> constants = {};

  /// Returns how many arguments its callers pass before the task's index and slot.
  size_t numCaptures() const {
    auto launch = dyn_cast<LaunchOp>(callers.front());
    return launch ? launch.getCaptures().size() : callers.front()->getNumOperands();
  }
};

/// Constants get the names of their positions, so that functions which read different ones alike
/// become equal; and their own names again.
void numberConstants(Task &task) {
  llvm::SmallDenseMap<StringAttr, size_t> positions;
  task.function.walk([&](memref::GetGlobalOp read) {
    StringAttr name = read.getNameAttr().getAttr();
    size_t position = positions.try_emplace(name, positions.size()).first->second;
    if (position == task.constants.size())
      task.constants.push_back({name, {}});
    task.constants[position].reads.push_back(read);
    read.setName(std::to_string(position));
  });
}
void nameConstants(Task &task) {
  for (Task::Constant &constant : task.constants)
    for (memref::GetGlobalOp read : constant.reads)
      read.setName(constant.name);
}

llvm::hash_code hashOf(Task &task) {
  llvm::hash_code code = hash_value(task.function.getFunctionType());
  task.function.getBody().walk([&](Operation *op) {
    auto ignored = OperationEquivalence::ignoreHashValue;
    code = llvm::hash_combine(
        code, OperationEquivalence::computeHash(op, ignored, ignored, ignoringLocations));
  });
  return code;
}

bool areEqual(Task &one, Task &other) {
  return one.callers.front()->getName() == other.callers.front()->getName() &&
         one.numCaptures() == other.numCaptures() &&
         one.function.getFunctionType() == other.function.getFunctionType() &&
         one.function.getArgAttrsAttr() == other.function.getArgAttrsAttr() &&
         one.function->getDiscardableAttrDictionary() ==
             other.function->getDiscardableAttrDictionary() &&
         OperationEquivalence::isRegionEquivalentTo(&one.function.getBody(),
                                                    &other.function.getBody(), ignoringLocations);
}

/// One run over the tasks of a module.
class Merger {
public:
  explicit Merger(ModuleOp module) : symbols(tables.getSymbolTable(module)), users(tables, module) {
    for (auto function : module.getOps<func::FuncOp>()) {
      ArrayRef<Operation *> callers = users.getUsers(function);
      if (function.isPrivate() && !function.isDeclaration() && !callers.empty() &&
          (llvm::all_of(callers, llvm::IsaPred<LaunchOp>) ||
           llvm::all_of(callers, llvm::IsaPred<func::CallOp>)))
        tasks.push_back({function, callers});
    }
  }

  /// Returns how many functions are no more.
  int64_t run() {
    llvm::MapVector<size_t, SmallVector<SmallVector<Task *>>> groups; ///< by hash
    for (Task &task : tasks)
      numberConstants(task);
    for (Task &task : tasks) {
      SmallVector<SmallVector<Task *>> &alike = groups[hashOf(task)];
      auto *group =
          llvm::find_if(alike, [&](auto &group) { return areEqual(*group.front(), task); });
      (group == alike.end() ? alike.emplace_back() : *group).push_back(&task);
    }
    for (Task &task : tasks)
      nameConstants(task);
    SmallVector<func::FuncOp> merged;
    for (auto &[hash, alike] : groups)
      for (ArrayRef<Task *> group : alike)
        if (group.size() > 1) {
          merge(group);
          for (Task *task : group.drop_front())
            merged.push_back(task->function);
        }
    // At last, since callers of others may be in them.
    for (func::FuncOp function : merged)
      symbols.erase(function);
    return static_cast<int64_t>(merged.size());
  }

private:
  void merge(ArrayRef<Task *> group);
  void takeAsArgument(Task &task, const Task::Constant &constant, int64_t alignment);
  int64_t alignmentOf(StringAttr constant) {
    return symbols.lookup<memref::GlobalOp>(constant).getAlignment().value_or(1);
  }

  SymbolTableCollection tables;
  SymbolTable &symbols;
  SymbolUserMap users;
  SmallVector<Task> tasks;
};

/// The task reads the constant through a new argument, the last of its captures.
void Merger::takeAsArgument(Task &task, const Task::Constant &constant, int64_t alignment) {
  func::FuncOp function = task.function;
  OpBuilder b(function.getContext());
  size_t captures = task.numCaptures();
  NamedAttribute unaliased(b.getStringAttr("llvm.noalias"), b.getUnitAttr()),
      unwritten(b.getStringAttr("llvm.readonly"), b.getUnitAttr());
  Location loc = function.getLoc();
  if (failed(function.insertArgument(captures, constant.reads.front()->getResult(0).getType(),
                                     b.getDictionaryAttr({unaliased, unwritten}), loc)))
    llvm_unreachable("a function without results that depend on its arguments takes another one");
  b.setInsertionPointToStart(&function.getBody().front());
  Value argument = function.getArgument(captures);
  Value aligned = memref::AssumeAlignmentOp::create(b, loc, argument, alignment);
  for (memref::GetGlobalOp read : constant.reads) {
    read.replaceAllUsesWith(aligned);
    read.erase();
  }
}

/// All callers run the first task, and pass the constants in which the tasks differ.
void Merger::merge(ArrayRef<Task *> group) {
  Task &first = *group.front();
  for (auto [i, constant] : llvm::enumerate(first.constants)) {
    auto nameIn = [i = i](Task *task) { return task->constants[i].name; };
    if (llvm::all_equal(llvm::map_range(group, nameIn)))
      continue;
    Type type = constant.reads.front()->getResult(0).getType();
    int64_t alignment = alignmentOf(constant.name);
    for (Task *task : group)
      alignment = std::min(alignment, alignmentOf(nameIn(task)));
    takeAsArgument(first, constant, alignment);
    for (Task *task : group)
      for (Operation *caller : task->callers) {
        OpBuilder b(caller);
        Value value = memref::GetGlobalOp::create(b, caller->getLoc(), type, nameIn(task));
        if (auto launch = dyn_cast<LaunchOp>(caller))
          launch.getCapturesMutable().append(value);
        else
          caller->insertOperands(caller->getNumOperands(), value);
      }
  }
  auto callee = FlatSymbolRefAttr::get(first.function.getSymNameAttr());
  for (Task *task : group.drop_front())
    for (Operation *caller : task->callers) {
      if (auto launch = dyn_cast<LaunchOp>(caller))
        launch.setCalleeAttr(callee);
      else
        cast<func::CallOp>(caller).setCalleeAttr(callee);
    }
}

} // namespace

int64_t mergeEqualTasks(ModuleOp module) {
  int64_t all = 0;
  // Functions that call merged ones may be equal then.
  while (int64_t merged = Merger(module).run())
    all += merged;
  return all;
}

} // namespace kgen
