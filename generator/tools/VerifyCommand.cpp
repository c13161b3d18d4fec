// kgen verify: what differs, as tables and JSON.
#include "emit/Folder.h"
#include "explain/Table.h"
#include "support/Json.h"
#include "tools/Commands.h"
#include "tools/SharedArguments.h"
#include "tools/TimingReport.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <set>

namespace kgen {
namespace {

constexpr size_t maxWrongNodes = 20; ///< of a variant, in the table

std::string subscriptText(const VerifiedTensor &tensor) {
  std::vector<std::string> words;
  for (int64_t subscript : subscriptsOf(tensor.type, tensor.comparison.worst))
    words.push_back(std::to_string(subscript));
  return "[" + llvm::join(words, ", ") + "]";
}

std::string ulpsText(const TensorComparison &comparison) {
  return comparison.worstUlps ? std::to_string(*comparison.worstUlps) : "-";
}

/// "0", "1 and more", "10 and more", ...: where a bucket of the histogram begins.
std::string bucketText(size_t bucket) {
  if (bucket < 2)
    return bucket == 0 ? "0" : "1+";
  return bucket < 6 ? "1" + std::string(bucket - 1, '0') + "+" : fmt::format("1e{}+", bucket - 1);
}

void addRow(Table &table, const VerifiedRun &run, const VerifiedTensor &tensor) {
  const TensorComparison &comparison = tensor.comparison;
  bool isEqual = comparison.worst < 0;
  table.rows.push_back({run.variant, tensor.name, tensor.type.str(),
                        std::to_string(comparison.elements), std::to_string(comparison.wrong),
                        isEqual ? "-" : subscriptText(tensor), isEqual ? "-" : tensor.value,
                        isEqual ? "-" : tensor.expected, isEqual ? "0" : ulpsText(comparison),
                        tensor.tolerance.str()});
}

/// The first results that differ: in a deep graph an error goes on and on.
void addWrongRows(Table &table, const VerifiedRun &run) {
  size_t wrong = 0;
  for (const VerifiedTensor &tensor : run.tensors)
    if (!tensor.isRight() && ++wrong <= maxWrongNodes)
      addRow(table, run, tensor);
  if (wrong > maxWrongNodes)
    table.note += fmt::format("of {} {} more differ; --json has them all\n", run.variant,
                              wrong - maxWrongNodes);
}

Table comparisonTable(const std::string &title, const char *what) {
  return {title,
          {{"variant"},
           {what},
           {"type"},
           {"elements", true},
           {"wrong", true},
           {"worst at"},
           {"value", true},
           {"expected", true},
           {"ulp", true},
           {"tolerance"}},
          {}};
}

/// Returns which buckets have elements in any output.
std::set<size_t> usedBuckets(const std::vector<VerifiedRun> &runs) {
  std::set<size_t> used;
  for (const VerifiedRun &run : runs)
    for (const VerifiedTensor &tensor : run.tensors)
      for (size_t i = 0; i < tensor.comparison.histogram.size(); ++i)
        if (tensor.comparison.histogram[i])
          used.insert(i);
  return used;
}

void printHistogram(const std::vector<VerifiedRun> &runs) {
  Table table{"Elements by their distance in ulp (of integers: the difference)",
              {{"variant"}, {"output"}},
              {}};
  std::set<size_t> used = usedBuckets(runs);
  bool isFinite = true;
  for (const VerifiedRun &run : runs)
    for (const VerifiedTensor &tensor : run.tensors)
      isFinite &= tensor.comparison.notFinite == 0;
  for (size_t bucket : used)
    table.columns.push_back({bucketText(bucket), true});
  if (!isFinite)
    table.columns.push_back({"not finite", true});
  for (const VerifiedRun &run : runs)
    for (const VerifiedTensor &tensor : run.tensors) {
      const std::vector<int64_t> &histogram = tensor.comparison.histogram;
      auto &row = table.rows.emplace_back(std::vector<std::string>{run.variant, tensor.name});
      for (size_t bucket : used)
        row.push_back(bucket < histogram.size() && histogram[bucket]
                          ? std::to_string(histogram[bucket])
                          : ".");
      if (!isFinite)
        row.push_back(std::to_string(tensor.comparison.notFinite));
    }
  if (!used.empty() || !isFinite)
    fmt::print("\n{}", tableText(table));
}

/// " in frame 7".
std::string frameText(const VerifiedTensor &tensor) {
  return tensor.firstWrongFrame < 0 ? "" : fmt::format(" in frame {}", tensor.firstWrongFrame);
}

void printNodes(const VerifyReport &report, const std::string &against) {
  fmt::print(
      "\nResults of all nodes, of functions that have them as outputs, so that less is fused "
      "than in those above\n");
  Table wrong = comparisonTable("Nodes that differ", "result");
  for (const VerifiedRun &run : report.nodes) {
    auto given = llvm::count_if(run.tensors, [](const auto &tensor) { return tensor.isGiven; });
    auto plain = static_cast<ptrdiff_t>(run.tensors.size()) - given;
    std::string first = "none differs";
    if (const VerifiedTensor *tensor = run.firstWrong())
      first = fmt::format("the first that differs is '{}' ({}){}", tensor->name, tensor->op,
                          frameText(*tensor));
    fmt::print("  {}: {} compared with {}{}; {}\n", run.variant, given, against,
               plain ? fmt::format(", {} with plain loops", plain) : "", first);
    addWrongRows(wrong, run);
  }
  if (!wrong.rows.empty())
    fmt::print("\n{}", tableText(wrong));
}

/// Prints the tolerances within which all elements of an output that differs would be.
void printDifferences(const VerifyReport &report) {
  for (const VerifiedRun &run : report.runs)
    for (const VerifiedTensor &tensor : run.tensors)
      if (!tensor.isRight() && tensor.comparison.notFinite == 0)
        fmt::print("{} of {}: the largest difference is {:.3g}\n", tensor.name, run.variant,
                   tensor.comparison.largestDifference);
  for (const VerifiedRun &run : report.runs)
    if (const VerifiedTensor *first = report.frames ? run.firstWrong() : nullptr)
      fmt::print("{}: the first that differs is '{}'{}\n", run.variant, first->name,
                 frameText(*first));
}

void printText(const VerifyReport &report, const std::string &against) {
  Table table = comparisonTable(
      fmt::format("{}, graph {}, against {}{}", report.library, report.graph, against,
                  report.frames ? fmt::format(", {} frames", *report.frames) : ""),
      "output");
  for (const VerifiedRun &run : report.runs)
    for (const VerifiedTensor &tensor : run.tensors)
      addRow(table, run, tensor);
  fmt::print("{}", tableText(table));
  for (const VerifiedRun &run : report.runs)
    if (!run.device.empty())
      fmt::print("{} ran on {}\n", run.variant, run.device);
  printHistogram(report.runs);
  printDifferences(report);
  if (!report.nodes.empty())
    printNodes(report, against);
  for (const std::string &note : report.notes)
    fmt::print("note: {}\n", note);
  fmt::print("{}\n", report.isRight() ? "all results agree" : "results differ");
}

/// A number that JSON has; otherwise text.
Json elementJson(const VerifiedTensor &tensor, const std::string &text) {
  double value = 0;
  if (llvm::StringRef(text).getAsDouble(value) || !std::isfinite(value))
    return text;
  return isFloat(tensor.type.element) ? Json(value) : Json::parse(text);
}

Json frameJson(const VerifiedTensor *tensor) {
  return tensor && tensor->firstWrongFrame >= 0 ? Json(tensor->firstWrongFrame) : Json(nullptr);
}

Json tensorJson(const VerifiedTensor &tensor, bool hasFrames) {
  const TensorComparison &comparison = tensor.comparison;
  Json entry = {{"name", tensor.name},
                {"type", tensor.type.str()},
                {"elements", comparison.elements},
                {"wrong", comparison.wrong},
                {"rtol", tensor.tolerance.relative},
                {"atol", tensor.tolerance.absolute},
                {"ulp", nullptr},
                {"worst", nullptr},
                {"not_finite", comparison.notFinite},
                {"largest_difference", comparison.largestDifference},
                {"histogram", comparison.histogram}};
  if (tensor.tolerance.ulps)
    entry["ulp"] = *tensor.tolerance.ulps;
  if (comparison.worst >= 0) {
    entry["worst"] = {{"index", subscriptsOf(tensor.type, comparison.worst)},
                      {"value", elementJson(tensor, tensor.value)},
                      {"expected", elementJson(tensor, tensor.expected)},
                      {"ulps", nullptr}};
    if (comparison.worstUlps)
      entry["worst"]["ulps"] = *comparison.worstUlps;
  }
  if (!tensor.op.empty())
    entry["op"] = tensor.op;
  if (!tensor.op.empty() || hasFrames)
    entry["expected_from"] = tensor.isGiven ? "file" : referenceVariant;
  if (hasFrames)
    entry["first_wrong_frame"] = frameJson(&tensor);
  return entry;
}

Json runsJson(const std::vector<VerifiedRun> &runs, const char *what, bool hasFrames) {
  Json list = Json::array();
  for (const VerifiedRun &run : runs) {
    Json tensors = Json::array();
    for (const VerifiedTensor &tensor : run.tensors)
      tensors.push_back(tensorJson(tensor, hasFrames));
    const VerifiedTensor *wrong = run.firstWrong();
    Json &entry = list.emplace_back(
        Json{{"variant", run.variant}, {"first_wrong", wrong ? Json(wrong->name) : Json(nullptr)}});
    if (hasFrames)
      entry["first_wrong_frame"] = frameJson(wrong);
    if (!run.device.empty())
      entry["device"] = run.device;
    entry[what] = std::move(tensors);
  }
  return list;
}

std::string jsonText(const VerifyReport &report, const std::string &against) {
  Json json = {{"library", report.library},
               {"graph", report.graph},
               {"against", against},
               {"equal", report.isRight()}};
  bool hasFrames = report.frames.has_value();
  if (hasFrames)
    json["frames"] = *report.frames;
  json["runs"] = runsJson(report.runs, "outputs", hasFrames);
  if (!report.nodes.empty())
    json["nodes"] = runsJson(report.nodes, "results", hasFrames);
  json["notes"] = report.notes;
  // Names from files may not be UTF-8.
  addTimingTo(json);
  return formatJson(json);
}

} // namespace

int VerifyCommand::run() {
  Progress progress(/*after=*/1);
  if (progress.isTerminal())
    options.progress = [&](const std::string &what) { progress.show(what); };
  StageProgress stages(progress.isTerminal() ? &progress : nullptr);
  Diagnostics diagnostics;
  VerifyReport result;
  GenerateStatus status = openMachine(foreign, options.link, options.machine, diagnostics)
                              ? verify(options, result, diagnostics)
                              : GenerateStatus::userError;
  progress.finish();
  if (status == GenerateStatus::ok && !json.empty() && json != "-")
    if (llvm::Error error = replaceFile(json, jsonText(result, options.against))) {
      diagnostics.error({"kgen", 0, 0}, llvm::toString(std::move(error)));
      status = GenerateStatus::userError;
    }
  report(diagnostics, json == "-");
  if (status != GenerateStatus::ok)
    return status == GenerateStatus::userError ? exitUserError : exitInternalError;
  if (json == "-")
    std::cout << jsonText(result, options.against);
  else
    printText(result, options.against);
  if (json != "-")
    printTiming(std::cout);
  return result.isRight() ? exitOk : exitDifference;
}

} // namespace kgen
