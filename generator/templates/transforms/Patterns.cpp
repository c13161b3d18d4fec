#include "templates/transforms/Patterns.h"

#include "support/Diagnostics.h"
#include "templates/transforms/Trials.h"

using namespace mlir;

namespace kgen::templates {

/// True if constants of the pattern may say what the parameter is.
static bool isPlaceholder(const Template &pattern, const Parameter &parameter) {
  bool isNumber = parameter.kind == Value::Kind::real || parameter.kind == Value::Kind::number;
  return isNumber && parameter.set.empty() && !followsFromOperands(pattern, parameter.name);
}

/// The values of a trial with numbers that no pattern has in the place of placeholders.
Environment Patterns::trialOf(const Template &pattern, Environment trial, PatternForm &form) {
  for (const Parameter &parameter : pattern.parameters) {
    std::string name = parameter.name.str();
    if (isPlaceholder(pattern, parameter)) {
      int64_t number = 7919 + 2 * static_cast<int64_t>(form.placeholders.size());
      form.placeholders[name] = static_cast<double>(number);
      trial[name] = *parameter.converted(Value::makeNumber(number));
    } else if (!followsFromOperands(pattern, name)) {
      form.values[name] = trial[name];
    }
  }
  return trial;
}

LogicalResult Patterns::addForms(Replacement &replacement) {
  DefinedTemplate &pattern = *replacement.pattern;
  llvm::StringMap<bool> known;
  for (Environment &trial : trialsOf(pattern.header, table.target())) {
    PatternForm form;
    Environment values = trialOf(pattern.header, std::move(trial), form);
    // Not every trial has to be right: kgen-check-templates says which is not.
    ScopedDiagnosticHandler silent(pattern.op.getContext(), [](mlir::Diagnostic &) {});
    FailureOr<OwningOpRef<func::FuncOp>> function = instantiator.wholeInstance(pattern, values);
    if (failed(function) || !(**function).getBody().hasOneBlock())
      continue;
    size_t operations = 0;
    std::string key = shown(form.values);
    (**function).walk([&](Operation *op) {
      key += op->getName().getStringRef();
      operations += op->getParentOp() == **function && !isFreeInDags(op) &&
                    !op->hasTrait<OpTrait::IsTerminator>();
    });
    if (!known.try_emplace(key, true).second)
      continue;
    replacement.operations = std::max(replacement.operations, operations);
    form.function = std::move(*function);
    replacement.forms.push_back(std::move(form));
  }
  if (!replacement.forms.empty() && replacement.operations > 0)
    return success();
  auto diagnostic =
      emitError(pattern.op.getLoc())
      << "no trial instance of @" << pattern.header.name
      << " computes something in one block, so that nothing can be found that unifies "
         "with it; `examples {...}` in its header says what to try";
  diagnostic.attachNote(replacement.of->op.locationOf(replacement.of->header.replaces.data()))
      << "named here";
  return failure();
}

LogicalResult Patterns::read() {
  for (DefinedTemplate &of : table.all()) {
    StringRef name = of.header.replaces;
    if (name.empty())
      continue;
    ArrayRef<DefinedTemplate *> patterns = table.find(name);
    if (patterns.empty())
      return emitError(of.op.locationOf(name.data()))
             << "there is no template @" << name << didYouMean(name.str(), table.names());
    for (DefinedTemplate *pattern : patterns) {
      replacements.push_back({&of, pattern, {}});
      if (failed(addForms(replacements.back())))
        return failure();
    }
  }
  llvm::stable_sort(replacements, [](const Replacement &a, const Replacement &b) {
    return a.operations > b.operations;
  });
  return success();
}

std::optional<Environment> Patterns::valuesOf(const Replacement &replacement,
                                              const PatternForm &form, const DagMatch &match) {
  const Template &pattern = replacement.pattern->header;
  CallShape shape;
  for (BlockArgument argument : func::FuncOp(*form.function).getArguments())
    shape.operands.push_back(table.termOf(match.values.lookup(argument).getType()));
  for (const auto &[name, value] : form.values)
    shape.given[name] = value.shown();
  for (const auto &[name, number] : match.numbers)
    shape.given[name] = pattern.find(name)->kind == Value::Kind::real
                            ? realText(number)
                            : std::to_string(static_cast<int64_t>(number));
  Match found = matchCall(pattern, shape, &table.target());
  return found.fits() && found.atRunTime.empty() ? std::optional(found.values) : std::nullopt;
}

FailureOr<func::FuncOp> Patterns::instanceOf(DefinedTemplate &pattern, const Environment &values) {
  OwningOpRef<func::FuncOp> &instance = instances[{&pattern, shown(values)}];
  if (!instance) {
    FailureOr<OwningOpRef<func::FuncOp>> made = instantiator.wholeInstance(pattern, values);
    if (failed(made))
      return failure();
    instance = std::move(*made);
  }
  return *instance;
}

FailureOr<std::optional<FoundDag>> Patterns::find(Replacement &replacement, Operation *root) {
  for (PatternForm &form : replacement.forms) {
    std::optional<DagMatch> match =
        DagMatcher(*form.function, DagComparison::form, form.placeholders).match(root);
    std::optional<Environment> values = match ? valuesOf(replacement, form, *match) : std::nullopt;
    if (!values)
      continue;
    FailureOr<func::FuncOp> pattern = instanceOf(*replacement.pattern, *values);
    if (failed(pattern))
      return failure();
    if (!pattern->getBody().hasOneBlock())
      continue;
    match = DagMatcher(*pattern, DagComparison::exact).match(root);
    if (match)
      return std::optional(FoundDag{&replacement, std::move(*match), *pattern, *values});
  }
  return std::optional<FoundDag>();
}

SmallVector<mlir::Value> FoundDag::results() const {
  SmallVector<mlir::Value> values;
  Operation *end = func::FuncOp(pattern).getBody().front().getTerminator();
  for (mlir::Value result : end->getOperands())
    values.push_back(match.values.lookup(result));
  return values;
}

Operation *FoundDag::last() const {
  Operation *last = nullptr;
  for (mlir::Value result : results())
    if (Operation *op = result.getDefiningOp(); op && (!last || last->isBeforeInBlock(op)))
      last = op;
  return last;
}

std::string FoundDag::refusal() const {
  SmallVector<mlir::Value> returned = results();
  for (Operation *op : match.operations)
    for (mlir::Value value : op->getResults())
      for (Operation *user : value.getUsers()) {
        Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
        if (inBlock && match.operations.contains(inBlock))
          continue;
        if (!llvm::is_contained(returned, value))
          return "an intermediate value is read by others, too";
        if (inBlock && inBlock->isBeforeInBlock(last()))
          return "one of its results is read before all are there";
      }
  return "";
}

} // namespace kgen::templates
