// Removes the surroundings of the computation of a function: attributes of other compilers, clocks,
// prints and assertions.
#include "dialect/kgen/SizeForm.h"
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include <llvm/ADT/StringSet.h>

using namespace mlir;

namespace kgen {
namespace {

/// Attributes whose names, or values, are of a dialect that is no part of a graph.
class AttributeFilter {
public:
  explicit AttributeFilter(ModuleOp module) : module(module) {}

  void run() {
    module.walk([&](Operation *op) {
      for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
        if (isForeign(attribute)) {
          say(attribute, op->getLoc(), isa<ModuleOp>(op) ? "the module" : nameOf(op));
          op->removeDiscardableAttr(attribute.getName());
        }
      if (auto function = dyn_cast<func::FuncOp>(op))
        filterParameters(function);
    });
  }

private:
  static bool isForeign(NamedAttribute attribute) {
    auto [prefix, rest] = attribute.getName().getValue().split('.');
    if (!rest.empty() && !isInputDialect(prefix))
      return true;
    bool isOpaque = false;
    attribute.getValue().walk([&](OpaqueAttr) { isOpaque = true; });
    return isOpaque;
  }

  static std::string nameOf(Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    return function ? "'" + function.getName().str() + "'"
                    : "'" + op->getName().getStringRef().str() + "'";
  }

  static SmallVector<NamedAttribute> attributesOf(DictionaryAttr attributes) {
    return attributes ? llvm::to_vector(attributes) : SmallVector<NamedAttribute>();
  }

  void filterParameters(func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      Location where = function.isExternal() ? function.getLoc() : function.getArgument(i).getLoc();
      for (NamedAttribute attribute : attributesOf(function.getArgAttrDict(i)))
        if (isForeign(attribute)) {
          say(attribute, where, "argument " + std::to_string(i) + " of " + nameOf(function));
          function.removeArgAttr(i, attribute.getName());
        }
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      for (NamedAttribute attribute : attributesOf(function.getResultAttrDict(i)))
        if (isForeign(attribute)) {
          say(attribute, function.getLoc(),
              "result " + std::to_string(i) + " of " + nameOf(function));
          function.removeResultAttr(i, attribute.getName());
        }
  }

  /// The first of each name.
  void say(NamedAttribute attribute, Location where, const std::string &owner) {
    if (said.insert(attribute.getName()).second)
      emitRemark(where) << "attribute '" << attribute.getName().getValue() << "' of " << owner
                        << " is ignored: it is none of those that kgen knows";
  }

  ModuleOp module;
  llvm::SmallDenseSet<StringAttr> said;
};

/// Operations that are there for what they do besides computing.
class ProbeRemover {
public:
  explicit ProbeRemover(func::FuncOp function) : function(function) {}

  void run() {
    SmallVector<Operation *> probes;
    function.walk([&](Operation *op) {
      if (isProbe(op) && !decidesResults(op))
        probes.push_back(op);
    });
    for (Operation *op : probes)
      say(op);
    for (Operation *op : probes)
      removeWithUsers(op);
  }

private:
  bool isProbe(Operation *op) const {
    if (isa<cf::AssertOp, vector::PrintOp>(op))
      return true;
    auto call = dyn_cast<func::CallOp>(op);
    auto callee =
        call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr())
             : func::FuncOp();
    return callee && callee.isExternal();
  }

  /// True if one of its results reaches a tensor, or something that is not left out.
  bool decidesResults(Operation *op) {
    return llvm::any_of(op->getResults(), [&](Value result) {
      return isa<ShapedType>(result.getType()) ||
             llvm::any_of(result.getUsers(), [&](Operation *user) {
               if (isProbe(user) && user->getNumResults() == 0)
                 return false;
               return user->getNumRegions() != 0 || user->hasTrait<OpTrait::IsTerminator>() ||
                      !isPure(user) || decidesResults(user);
             });
    });
  }

  void say(Operation *op) {
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      if (!holds(assertion.getArg()))
        assertion.emitWarning() << "nobody checks that " << assertion.getMsg()
                                << ": functions of a library compute";
      return;
    }
    auto call = dyn_cast<func::CallOp>(op);
    StringRef name = call ? call.getCallee() : op->getName().getStringRef();
    if (said.insert(name).second)
      op->emitWarning() << "'" << name
                        << "' is left out: no result depends on it, and functions of a library "
                           "only compute";
  }

  /// Comparisons of sizes that are the same expression, or whose bounds decide.
  static bool holds(Value condition) {
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return matchPattern(condition, m_One());
    const llvm::DenseMap<Value, Dim> none;
    std::optional<Dim> left = dimOfIndex(compare.getLhs(), none),
                       right = dimOfIndex(compare.getRhs(), none);
    if (!left || !right)
      return false;
    DimBounds difference = (*left - *right).bounds();
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return *left == *right;
    case arith::CmpIPredicate::ne:
      return difference.min > 0 || difference.max < 0;
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::ult:
      return difference.max < 0;
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::ule:
      return difference.max <= 0;
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::ugt:
      return difference.min > 0;
    case arith::CmpIPredicate::sge:
    case arith::CmpIPredicate::uge:
      return difference.min >= 0;
    }
    return false;
  }

  void removeWithUsers(Operation *op) {
    if (!removed.insert(op).second)
      return;
    for (Operation *user : llvm::to_vector(op->getUsers()))
      removeWithUsers(user);
    op->dropAllUses();
    op->erase();
  }

  func::FuncOp function;
  llvm::StringSet<> said;
  llvm::SmallPtrSet<Operation *, 16> removed;
};

} // namespace

void dropForeignAttributes(ModuleOp module) { AttributeFilter(module).run(); }

void dropProbes(func::FuncOp function) { ProbeRemover(function).run(); }

} // namespace kgen
