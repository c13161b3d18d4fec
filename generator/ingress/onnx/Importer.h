// Goes through a model's graph, its subgraphs and functions. Private to ingress/onnx.
#pragma once

#include "graph/GraphBuilder.h"
#include "ingress/onnx/Import.h"
#include "ingress/onnx/Model.h"
#include "ingress/onnx/Scope.h"

#include <set>

namespace kgen::onnx {

/// Characters of a name of the model in a message.
constexpr size_t maxShownName = 200;
/// A name of the model in a message.
std::string quoteName(const std::string &name);
/// The standard has two names for its domain: "".
std::string domainOf(const NodeProto &node);
/// Returns what a node is called; its first result where it has no name.
std::string nameOf(const NodeProto &node);

class Importer {
public:
  Importer(Model &model, const ImportOptions &options, const OperatorTable &operators,
           Diagnostics &diagnostics);

  std::optional<ImportedModel> run();

  // For NodeImport and converters.
  const GraphValue &valueOf(ValueId value) const { return builder.current().values[value]; }
  ValueId valueCount() const { return static_cast<ValueId>(builder.current().values.size()); }
  /// Adds a node on behalf of `proto`; errors of the builder become refusals of it.
  std::vector<ValueId> addNode(const NodeProto &proto, const NodeDescription &node);
  /// A constant that the model gives.
  ValueId addWeight(const std::string &name, const TensorType &type, WeightData data);
  /// A constant that is made for `proto`, or copied where a graph is unrolled or inlined.
  ValueId addMadeWeight(const NodeProto &proto, const std::string &name, const TensorType &type,
                        WeightData data);
  /// True if constants of so many bytes may be made; if not, the node is refused.
  bool mayMake(const NodeProto &proto, int64_t bytes);
  /// Sets the value's name in the model; the last call counts.
  void setName(ValueId value, const std::string &name) { names[value] = name; }
  void refuse(const NodeProto &node, const std::string &reason);
  /// The model's inputs that the value is computed from at run time.
  std::vector<std::string> inputsBehind(ValueId value) const;
  /// Returns what the value compares, "sr == 16000": an input of the model with a number. "" for
  /// others.
  std::string comparisonAt(const std::string &name, const Scope &scope) const;
  size_t refusalCount() const { return refusals.size(); }
  /// Forgets those after the first `count`.
  void dropRefusals(size_t count);
  /// True if something was refused: then loops are not unrolled any further.
  bool hasRefusals() const { return !refusals.empty(); }
  /// Imports nodes in order. False if one of them was refused.
  void importNodes(const google::protobuf::RepeatedPtrField<NodeProto> &nodes, Scope &scope);
  /// Imports a subgraph whose inputs are these values; the values of its outputs.
  std::vector<ImportedValue> importSubgraph(const GraphProto &graph, const Scope &outer,
                                            const std::vector<ImportedValue> &inputs);
  /// The tensor of an attribute or initializer; brokenValue after an error.
  ValueId importTensor(const TensorProto &tensor, const std::string &name, const NodeProto *node);
  /// Returns a size that the model says of a result in a list of its own, with sizes of `--dim`, or
  /// nothing.
  std::optional<Dim> saidSize(const std::string &name, int axis) const;
  Model &file() { return model; }
  /// Takes nodes and bytes from those that branches, unrolled loops, inlined functions and
  /// sequences may add in all. False if there are not so many: the import gives up then.
  bool spend(const NodeProto &node, size_t nodes, size_t bytes);
  /// True if a limit of `spend` was exceeded.
  bool hasGivenUp() const { return gaveUp; }

private:
  using Opsets = std::map<std::string, int64_t>;

  SourceLoc locationOf(const NodeProto &node) const;
  void readOpsets();
  void readFunctions();
  void importInputs();
  void importInput(const ValueInfoProto &input);
  bool importGivenInput(const ValueInfoProto &input);
  std::optional<TensorShape> shapeOf(const ValueInfoProto &input);
  void importInitializers(const GraphProto &graph, Scope &scope);
  void importNode(const NodeProto &node, Scope &scope);
  bool checkNewNames(const NodeProto &node, const Scope &scope);
  const ExternChoice *externFor(const NodeProto &node) const;
  void importExtern(const NodeProto &node, const ExternChoice &choice, Scope &scope);
  std::optional<std::vector<TensorType>> externTypes(const NodeProto &node,
                                                     const ExternChoice &choice);
  const ValueInfoProto *saidValue(const std::string &name) const;
  std::optional<Dim> saidSize(const ValueInfoProto &value, int axis) const;
  std::optional<Dim> boundSize(const std::string &place,
                               const TensorShapeProto::Dimension &dim) const;
  void noteUnbound(const std::string &place, const TensorShapeProto::Dimension &dim,
                   const std::string &axis);
  std::optional<TensorType> saidType(const std::string &name, std::string &problem);
  void addModelInput(const ValueInfoProto &input, const TensorType &type);
  void reportUnusedExterns();
  void importFunction(const NodeProto &node, const FunctionProto &function, Scope &scope);
  std::vector<ValueId> importOutputs();
  ValueId importOutput(const std::string &name, std::vector<ValueId> &outputs);
  void reportUnbound();
  void reportUnusedOptions();
  void reportRefusals();
  std::string adviceForMissing() const;

  Model &model;
  const ImportOptions &options;
  const OperatorTable &operators;
  Diagnostics &diagnostics;
  Diagnostics nodeDiagnostics; ///< what the builder says of the node in the making
  GraphBuilder builder;
  Scope scope;
  Opsets opsets;
  std::map<std::string, const FunctionProto *> functions; ///< by domain, name and overload
  std::map<ValueId, std::string> names;                   ///< in the model
  struct Refusal {
    std::string op, reason, where; ///< the first node
    size_t count = 0;
    const NodeProto *last = nullptr;
  };
  std::vector<Refusal> refusals;
  std::optional<NodeProto> missing; ///< the first whose operator kgen lacks
  std::map<std::pair<std::string, std::string>, size_t> refusalIndex; ///< by operator and reason
  std::vector<std::string> unbound;                             ///< "batch (input 'x', axis 0)"
  std::vector<std::string> bindings;                            ///< "--dim batch=N"
  std::map<std::string, std::shared_ptr<const DimSymbol>> dims; ///< of inputs, by name
  std::map<std::string, bool> usedOptions;
  std::set<std::string> usedExterns, notedAttributes;
  const size_t modelBytes; ///< of the message
  size_t depth = 0, spentNodes = 0, spentBytes = 0;
  bool gaveUp = false;
};

} // namespace kgen::onnx
