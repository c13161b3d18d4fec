// Templates that others name in `replaces`, as operations, and where they are found.
#pragma once

#include "templates/transforms/Instantiator.h"
#include "templates/transforms/MatchDag.h"

namespace kgen::templates {

/// A trial instance of a pattern, to compare forms with.
struct PatternForm {
  mlir::OwningOpRef<mlir::func::FuncOp> function;
  Environment values;        ///< those that neither operands nor constants say
  Placeholders placeholders; ///< parameters that constants of the pattern say
};

/// A template, and one of those that it names in `replaces`.
struct Replacement {
  DefinedTemplate *of, *pattern;
  std::vector<PatternForm> forms;
  size_t operations = 0; ///< in the largest of the forms
};

/// Operations that unify with a pattern.
struct FoundDag {
  const Replacement *by;
  DagMatch match;
  mlir::func::FuncOp pattern; ///< the instance that they are
  Environment values;         ///< its parameters

  /// The values that the pattern's results are.
  mlir::SmallVector<mlir::Value> results() const;
  /// After it, all results are there.
  mlir::Operation *last() const;
  /// Returns why the operations have to stay; empty: they need not.
  std::string refusal() const;
};

class Patterns {
public:
  explicit Patterns(Instantiator &instantiator)
      : instantiator(instantiator), table(instantiator.templates()) {}

  /// Finds those of the module. Reports names that are no template's, and patterns without a form.
  mlir::LogicalResult read();
  /// Returns what computes a result of `root` and unifies; fails where an instance of the pattern
  /// is wrong.
  mlir::FailureOr<std::optional<FoundDag>> find(Replacement &replacement, mlir::Operation *root);

  std::vector<Replacement> replacements; ///< those of most operations first

private:
  mlir::LogicalResult addForms(Replacement &replacement);
  Environment trialOf(const Template &pattern, Environment trial, PatternForm &form);
  std::optional<Environment> valuesOf(const Replacement &replacement, const PatternForm &form,
                                      const DagMatch &match);
  mlir::FailureOr<mlir::func::FuncOp> instanceOf(DefinedTemplate &pattern,
                                                 const Environment &values);

  Instantiator &instantiator;
  TemplateTable &table;
  std::map<std::pair<DefinedTemplate *, std::string>, mlir::OwningOpRef<mlir::func::FuncOp>>
      instances;
};

} // namespace kgen::templates
