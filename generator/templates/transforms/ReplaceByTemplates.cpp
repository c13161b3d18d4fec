#include "templates/transforms/Passes.h"

#include "dialect/kgen/DecisionLog.h"
#include "templates/transforms/Instantiator.h"
#include "templates/transforms/Patterns.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <llvm/Support/FormatVariadic.h>

#include <limits>

using namespace mlir;

namespace kgen {

#define GEN_PASS_DEF_REPLACEBYTEMPLATESPASS
#include "templates/transforms/Passes.h.inc"

using namespace templates;

namespace {

/// The replacement of operations.
struct Choice {
  FoundDag found;
  Environment values; ///< of the template
  double cost = 0;
};

class Replacer {
public:
  Replacer(ModuleOp module, StringRef pass)
      : module(module), pass(pass), instantiator(module, {}), table(instantiator.templates()),
        patterns(instantiator) {}

  LogicalResult run();
  unsigned replacedCount = 0, refusedCount = 0;

private:
  LogicalResult replaceIn(func::FuncOp function, MutableArrayRef<Replacement> sameSize);
  LogicalResult compare(Replacement &replacement, Operation *root, std::optional<Choice> &best);
  LogicalResult costOf(DefinedTemplate &of, const Environment &values, double otherwise,
                       double &cost);
  std::optional<Environment> valuesOfTemplate(const FoundDag &found, std::string &refusal);
  void replace(Choice &choice);
  void refuse(const FoundDag &found, const std::string &why);
  mlir::Location locationOf(const DagMatch &match);

  ModuleOp module;
  StringRef pass;
  Instantiator instantiator;
  TemplateTable &table;
  Patterns patterns;
  std::unique_ptr<DecisionLog> log;
};

LogicalResult Replacer::costOf(DefinedTemplate &of, const Environment &values, double otherwise,
                               double &cost) {
  ExpressionError error;
  std::optional<double> known = templates::costOf(of.header, values, &table.target(), error);
  cost = known.value_or(otherwise);
  if (error.message.empty())
    return success();
  return emitError(of.op.locationOf(error.at)) << error.message << " (" << shown(values) << ")";
}

/// The template's parameters: those of the pattern that it has, too, and what operands say.
std::optional<Environment> Replacer::valuesOfTemplate(const FoundDag &found, std::string &refusal) {
  const DefinedTemplate *of = found.by->of;
  const Template &header = of->header;
  CallShape shape;
  for (BlockArgument argument : func::FuncOp(found.pattern).getArguments())
    shape.operands.push_back(table.termOf(argument.getType()));
  for (const auto &[name, value] : found.values)
    if (header.find(name))
      shape.given[name] = value.shown();
  Match match = matchCall(header, shape, &table.target());
  refusal = match.refusal.message;
  if (!match.fits() || !match.atRunTime.empty())
    return std::nullopt;
  for (DefinedTemplate *other : table.find(header.name))
    if (other != of && isMoreSpecial(other->header, header) &&
        matchCall(other->header, shape, &table.target()).fits()) {
      refusal = "a more special template of this name fits";
      return std::nullopt;
    }
  return match.values;
}

LogicalResult Replacer::compare(Replacement &replacement, Operation *root,
                                std::optional<Choice> &best) {
  FailureOr<std::optional<FoundDag>> found = patterns.find(replacement, root);
  if (failed(found) || !*found)
    return found;
  std::string refusal = (*found)->refusal();
  Choice choice{std::move(**found), {}, 0};
  std::optional<Environment> values;
  if (refusal.empty())
    values = valuesOfTemplate(choice.found, refusal);
  if (values) {
    choice.values = std::move(*values);
    double patternCost = 0;
    if (failed(costOf(*replacement.of, choice.values, 0, choice.cost)) ||
        failed(costOf(*replacement.pattern, choice.found.values,
                      std::numeric_limits<double>::infinity(), patternCost)))
      return failure();
    if (choice.cost >= patternCost)
      refusal =
          llvm::formatv("its cost of {0} is not less than {1}", choice.cost, patternCost).str();
  }
  if (!refusal.empty())
    refuse(choice.found, refusal);
  else if (!best || choice.cost < best->cost)
    best = std::move(choice);
  return success();
}

mlir::Location Replacer::locationOf(const DagMatch &match) {
  SmallVector<mlir::Location> places;
  for (Operation *op : match.operations)
    places.push_back(op->getLoc());
  return FusedLoc::get(module.getContext(), places);
}

void Replacer::refuse(const FoundDag &found, const std::string &why) {
  ++refusedCount;
  log->add("refused", locationOf(found.match),
           log->details().set("why", "unifies with @" + found.by->pattern->header.name.str() +
                                         ", but is not replaced by @" +
                                         found.by->of->header.name.str() + ": " + why));
}

void Replacer::replace(Choice &choice) {
  ++replacedCount;
  FoundDag &found = choice.found;
  const Template &header = found.by->of->header;
  SmallVector<mlir::Value> results = found.results(), operands;
  for (BlockArgument argument : found.pattern.getArguments())
    operands.push_back(found.match.values.lookup(argument));
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfter(found.last());
  SmallVector<NamedAttribute> parameters;
  for (const auto &[name, value] : choice.values)
    parameters.push_back(builder.getNamedAttr(name, builder.getStringAttr(value.shown())));
  mlir::Location loc = locationOf(found.match);
  log->add("applied", loc,
           log->details().set("what", "@" + header.name.str() + " takes the place of @" +
                                          found.by->pattern->header.name.str()));
  auto call = CallOp::create(builder, loc, ValueRange(results).getTypes(),
                             FlatSymbolRefAttr::get(module.getContext(), header.name),
                             builder.getDictionaryAttr(parameters), operands);
  for (auto [result, value] : llvm::zip(results, call.getResults()))
    result.replaceAllUsesWith(value);
  SmallVector<Operation *> operations = found.match.operations.takeVector();
  llvm::sort(operations, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : operations)
    op->erase();
}

LogicalResult Replacer::replaceIn(func::FuncOp function, MutableArrayRef<Replacement> sameSize) {
  llvm::DenseSet<Operation *> gone;
  SmallVector<Operation *> roots;
  function.walk([&](Operation *op) {
    if (op->getNumResults() > 0 && !isFreeInDags(op) && !isa<linalg::LinalgOp>(op->getParentOp()))
      roots.push_back(op);
  });
  for (Operation *root : llvm::reverse(roots)) {
    if (gone.contains(root))
      continue;
    std::optional<Choice> best;
    for (Replacement &replacement : sameSize)
      if (failed(compare(replacement, root, best)))
        return failure();
    if (!best)
      continue;
    const llvm::SetVector<Operation *> &replaced = best->found.match.operations;
    gone.insert(replaced.begin(), replaced.end());
    replace(*best);
  }
  return success();
}

LogicalResult Replacer::run() {
  if (failed(patterns.read()))
    return failure();
  std::vector<Replacement> &replacements = patterns.replacements;
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    log = std::make_unique<DecisionLog>(function, pass);
    for (size_t i = 0, end = 0; i < replacements.size(); i = end) {
      while (end < replacements.size() &&
             replacements[end].operations == replacements[i].operations)
        ++end;
      if (failed(replaceIn(function, MutableArrayRef(replacements).slice(i, end - i))))
        return failure();
    }
  }
  return success();
}

struct ReplaceByTemplates : impl::ReplaceByTemplatesPassBase<ReplaceByTemplates> {
  void runOnOperation() override {
    if (llvm::none_of(getOperation().getOps<templates::FuncOp>(),
                      [](templates::FuncOp op) { return op.getText().contains("replaces"); }))
      return markAllAnalysesPreserved();
    Replacer replacer(getOperation(), getArgument());
    if (failed(replacer.run()))
      signalPassFailure();
    numReplaced += replacer.replacedCount;
    numRefused += replacer.refusedCount;
  }
};

} // namespace
} // namespace kgen
