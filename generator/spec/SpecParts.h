// The parts of a library file, each read by one source file. Private to spec/.
#pragma once

#include "spec/Dims.h"
#include "spec/Names.h"
#include "spec/Spec.h"

namespace kgen {

/// A name that obeys `use`; a bad one is reported.
std::optional<Located<std::string>> readName(const SpecReader &reader, const YamlNode &node,
                                             const std::string &what, NameUse use);
/// A key that is a name and obeys `use`; a bad one is reported.
std::optional<Located<std::string>> readKeyName(const SpecReader &reader, const YamlEntry &entry,
                                                const std::string &what, NameUse use);

/// Members that graphs and modules share.
struct GraphBody {
  std::vector<WeightSpec> weights;
  std::vector<NodeSpec> nodes;
  std::map<std::string, std::string> original{}; ///< see GraphSpec; of nodes in modules: none
};

/// `inputs` of a node.
void readNodeInputs(const SpecReader &reader, const YamlNode &node, NodeSpec &result);
/// `name`, `inputs` and `outputs` of a node: the name is that of the only result unless `outputs`
/// says otherwise.
void readNodeNames(const SpecReader &reader, const YamlNode &node, const Fields &fields,
                   NodeSpec &result);
/// `original` of a node with these results: the name of the only one in the model, or a map.
void readOriginal(const SpecReader &reader, const YamlNode &node, NodeSpec &result);
/// A node with `op: extern`.
std::optional<NodeSpec> readExternNode(const SpecReader &reader, const YamlNode &node,
                                       const Dims &dims);
std::optional<NodeSpec> readNode(const SpecReader &reader, const YamlNode &node, const Dims &dims);
std::optional<WeightSpec> readWeight(const SpecReader &reader, const YamlEntry &entry,
                                     const Dims &dims);
/// One of `file`, `value` and `random` of a weight, or of a state that begins with it.
bool readWeightSource(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                      const Fields &fields, const std::optional<Located<TensorType>> &type,
                      WeightSpec &weight);
/// `activations` of a graph or a node.
std::optional<RowQuantization> readActivations(const SpecReader &reader, const YamlNode &node);
/// A weight's `value:`, checked against its type. Integers may be expressions of `dims`.
std::optional<WeightFromValue> readWeightValue(const SpecReader &reader, const YamlNode &node,
                                               const Dims &dims, const TensorType &type);
/// The name of a graph, whose dimensions are read next; empty after an error.
Located<std::string> beginGraph(const SpecReader &reader, const Fields &fields,
                                LibraryDims &library);
/// A graph with `onnx`: what it is stands in the model.
std::optional<GraphSpec> readModelGraph(const SpecReader &reader, const YamlNode &node,
                                        LibraryDims &library);
/// A graph with `mlir`: what it is stands in the file.
std::optional<GraphSpec> readMlirGraph(const SpecReader &reader, const YamlNode &node,
                                       LibraryDims &library);
/// `budgets` of a graph or a library.
void readBudgets(const SpecReader &reader, const YamlNode &node, Budgets &budgets);
/// `versions` of a graph or a library.
void readVersions(const SpecReader &reader, const YamlNode &node,
                  std::vector<VersionSizes> &versions);
/// `state` of a graph or a library: appends what it declares to `own`, and to `all` what nobody
/// declared before.
void readStates(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                std::vector<StateSpec> &own, std::vector<StateSpec> &all);
/// The sizes of a type that are not numbers, by name.
std::map<std::string, std::shared_ptr<const DimSymbol>> symbolsOf(const TensorType &type);
/// Sizes that a block of state can keep.
constexpr size_t maxStateSizes = 7;
/// Reports states that share the name of a size but not its bounds, sizes that a state holds, and
/// too many sizes.
void checkStateSizes(const LibrarySpec &spec, Diagnostics &diagnostics);
/// Finds the states that hold sizes which the graph names. Reports those that cannot.
void readHeldSizes(const SpecReader &reader, const Dims &dims, GraphSpec &graph);
/// `updates` of a graph, whose states are known.
void readUpdates(const SpecReader &reader, const YamlNode &node, GraphSpec &graph);
/// Reads the keys of a graph about the arithmetic of its products, its budgets and its versions.
void readArithmetic(const SpecReader &reader, const Fields &fields, GraphSpec &graph);

/// `run_on` of a node, and of a graph: nodes by name, and operators.
void readRunOn(const SpecReader &reader, const YamlNode &node, NodeSpec &result);
void readRunOn(const SpecReader &reader, const YamlNode &node, GraphSpec &graph);

/// `targets` and `systems` of a library.
void readTargets(const SpecReader &reader, const Fields &fields, LibrarySpec &spec);
std::optional<AttributeValue> readAttribute(const SpecReader &reader, const YamlNode &node,
                                            const std::string &name);

} // namespace kgen
