#include "driver/verify/ResultCheck.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>

namespace kgen {
namespace {

/// A sum of thousands of terms is rounded more often than its terms: it may be some ten times
/// farther off than their last digits make it, and a softmax shows that.
constexpr double amplification = 64;

/// The fraction of integers that graphs of floats may round otherwise; see GraphCall::differences.
/// What is wrong as a rule is wrong more often, and rare cases are what tables of operators are
/// for.
constexpr double undecidedByFloats = 0.125;

/// By ascending precision.
constexpr ElementType precisions[] = {ElementType::bf16, ElementType::f16, ElementType::f32};

std::string failureText(int status) {
  return fmt::format("an extern function failed: it returned {}", status);
}

bool computesFloats(const GenerateResult &made, const std::string &graph) {
  return llvm::any_of(made.parts, [&](const Part &part) {
    return part.graph == graph && llvm::any_of(part.work.flops, [](const auto &entry) {
             return llvm::StringRef(entry.first).contains('f');
           });
  });
}

} // namespace

ElementType coarsestPrecision(const GenerateResult &made, const std::string &graph) {
  for (ElementType type : precisions)
    for (const Part &part : made.parts)
      if (part.graph == graph && part.work.flops.count(std::string(toString(type))))
        return type;
  return ElementType::f64;
}

llvm::Expected<GraphCall> callOf(const GenerateResult &made, const std::string &graph,
                                 const std::string &target, CodeReference code,
                                 const SizeValues &sizes, const SizeValues &counts) {
  for (const GraphInterface &candidate : made.library.graphs)
    if (candidate.name == graph) {
      const GraphInterface &called = codeFor(candidate, sizes);
      llvm::Expected<GraphCall> call =
          GraphCall::make(called, kernelSymbol(made.library.name, graph, target, called.sizes),
                          target, code, sizes);
      if (call)
        call->setStates(made.library.states, counts);
      return call;
    }
  return llvm::createStringError("there is no code of graph '" + graph + "'");
}

SizeValues compiledSizes(const GenerateResult &made, const std::string &graph,
                         const SizeValues &sizes) {
  for (const GraphInterface &candidate : made.library.graphs)
    if (candidate.name == graph)
      return codeFor(candidate, sizes).sizes;
  return {};
}

llvm::Expected<LoadedCode>
loadCode(const GenerateResult &made,
         const std::vector<std::pair<std::string, void *>> &hostFunctions) {
  return LoadedCode::load(made.files, hostFunctions, made.linked.get());
}

llvm::Expected<CallableCode> callableCode(const GenerateResult &made,
                                          const ForeignMachine *machine) {
  return CallableCode::load(made.library, made.files, made.linked.get(), machine);
}

llvm::Expected<ResultCheck> ResultCheck::make(const GenerateResult &reference,
                                              const std::string &graph, CodeReference code,
                                              const SizeValues &counts) {
  ResultCheck check;
  check.precision = coarsestPrecision(reference, graph);
  check.undecided = computesFloats(reference, graph) ? undecidedByFloats : 0;
  const std::string &target = reference.library.variants.front().target;
  for (size_t set = 0; set < GraphCall::inputSets; ++set) {
    llvm::Expected<GraphCall> call = callOf(reference, graph, target, code, {}, counts);
    if (!call)
      return call.takeError();
    llvm::Expected<GraphCall> perturbed = callOf(reference, graph, target, code, {}, counts);
    if (!perturbed)
      return perturbed.takeError();
    call->fill(set);
    llvm::Expected<int> status = call->call();
    if (!status)
      return status.takeError();
    if (*status != 0)
      check.failure = GraphCall::describe(set) + ", " + failureText(*status);
    perturbed->fill(set);
    perturbed->perturb(check.precision);
    if (llvm::Error error = perturbed->call().takeError())
      return error;
    std::vector<double> allowed = perturbed->deviations(*call);
    for (double &each : allowed)
      each *= amplification;
    check.sets.push_back({std::make_unique<GraphCall>(std::move(*call)), std::move(allowed)});
  }
  return check;
}

llvm::Expected<std::vector<std::string>>
ResultCheck::complaints(GraphCall &call, GraphCall &parallel,
                        const std::vector<ThreadPool> &pools) const {
  std::vector<std::string> lines;
  if (!failure.empty())
    return std::vector{failure};
  for (size_t set = 0; set < sets.size(); ++set) {
    std::string inputs = GraphCall::describe(set) + ", ";
    call.fill(set);
    llvm::Expected<int> status = call.call();
    if (!status)
      return status.takeError();
    if (*status != 0) {
      lines.push_back(inputs + failureText(*status));
      continue;
    }
    for (const std::string &line :
         call.differences(*sets[set].call, sets[set].allowed, precision, undecided))
      lines.push_back(inputs + line);
    for (const ThreadPool &pool : pools) {
      parallel.fill(set);
      if (llvm::Error error = parallel.call(&pool).takeError())
        return error;
      if (!parallel.sameBytes(call))
        lines.push_back(fmt::format("{}the bits with {} thread{} are not those with one", inputs,
                                    pool.threads(), pool.threads() == 1 ? " again" : "s"));
    }
  }
  return lines;
}

} // namespace kgen
