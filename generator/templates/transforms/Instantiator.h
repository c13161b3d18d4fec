// Makes instances of templates, and replaces calls.
#pragma once

#include "templates/language/Expand.h"
#include "templates/transforms/TemplateTable.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen::templates {

struct InstanceLimits {
  unsigned depth = 64, instances = 10000, cases = 64, operations = 1000000;
  bool references = false; ///< a template that names another one in `reference` is that one
  bool generalize = true;  ///< named linalg operations but linalg.fill, which sums start from
  ExpansionLimits expansion;
};

/// A call that has not been resolved, and the instance that it stands in, or -1.
struct PendingCall {
  CallOp call;
  int parent;
  bool isReference = false;
};

class Instantiator {
public:
  Instantiator(mlir::ModuleOp module, InstanceLimits limits)
      : module(module), limits(limits), table(module) {}

  /// Replaces all calls, and those that instances make.
  mlir::LogicalResult resolveCalls();
  /// After all other functions, whichever call came first.
  void sortInstances();
  mlir::LogicalResult inlineInstances();
  /// All but those that `keeps`.
  void eraseTemplates(llvm::function_ref<bool(const Template &)> keeps);

  /// Makes instances with the values and removes them again.
  mlir::LogicalResult tryTemplate(DefinedTemplate &of, const std::vector<Environment> &tuples);

  /// The instance with everything that it calls in the place of the calls, on its own.
  mlir::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>> wholeInstance(DefinedTemplate &of,
                                                                       const Environment &values);

  TemplateTable &templates() { return table; }
  unsigned callCount = 0, switchCount = 0;
  size_t instanceCount() const { return instances.size(); }

private:
  struct Instance {
    mlir::func::FuncOp function;
    std::string shown;   ///< @mma<T = f32, ...>
    mlir::Location call; ///< the first that led here
    int parent;          ///< the instance that the call is in, or -1
    unsigned depth;
  };
  /// A template that was asked whether it fits.
  struct Candidate {
    DefinedTemplate *of;
    Match match;
  };

  // Calls.cpp
  mlir::LogicalResult resolvePending();
  mlir::LogicalResult resolve(PendingCall pending);
  mlir::SmallVector<mlir::Value> knownOperands(CallOp call);
  CallShape shapeOf(CallOp call, mlir::ValueRange operands);
  mlir::LogicalResult reportNoFit(PendingCall pending, mlir::ValueRange operands,
                                  const std::vector<Candidate> &candidates);
  Candidate *mostSpecial(std::vector<Candidate *> &fit, PendingCall pending);
  mlir::FailureOr<mlir::SmallVector<mlir::Value>>
  callInstance(mlir::OpBuilder &builder, Candidate &candidate, const Environment &values,
               PendingCall pending, mlir::ValueRange operands);

  // Dispatch.cpp
  struct RunTimeCase {
    Environment values;
    std::vector<const Value *> choices; ///< one for each parameter known at run time
  };
  std::vector<RunTimeCase> casesOf(const Candidate &candidate) const;
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> dispatch(Candidate &special, Candidate *otherwise,
                                                           PendingCall pending,
                                                           mlir::ValueRange operands);
  mlir::Value caseNumber(mlir::OpBuilder &builder, mlir::Location loc, const Candidate &special,
                         const std::vector<RunTimeCase> &cases, mlir::ValueRange operands);

  // Instances.cpp
  mlir::FailureOr<mlir::func::FuncOp> instanceOf(DefinedTemplate &of, const Environment &values,
                                                 mlir::Location call, int parent);
  std::string tupleOf(const DefinedTemplate &of, const Environment &values) const;
  mlir::LogicalResult checkLimits(const std::string &shown, mlir::Location call, int parent);
  mlir::LogicalResult make(DefinedTemplate &of, const Environment &values, int self);
  mlir::LogicalResult parse(DefinedTemplate &of, const Expander &text, llvm::StringRef source,
                            int self);
  mlir::LogicalResult reportExpansion(DefinedTemplate &of, const ExpressionError &error, int self);
  void finish(mlir::func::FuncOp function);
  void eraseInstances();
  /// The calls that led to an instance: the last two and the first.
  void addCallNotes(mlir::InFlightDiagnostic &diagnostic, int instance);

  mlir::ModuleOp module;
  InstanceLimits limits;
  TemplateTable table;
  std::vector<Instance> instances;
  llvm::StringMap<int> known; ///< instances by symbol
  std::deque<PendingCall> work;
  bool isTrial = false;
  bool stopped = false; ///< a limit was reached: one error is enough
};

} // namespace kgen::templates
