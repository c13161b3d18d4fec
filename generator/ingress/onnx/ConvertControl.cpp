// Control flow that is known when a model is imported: branches are chosen, loops are unrolled.
#include "ingress/onnx/Converters.h"

#include <algorithm>

namespace kgen::onnx {
namespace {

/// Iterations of one loop: more of them make code that is too large to be of use.
constexpr int64_t maxIterations = 4096;

std::optional<bool> knownCondition(NodeImport &node, ValueId value) {
  auto elements = node.integers(value);
  if (!elements || elements->size() != 1)
    return std::nullopt;
  return elements->front() != 0;
}

bool isTensor(const ImportedValue &value) {
  return value.kind == ImportedValue::Kind::tensor && value.tensor < brokenValue;
}

/// The values of a branch's results; the file has its bytes already. Nothing after an error.
std::vector<ImportedValue> importBranch(NodeImport &node, const GraphProto &branch) {
  if (!node.importer.spend(node.proto, static_cast<size_t>(branch.node_size()) + 1, 0))
    return {};
  return node.importer.importSubgraph(branch, node.scope, {});
}

/// Branches have no effects: both are computed, and one of each two results is taken.
void selectResults(NodeImport &node, const GraphProto &thenGraph, const GraphProto &elseGraph) {
  auto yes = importBranch(node, thenGraph);
  auto no = importBranch(node, elseGraph);
  if (node.importer.hasGivenUp())
    return;
  ValueId condition = node.add("Reshape", {node.input(0), node.integerConstant({})});
  for (size_t i = 0; i < std::min(yes.size(), no.size()); ++i) {
    bool isKnown = isTensor(yes[i]) && isTensor(no[i]);
    if (!isKnown || node.type(yes[i].tensor) != node.type(no[i].tensor))
      return node.refuse("its condition is known at run time only, and its branches have results "
                         "of different types");
    node.result(i, node.add("Where", {condition, yes[i].tensor, no[i].tensor}));
  }
}

/// "it depends on input 'sr' (sr == 16000): --value sr=N makes it known", or "".
std::string adviceFor(NodeImport &node, const char *what, size_t input) {
  std::vector<std::string> names = node.importer.inputsBehind(node.input(input));
  if (names.empty())
    return "";
  std::string list, options;
  for (const std::string &name : names) {
    list += (list.empty() ? "" : ", ") + quoteName(name);
    options += (options.empty() ? "--value " : " --value ") + name + "=N";
  }
  std::string comparison = node.importer.comparisonAt(node.proto.input(int(input)), node.scope);
  return std::string(what) + " depends on input " + list +
         (comparison.empty() ? "" : " (" + comparison + ")") + ": " + options + " makes it known";
}

std::string behind(const std::string &advice) { return advice.empty() ? "" : ": " + advice; }

/// Converts an If whose condition is not known; where its branches cannot both be computed, the
/// refusal is about the condition.
void convertOpenIf(NodeImport &node, const GraphProto &yes, const GraphProto &no) {
  std::string advice = adviceFor(node, "its condition", 0);
  const size_t before = node.importer.refusalCount();
  selectResults(node, yes, no);
  if (advice.empty() || node.importer.refusalCount() == before || node.importer.hasGivenUp())
    return;
  node.importer.dropRefusals(before);
  // The node's own refusal is among those that were dropped.
  node.importer.refuse(node.proto, advice + ", and its branches cannot both be computed");
}

void convertIf(NodeImport &node) {
  const GraphProto *yes = node.graph("then_branch"), *no = node.graph("else_branch");
  if (!yes || !no)
    return node.refuse("it lacks a branch");
  std::optional<bool> condition = knownCondition(node, node.input(0));
  if (!condition)
    return convertOpenIf(node, *yes, *no);
  const size_t before = node.importer.refusalCount();
  auto results = importBranch(node, *condition ? *yes : *no);
  std::string comparison = node.importer.comparisonAt(node.proto.input(0), node.scope);
  if (node.importer.refusalCount() != before && !comparison.empty() && !node.importer.hasGivenUp())
    node.refuse(std::string("its ") + (*condition ? "then" : "else") + " branch is taken, as " +
                comparison + " is " + (*condition ? "true" : "false"));
  for (size_t i = 0; i < results.size(); ++i)
    node.result(i, results[i]);
}

/// One tensor of the slices, along a new axis.
ValueId stacked(NodeImport &node, const std::vector<ValueId> &slices, int64_t axis) {
  std::vector<ValueId> wide;
  for (ValueId slice : slices)
    wide.push_back(node.add("Unsqueeze", {slice, node.integerConstant({axis})}));
  return node.add("Concat", wide, {{"axis", axis}});
}

/// The part of a tensor that has no elements, along its first axis.
ValueId noneOf(NodeImport &node, ValueId value) {
  ValueId zero = node.integerConstant({0});
  return node.add("Slice", {value, zero, zero, zero});
}

class LoopUnroller {
public:
  LoopUnroller(NodeImport &node, const GraphProto &body)
      : node(node), body(body), bodyBytes(body.ByteSizeLong()) {
    for (size_t i = 2; i < node.inputCount(); ++i)
      carried.push_back(node.value(i));
    size_t outputs = static_cast<size_t>(body.output_size());
    scans.resize(outputs < carried.size() + 1 ? 0 : outputs - 1 - carried.size());
  }

  void run(std::optional<int64_t> trips) {
    ValueId condition = node.input(1);
    for (int64_t i = 0; !trips || i < *trips; ++i) {
      std::optional<bool> goesOn = condition == noValue ? true : knownCondition(node, condition);
      if (!goesOn)
        return node.refuse("whether it goes on is known at run time only" +
                           behind(i == 0 ? adviceFor(node, "its condition", 1) : ""));
      if (!*goesOn)
        break;
      if (i == maxIterations)
        return node.refuse("it has more than " + std::to_string(maxIterations) + " iterations");
      if (!iterate(i, condition))
        return;
    }
    finish();
  }

private:
  /// Gives the results to the node: values that were carried on, then stacked ones. Of a loop
  /// without iterations, one says which types these have; nothing else reads what it computes.
  void finish() {
    const std::vector<ImportedValue> last = carried;
    bool isRead = false;
    for (size_t i = 0; i < scans.size(); ++i)
      isRead |= node.hasOutput(last.size() + i);
    const bool isEmpty = isRead && scans.front().empty();
    if (ValueId condition = noValue; isEmpty && !iterate(0, condition))
      return;
    for (size_t i = 0; i < last.size(); ++i)
      node.result(i, last[i]);
    for (size_t i = 0; i < scans.size(); ++i) {
      if (!node.hasOutput(last.size() + i))
        continue;
      ValueId all = stacked(node, scans[i], 0);
      node.result(last.size() + i, isEmpty ? noneOf(node, all) : all);
    }
  }

  /// False if something was refused.
  bool iterate(int64_t i, ValueId &condition) {
    ValueId number = node.numberConstant(static_cast<double>(i), ElementType::i64);
    ValueId going = condition != noValue ? condition : node.numberConstant(1, ElementType::boolean);
    std::vector<ImportedValue> inputs{ImportedValue::from(number), ImportedValue::from(going)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    if (!node.importer.spend(node.proto, static_cast<size_t>(body.node_size()) + 1, bodyBytes))
      return false;
    auto results = node.importer.importSubgraph(body, node.scope, inputs);
    if (results.size() != 1 + carried.size() + scans.size()) {
      node.refuse("its body has not as many results as it carries on");
      return false;
    }
    if (node.importer.hasRefusals())
      return false;
    condition = results[0].tensor;
    for (size_t c = 0; c < carried.size(); ++c)
      carried[c] = results[1 + c];
    for (size_t s = 0; s < scans.size(); ++s)
      scans[s].push_back(results[1 + carried.size() + s].tensor);
    return condition != brokenValue;
  }

  NodeImport &node;
  const GraphProto &body;
  const size_t bodyBytes;
  std::vector<ImportedValue> carried;
  std::vector<std::vector<ValueId>> scans;
};

void convertLoop(NodeImport &node) {
  const GraphProto *body = node.graph("body");
  if (!body)
    return node.refuse("it has no body");
  std::optional<int64_t> trips;
  if (node.hasInput(0)) {
    auto count = node.integers(node.input(0));
    if (!count || count->size() != 1)
      return node.refuse("its number of iterations is known at run time only" +
                         behind(adviceFor(node, "it", 0)));
    trips = count->front();
  } else if (!node.hasInput(1)) {
    return node.refuse("it never ends");
  }
  LoopUnroller(node, *body).run(trips);
}

/// Element `at` of an axis, without the axis.
ValueId sliceOf(NodeImport &node, ValueId value, int64_t axis, int64_t at) {
  ValueId slice = node.add("Slice", {value, node.integerConstant({at}),
                                     node.integerConstant({at + 1}), node.integerConstant({axis})});
  return node.add("Squeeze", {slice, node.integerConstant({axis})});
}

class ScanUnroller {
public:
  ScanUnroller(NodeImport &node, const GraphProto &body)
      : node(node), body(body), bodyBytes(body.ByteSizeLong()),
        scanInputs(static_cast<size_t>(std::max<int64_t>(0, node.integer("num_scan_inputs", 0)))) {
    states = node.inputCount() - std::min(node.inputCount(), scanInputs);
    for (size_t i = 0; i < states; ++i)
      carried.push_back(node.value(i));
    size_t outputs = static_cast<size_t>(body.output_size());
    scans.resize(outputs < states ? 0 : outputs - states);
  }

  void run() {
    std::optional<int64_t> trips = tripCount();
    if (!trips)
      return;
    for (int64_t i = 0; i < *trips; ++i)
      if (!iterate(i, *trips))
        return;
    for (size_t i = 0; i < carried.size(); ++i)
      node.result(i, carried[i]);
    for (size_t s = 0; s < scans.size(); ++s)
      if (node.hasOutput(states + s))
        finish(s);
  }

private:
  int64_t listed(const char *name, size_t i, int64_t otherwise) const {
    std::vector<int64_t> list = node.integerList(name);
    return i < list.size() ? list[i] : otherwise;
  }

  std::optional<int64_t> tripCount() {
    std::optional<int64_t> trips;
    for (size_t i = 0; i < scanInputs; ++i) {
      ValueId value = node.input(states + i);
      int64_t axis = listed("scan_input_axes", i, 0);
      axis += axis < 0 ? node.rank(value) : 0;
      if (axis < 0 || axis >= node.rank(value)) {
        node.refuse("an axis that it scans is none of its input");
        return std::nullopt;
      }
      axes.push_back(axis);
      int64_t length = node.size(value, axis);
      if (trips && *trips != length) {
        node.refuse("what it scans has different lengths");
        return std::nullopt;
      }
      trips = length;
    }
    if (!trips || *trips > maxIterations || *trips == 0) {
      node.refuse(!trips || *trips == 0
                      ? "it scans nothing"
                      : "it has more than " + std::to_string(maxIterations) + " iterations");
      return std::nullopt;
    }
    return trips;
  }

  bool iterate(int64_t i, int64_t trips) {
    std::vector<ImportedValue> inputs = carried;
    for (size_t s = 0; s < scanInputs; ++s) {
      int64_t at = listed("scan_input_directions", s, 0) ? trips - 1 - i : i;
      inputs.push_back(ImportedValue::from(sliceOf(node, node.input(states + s), axes[s], at)));
    }
    if (!node.importer.spend(node.proto, static_cast<size_t>(body.node_size()) + 1, bodyBytes))
      return false;
    auto results = node.importer.importSubgraph(body, node.scope, inputs);
    if (results.size() != states + scans.size()) {
      node.refuse("its body has not as many results as it carries on");
      return false;
    }
    if (node.importer.hasRefusals())
      return false;
    for (size_t c = 0; c < states; ++c)
      carried[c] = results[c];
    for (size_t s = 0; s < scans.size(); ++s)
      scans[s].push_back(results[states + s].tensor);
    return true;
  }

  void finish(size_t s) {
    if (std::find(scans[s].begin(), scans[s].end(), brokenValue) != scans[s].end())
      return;
    if (listed("scan_output_directions", s, 0))
      std::reverse(scans[s].begin(), scans[s].end());
    int64_t axis = listed("scan_output_axes", s, 0);
    axis += axis < 0 ? node.rank(scans[s].front()) + 1 : 0;
    node.result(states + s, stacked(node, scans[s], axis));
  }

  NodeImport &node;
  const GraphProto &body;
  const size_t bodyBytes;
  size_t scanInputs, states = 0;
  std::vector<int64_t> axes;
  std::vector<ImportedValue> carried;
  std::vector<std::vector<ValueId>> scans;
};

void convertScan(NodeImport &node) {
  const GraphProto *body = node.graph("body");
  if (node.opset < 9)
    return node.refuse("before opset 9 it scans a batch of sequences");
  if (!body)
    return node.refuse("it has no body");
  ScanUnroller(node, *body).run();
}

} // namespace

void addControlConverters(ConverterTable &table) {
  table["If"] = convertIf;
  table["Loop"] = convertLoop;
  table["Scan"] = convertScan;
}

} // namespace kgen::onnx
