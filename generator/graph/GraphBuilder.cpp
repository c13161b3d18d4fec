#include "graph/GraphParts.h"

#include "support/TensorLimits.h"
#include "support/WorkTrace.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cassert>

namespace kgen {
namespace {

std::string arityText(const Operator &op) {
  std::string text = std::to_string(op.minInputs);
  if (op.maxInputs == operatorUnlimited)
    text += " or more";
  else if (op.maxInputs != op.minInputs)
    text += " to " + std::to_string(op.maxInputs);
  return text + (op.maxInputs == 1 ? " input" : " inputs");
}

std::string resultsText(const Operator &op) {
  size_t minOutputs = std::max<size_t>(1, op.outputs - op.optionalOutputs);
  std::string text = op.optionalOutputs == 0 ? "" : std::to_string(minOutputs) + " to ";
  return text + std::to_string(op.outputs) + (op.outputs == 1 ? " result" : " results");
}

bool checkElementType(const InferenceContext &context) {
  const Operator &op = *context.node.op;
  if (op.types.empty() || !context.hasInput(op.mainInput) ||
      llvm::is_contained(op.types, context.input(op.mainInput).element))
    return true;
  std::string allowed;
  for (ElementType type : op.types)
    allowed += (allowed.empty() ? "" : ", ") + std::string(toString(type));
  context.error("expected an element type of " + allowed + ", found " +
                std::string(toString(context.input(op.mainInput).element)));
  return false;
}

/// Bytes that constants may have beyond those of the model: a few bytes can say that there are
/// many.
constexpr int64_t maxMadeBytes = int64_t(64) << 20;
/// A weight may be moved or converted several times.
constexpr int64_t madePerGiven = 8;

std::string tooLarge(const TensorType &type) {
  return "it is a constant of type " + type.str() +
         ", and constants that are computed when code is generated may have 64 MiB, and eight "
         "times the bytes of the weights";
}

/// Broadcasting can make small tensors large.
bool checkSizes(const InferenceContext &context, const std::vector<TensorType> &types) {
  for (const TensorType &type : types)
    if (!boundedByteCount(type, maxTensorBytes)) {
      context.error("its result of type " + type.str() + " would be larger than 1 TiB");
      return false;
    }
  return true;
}

} // namespace

GraphBuilder::GraphBuilder(Graph graph, const OperatorTable &operators, Diagnostics &diagnostics)
    : graph(std::move(graph)), operators(operators), diagnostics(diagnostics),
      errorsBefore(diagnostics.errors().size()) {}

ValueId GraphBuilder::addValue(const std::string &name, const TensorType &type, ValueKind kind,
                               const SourceLoc &where, WeightData data) {
  graph.values.push_back({name, type, kind, where, std::move(data), std::nullopt});
  return static_cast<ValueId>(graph.values.size() - 1);
}

ValueId GraphBuilder::addInput(const Located<std::string> &name, const TensorType &type,
                               std::vector<std::string> dimNames) {
  graph.inputs.push_back(addValue(name.value, type, ValueKind::input, name.where));
  graph.values[graph.inputs.back()].dimNames = std::move(dimNames);
  return graph.inputs.back();
}

ValueId GraphBuilder::addWeight(const Located<std::string> &name, const TensorType &type,
                                WeightData data, std::optional<BlockQuantization> quantize) {
  ValueId value = addValue(name.value, type, ValueKind::weight, name.where, data);
  graph.values[value].quantize = std::move(quantize);
  given += data ? static_cast<int64_t>(data->size()) : 0;
  return data ? value : brokenValue;
}

bool GraphBuilder::mayMake(int64_t bytes) const {
  return made + bytes <= maxMadeBytes + madePerGiven * given;
}

ValueId GraphBuilder::addMadeWeight(const Located<std::string> &name, const TensorType &type,
                                    WeightData data) {
  if (!mayMake(type.byteCount())) {
    diagnostics.error(name.where, tooLarge(type));
    return brokenValue;
  }
  made += type.byteCount();
  return addValue(name.value, type, ValueKind::weight, name.where, std::move(data));
}

ValueId GraphBuilder::addSizes(const Located<std::string> &name, const TensorType &type,
                               std::vector<Dim> sizes) {
  ValueId value = addValue(name.value, type, ValueKind::sizes, name.where);
  graph.values[value].sizes = std::move(sizes);
  return value;
}

const Operator *GraphBuilder::checkedOperator(const NodeDescription &description,
                                              std::map<std::string, AttributeValue> &attributes) {
  const Operator *op =
      description.external ? &operators.external() : operators.find(description.op.value);
  if (!op) {
    diagnostics.error(description.op.where,
                      "unknown operator '" + description.op.value + "'" +
                          didYouMean(description.op.value, operators.names()),
                      "`kgen ops` lists the operators");
    return nullptr;
  }
  bool good = checkArity(description, *op);
  return checkAttributes(description, *op, attributes, diagnostics) && good ? op : nullptr;
}

bool GraphBuilder::checkArity(const NodeDescription &description, const Operator &op) {
  bool good = true;
  auto fail = [&](std::string message) {
    diagnostics.error(description.op.where, "operator " + op.name + std::move(message));
    good = false;
  };
  size_t count = description.inputs.size();
  if (count < op.minInputs || count > op.maxInputs)
    fail(" takes " + arityText(op) + ", found " + std::to_string(count));
  for (size_t i = 0; i < std::min(count, op.minInputs); ++i)
    if (description.inputs[i] == noValue)
      fail(" needs its input " + std::to_string(i + 1) + ": \"\" skips optional inputs only");
  size_t results = description.outputs.size(), required = op.outputs - op.optionalOutputs;
  if (results > op.outputs || results < required)
    fail(" has " + resultsText(op) + ", found " + std::to_string(results) + " names");
  return good;
}

/// Reports symbolic sizes where the operator takes none, each once.
bool GraphBuilder::checkSymbols(const InferenceContext &context) {
  const Operator &op = *context.node.op;
  size_t before = diagnostics.errors().size();
  for (size_t i = 0; i < context.inputCount(); ++i)
    for (size_t d = 0; context.hasInput(i) && d < context.input(i).shape.size(); ++d) {
      if (!context.input(i).shape.isSymbolic(d))
        continue;
      std::string reason = op.symbolicDims.refusal ? op.symbolicDims.refusal(context, i, d)
                                                   : op.name + " takes sizes that are numbers only";
      if (!reason.empty())
        context.error("dimension " + std::to_string(d) + " of its input " + std::to_string(i + 1) +
                          ", " + context.input(i).str() + ", is known at run time only: " + reason,
                      "give the symbol a size: a number in `dims`, or --dim");
    }
  return diagnostics.errors().size() == before;
}

/// Empty after an error.
std::vector<TensorType> GraphBuilder::inferredTypes(InferenceContext &context, size_t outputs) {
  if (!checkElementType(context) || !checkFactors(context) || !checkSymbols(context))
    return {};
  size_t before = diagnostics.errors().size();
  std::vector<TensorType> types = context.node.op->infer(context);
  if (types.size() < outputs) {
    assert(diagnostics.errors().size() != before && "inference failed without an error");
    if (diagnostics.errors().size() == before)
      context.error("internal error: no types were inferred");
    return {};
  }
  return checkSizes(context, types) ? types : std::vector<TensorType>();
}

static bool areStatic(const std::vector<TensorType> &types) {
  return llvm::all_of(types, [](const TensorType &type) { return type.isStatic(); });
}

/// The results that are known now, empty if they are not, or are too large to be kept; nothing
/// after an error.
std::optional<std::vector<WeightData>>
GraphBuilder::foldedResults(InferenceContext &context, const std::vector<TensorType> &types) {
  const Node &node = context.node;
  if (!node.op->fold || context.hasSymbols() || context.hasSizes() || !areStatic(types))
    return std::vector<WeightData>();
  int64_t bytes = 0;
  for (const TensorType &type : types)
    bytes += type.byteCount();
  if (!mayMake(bytes)) {
    if (node.op->lower)
      return std::vector<WeightData>();
    context.error(tooLarge(types.front()));
    return std::nullopt;
  }
  std::vector<WeightData> known = node.op->fold(context, types);
  for (const WeightData &data : known)
    if (data && data.use_count() == 1) // of its own, not that of an input
      made += static_cast<int64_t>(data->size());
  return known;
}

/// Elements that are all numbers are a weight.
static WeightData dataOf(const std::vector<Dim> &sizes, ElementType type) {
  std::vector<char> bytes;
  for (const Dim &size : sizes) {
    std::optional<int64_t> number = size.number();
    if (!number)
      return nullptr;
    const char *begin = reinterpret_cast<const char *>(&*number); // little endian
    bytes.insert(bytes.end(), begin, begin + byteWidth(type));
  }
  return std::make_shared<const std::vector<char>>(std::move(bytes));
}

/// The results that are known now, empty if they are not; nothing after an error.
std::optional<std::vector<GraphBuilder::KnownResult>>
GraphBuilder::knownResults(InferenceContext &context, const std::vector<TensorType> &types) {
  std::optional<std::vector<WeightData>> folded = foldedResults(context, types);
  if (!folded)
    return std::nullopt;
  std::vector<KnownResult> known;
  for (WeightData &data : *folded)
    known.push_back({std::move(data)});
  const Operator &op = *context.node.op;
  // Elements that are sizes are as many as a number says.
  if (known.empty() && op.foldSizes && areStatic(types) &&
      (context.hasSizes() || context.hasSymbols())) {
    std::vector<std::vector<Dim>> sizes = op.foldSizes(context, types);
    for (size_t i = 0; i < sizes.size(); ++i)
      if (WeightData data = dataOf(sizes[i], types[i].element))
        known.push_back({std::move(data)});
      else
        known.push_back({nullptr, std::move(sizes[i])});
  }
  return known;
}

std::vector<ValueId> GraphBuilder::addNode(const NodeDescription &description) {
  NodeTrace trace(description.op.value, description.name.value, description.op.where);
  std::vector<ValueId> broken(description.outputs.size(), brokenValue);
  Node node{description.name.value,
            nullptr,
            description.inputs,
            std::vector<ValueId>(description.outputs.size(), noValue),
            {},
            description.op.where,
            description.schedule,
            description.external,
            description.activations};
  node.op = checkedOperator(description, node.attributes);
  if (!node.op || llvm::is_contained(node.inputs, brokenValue))
    return broken;
  InferenceContext context(graph, node, diagnostics);
  std::vector<TensorType> types = inferredTypes(context, description.outputs.size());
  if (types.empty())
    return broken;
  std::optional<std::vector<KnownResult>> known = knownResults(context, types);
  if (!known)
    return broken;
  for (size_t i = 0; i < description.outputs.size(); ++i)
    node.outputs[i] =
        addResult(description, i, types[i], *node.op, known->empty() ? KnownResult() : (*known)[i]);
  std::vector<ValueId> results = node.outputs;
  if (known->empty())
    graph.nodes.push_back(std::move(node));
  return results;
}

/// `known`: the elements, if they are; the result is a weight then. A skipped result that is not
/// optional is one that nobody reads.
ValueId GraphBuilder::addResult(const NodeDescription &description, size_t i,
                                const TensorType &type, const Operator &op,
                                const KnownResult &known) {
  const Located<std::string> &name = description.outputs[i];
  const bool isSkipped = name.value.empty(), isKnown = known.data || !known.sizes.empty();
  if (isSkipped && (isKnown || i + op.optionalOutputs >= op.outputs))
    return noValue;
  if (!known.sizes.empty())
    return addSizes(name, type, known.sizes);
  ValueKind kind = known.data ? ValueKind::weight : ValueKind::result;
  return addValue(isSkipped ? description.name.value + "." + std::to_string(i + 1) : name.value,
                  type, kind, name.where, known.data);
}

std::optional<Graph> GraphBuilder::finish(std::vector<ValueId> outputs, const SourceLoc &accumulate,
                                          const SourceLoc &winograd) {
  checkQuantizedWeights(graph, diagnostics);
  for (ValueId output : outputs)
    if (const GraphValue *value = output < brokenValue ? &graph.values[output] : nullptr;
        value && value->kind == ValueKind::sizes)
      diagnostics.error(
          value->where,
          "the result '" + value->name +
              "' consists of sizes that are known at run time only, and code does not "
              "compute with those",
          "who calls the function knows them");
  if (diagnostics.errors().size() == errorsBefore)
    checkPermissions(graph, accumulate, winograd, diagnostics);
  if (diagnostics.errors().size() == errorsBefore)
    checkActivations(graph, diagnostics);
  if (diagnostics.errors().size() != errorsBefore)
    return std::nullopt;
  graph.outputs = std::move(outputs);
  return std::move(graph);
}

} // namespace kgen
