// Instances: text, parsed and verified, with the template's places.
#include "templates/transforms/Instantiator.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Transforms/DialectConversion.h>

#include <llvm/Support/SourceMgr.h>

using namespace mlir;

namespace kgen::templates {

/// The name of the file that an instance's text is, for MLIR's parser.
constexpr StringLiteral instanceFile = "<instance>";

void Instantiator::addCallNotes(InFlightDiagnostic &diagnostic, int instance) {
  for (int n = 0; instance >= 0; instance = instances[instance].parent, ++n) {
    Instance &i = instances[instance];
    if (n < 2 || i.parent < 0)
      diagnostic.attachNote(i.call)
          << "in " << i.shown << (isTrial && i.parent < 0 ? ", tried here" : ", called here");
    else if (n == 2)
      diagnostic.attachNote(i.call) << "and " << i.depth - 1 << " calls before that";
  }
}

/// "mma<T = bf16, M = 4>", in the header's order; of overloads, which one: "mma#1<...>".
std::string Instantiator::tupleOf(const DefinedTemplate &of, const Environment &values) const {
  ArrayRef<DefinedTemplate *> overloads = table.find(of.header.name);
  std::string name = of.header.name.str();
  if (overloads.size() > 1)
    name += "#" + std::to_string(llvm::find(overloads, &of) - overloads.begin());
  std::string tuple;
  for (const Parameter &p : of.header.parameters)
    tuple +=
        (tuple.empty() ? "" : ", ") + p.name.str() + " = " + values.find(p.name)->second.shown();
  return name + "<" + tuple + ">";
}

LogicalResult Instantiator::checkLimits(const std::string &shown, mlir::Location call, int parent) {
  unsigned depth = parent < 0 ? 1 : instances[parent].depth + 1;
  std::string message;
  if (depth > limits.depth)
    message = shown + " is more than " + std::to_string(limits.depth) +
              " instances deep (the limit is the option max-depth)";
  else if (instances.size() == limits.instances)
    message = "more than " + std::to_string(limits.instances) +
              " instances (the limit is the option max-instances)";
  if (message.empty())
    return success();
  stopped = true;
  auto diagnostic = emitError(call) << message;
  addCallNotes(diagnostic, parent);
  return diagnostic;
}

FailureOr<func::FuncOp> Instantiator::instanceOf(DefinedTemplate &of, const Environment &values,
                                                 mlir::Location call, int parent) {
  std::string symbol = tupleOf(of, values);
  std::string shown = "@" + of.header.name.str() + symbol.substr(symbol.find('<'));
  if (auto found = known.find(symbol); found != known.end()) {
    for (int i = parent; i >= 0; i = instances[i].parent)
      if (i == found->second) {
        auto diagnostic = emitError(call) << shown << " calls itself without end";
        addCallNotes(diagnostic, parent);
        return diagnostic;
      }
    func::FuncOp function = instances[found->second].function;
    if (!function)
      return failure(); // said already
    return function;
  }
  if (failed(checkLimits(shown, call, parent)))
    return failure();
  int self = instances.size();
  known[symbol] = self;
  unsigned depth = parent < 0 ? 1 : instances[parent].depth + 1;
  instances.push_back({{}, shown, call, parent, depth});
  if (failed(make(of, values, self)))
    return failure();
  instances[self].function.setName(symbol);
  return instances[self].function;
}

/// Reports an error of an expansion: at the call, if the template's author wrote the error.
LogicalResult Instantiator::reportExpansion(DefinedTemplate &of, const ExpressionError &error,
                                            int self) {
  stopped |= error.isLimit;
  mlir::Location place = of.op.locationOf(error.at);
  const Instance &instance = instances[self];
  auto diagnostic = emitError(error.fromAuthor ? instance.call : place) << error.message;
  if (!error.hint.empty())
    diagnostic << "; " << error.hint;
  if (error.fromAuthor)
    diagnostic.attachNote(place) << "in " << instance.shown;
  addCallNotes(diagnostic, error.fromAuthor ? instance.parent : self);
  return failure();
}

LogicalResult Instantiator::make(DefinedTemplate &of, const Environment &values, int self) {
  Expander text = expandInstance(of.header, values, &table.target(), limits.expansion);
  if (!text.error.message.empty())
    return reportExpansion(of, text.error, self);
  std::string aliases = StringRef(of.aliases).trim().str();
  if (aliases.empty())
    return parse(of, text, text.text, self);
  // In front, so that lines of the instance are counted from there.
  Expander whole({}, nullptr);
  whole.append(aliases + "\n");
  whole.append(text);
  return parse(of, whole, whole.text, self);
}

/// The regions of branches have served to keep names apart.
static void dissolveBranches(func::FuncOp function) {
  function.walk([](scf::ExecuteRegionOp region) {
    if (!region.getRegion().hasOneBlock())
      return;
    mlir::Block &inner = region.getRegion().front();
    Operation *end = inner.getTerminator();
    region->getBlock()->getOperations().splice(region->getIterator(), inner.getOperations());
    region.replaceAllUsesWith(end->getOperands());
    end->erase();
    region.erase();
  });
}

/// Scalar operations on whole tensors, which no later pass expects.
static bool isOnTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getOperandTypes(), isTensor) &&
         llvm::all_of(op->getResultTypes(), isTensor);
}

static void elementwiseToLinalg(func::FuncOp function) {
  auto found = function.walk([](Operation *op) {
    return isOnTensors(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return;
  ConversionTarget target(*function.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *op) { return !isOnTensors(op); });
  RewritePatternSet patterns(function.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  (void)applyPartialConversion(function, target, std::move(patterns));
}

/// Applies the steps that all instances have in common.
void Instantiator::finish(func::FuncOp function) {
  dissolveBranches(function);
  if (!limits.generalize)
    return;
  elementwiseToLinalg(function);
  IRRewriter rewriter(function.getContext());
  function.walk([&](linalg::LinalgOp op) {
    if (isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()))
      return;
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  });
}

LogicalResult Instantiator::parse(DefinedTemplate &of, const Expander &text, StringRef source,
                                  int self) {
  auto origin = [&](mlir::Location loc) -> mlir::Location {
    if (!loc->findInstanceOf<FileLineColLoc>()) // `loc(unknown)` in a template
      return of.op.getLoc();
    auto place = dyn_cast<FileLineColLoc>(loc);
    if (!place || place.getFilename() != instanceFile)
      return loc;
    return of.op.locationOf(text.sourceOf(place.getLine(), place.getColumn()));
  };
  std::optional<std::pair<mlir::Location, std::string>> first;
  mlir::Block block;
  bool valid = false;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
      if (!first && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        first = {origin(diagnostic.getLocation()), diagnostic.str()};
    });
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source, instanceFile), {});
    ParserConfig config(module.getContext(), /*verifyAfterParse=*/false);
    valid = succeeded(parseSourceFile(sources, &block, config));
    func::FuncOp function;
    if (valid)
      for (Operation &op : block)
        function = function ? function : dyn_cast<func::FuncOp>(op);
    valid = valid && function && llvm::hasSingleElement(block);
    if (valid) {
      block.walk<WalkOrder::PreOrder>([&](Operation *op) {
        op->setLoc(origin(op->getLoc()));
        for (Region &region : op->getRegions())
          for (BlockArgument argument : region.getArguments())
            argument.setLoc(origin(argument.getLoc()));
      });
      valid = succeeded(mlir::verify(function));
    }
  }
  if (!valid) {
    if (!first)
      first = {of.op.getLoc(), "internal error: the text of the instance is no function"};
    auto diagnostic = emitError(first->first) << first->second;
    addCallNotes(diagnostic, self);
    return failure();
  }
  auto function = cast<func::FuncOp>(block.front());
  finish(function);
  function->remove();
  module.push_back(function);
  instances[self].function = function;
  function.walk([&](CallOp call) { work.push_back({call, self}); });
  return success();
}

void Instantiator::sortInstances() {
  llvm::sort(instances,
             [](Instance &a, Instance &b) { return a.function.getName() < b.function.getName(); });
  for (Instance &instance : instances)
    instance.function->moveBefore(module.getBody(), module.getBody()->end());
}

void Instantiator::eraseTemplates(llvm::function_ref<bool(const Template &)> keeps) {
  for (const DefinedTemplate &of : table.all())
    if (!keeps(of.header))
      FuncOp(of.op).erase();
}

LogicalResult Instantiator::tryTemplate(DefinedTemplate &of,
                                        const std::vector<Environment> &tuples) {
  bool succeededAll = true;
  isTrial = true;
  for (const Environment &values : tuples)
    succeededAll &= succeeded(instanceOf(of, values, of.op.getLoc(), -1));
  eraseInstances();
  return success(succeededAll);
}

void Instantiator::eraseInstances() {
  for (Instance &instance : instances)
    if (instance.function)
      instance.function.erase();
  instances.clear();
  known.clear();
  work.clear();
}

} // namespace kgen::templates
