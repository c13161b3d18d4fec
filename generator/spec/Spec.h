// A library spec as plain structs: what was written and where, before any meaning is attached.
#pragma once

#include "spec/MachineSpec.h"
#include "spec/ScheduleSpec.h"
#include "support/AttributeValue.h"
#include "support/Diagnostics.h"
#include "support/ExternCall.h"
#include "support/TensorType.h"
#include "support/WeightData.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace kgen {

struct TensorSpec {
  Located<std::string> name;
  Located<TensorType> type;
  /// The expression that each dimension is written as, such as "batch"; "" for a number.
  std::vector<std::string> dimNames{};
};

struct WeightFromFile {
  Located<std::string>
      path; ///< as written; a relative path starts at the folder of the file that contains it
  Located<std::string> tensor; ///< name inside a safetensors file; empty: the weight's
};
struct WeightFromValue {
  std::vector<double> numbers;   ///< row-major; exactly one number means "all elements"
  std::vector<int64_t> integers; ///< the same numbers' bits, exact, if the type is an integer
  std::vector<Dim> sizes{};      ///< the elements, if one is a size that is known at run time only
  SourceLoc where;
};
struct WeightFromRandom {
  uint64_t seed = 0; ///< uniform in [-0.5, 0.5) for floats; see spec/Weights.h
};

struct WeightSpec {
  Located<std::string> name;
  Located<TensorType> type;
  std::variant<WeightFromFile, WeightFromValue, WeightFromRandom> source;
  std::optional<BlockQuantization> quantize = std::nullopt;
};

struct NodeSpec {
  Located<std::string> name; ///< the node's name; for a single result also the result's
  Located<std::string> op;
  std::vector<Located<std::string>> inputs;  ///< "" skips an optional input
  std::vector<Located<std::string>> outputs; ///< {name} unless written; "" skips an optional one
  std::map<std::string, Located<AttributeValue>> attributes;
  Located<std::string> schedule{};              ///< that it names; empty: the one that matches
  std::optional<RowQuantization> activations{}; ///< nothing: as the graph says
  std::optional<ExternCall> external{};         ///< of `op: extern`
  bool runsOnCpu = false;                       ///< where a graphics card computes the graph
  /// Names of its results in the model that it was imported from, by their names here.
  std::map<std::string, std::string> original{};
};

/// Nodes of a model that become calls of a function of the user's.
struct ExternChoice {
  std::string node;   ///< an operator, also with its domain, or the name of a node
  std::string symbol; ///< of the function
  std::string types;  ///< of its results, "i64[100, 3];f32[]"; empty: those that the model says
};

/// Values for the open sizes of a model.
struct ModelBindings {
  /// Sizes of symbolic dimensions: by symbol ("batch"), or by input and axis ("x:0"). Those that
  /// stay symbolic have names of C.
  std::map<std::string, Dim> dims;
  /// Of a spec: names or patterns of the graphs that they are for; empty: all.
  std::vector<std::string> graphs{};
  /// Inputs that become constants, all of whose elements are the number.
  std::map<std::string, double> values;
  /// Inputs that become the constants in these files, .npy or .pb.
  std::map<std::string, std::string> valueFiles{};
  /// Of the library that consists of the model; empty: after the file.
  std::string library{};
  /// Axes of inputs ("x:0") whose sizes have names ("batch"), which `dims` has, too.
  std::map<std::string, std::string> dimNames{};
  /// Of an ONNX model: values that become inputs or outputs instead of its own; empty: its own.
  std::vector<std::string> inputs{}, outputs{};
  std::vector<ExternChoice> externs{};
  /// Of an MLIR file: those that are taken; empty: all public ones.
  std::vector<std::string> functions{};
};

/// A graph that stands in a model file.
struct ModelSource {
  enum class Kind { onnx, mlir };

  Located<std::string> path; ///< as written; relative to the folder of the file that contains it
  ModelBindings bindings;
  Kind kind = Kind::onnx;
  /// Of MLIR: the dimensions that only this graph has sizes for.
  std::vector<Located<std::string>> ownDims{};
  Located<std::string> function{}; ///< of MLIR; empty: the only public one
};

/// A tensor that a library keeps between calls, in memory of the caller's.
struct StateSpec {
  Located<std::string> name;
  Located<TensorType> type;
  double init = 0;                    ///< each element before the first call
  std::optional<WeightSpec> source{}; ///< of all elements, in place of `init`
  WeightData data{};                  ///< of the source, once it is loaded
};

/// The value that a state has after a call.
struct StateUpdate {
  Located<std::string> state, value;
};

/// Quantities that a library or a graph may have budgets for, in bytes.
enum class BudgetKind {
  workspace, ///< that a caller gives, largest variant
  text,      ///< machine code of all variants
  weights,   ///< packed, of all variants, equal ones once
  stack      ///< of a call, largest variant
};
constexpr BudgetKind allBudgetKinds[] = {BudgetKind::workspace, BudgetKind::text,
                                         BudgetKind::weights, BudgetKind::stack};
std::string_view toString(BudgetKind kind); ///< the key of a spec
/// At their keys.
using Budgets = std::map<BudgetKind, Located<int64_t>>;

/// Sizes of a dimension that a graph has code of its own for.
struct VersionSizes {
  Located<std::string> dim;
  std::vector<Located<int64_t>> sizes;
};

struct GraphSpec {
  Located<std::string> name;
  std::optional<ModelSource> model; ///< instead of inputs, weights, nodes and outputs
  /// Sizes that are known at run time only: those that inputs have, in the order of `dims`.
  std::vector<std::shared_ptr<const DimSymbol>> dims{};
  std::set<std::string> sizeStates{}; ///< that hold a size of the graph
  std::vector<TensorSpec> inputs;
  std::vector<WeightSpec> weights;
  std::vector<NodeSpec> nodes;
  std::vector<Located<std::string>> outputs;
  /// Names of values in the model that they were imported from, by their names here.
  std::map<std::string, std::string> original{};
  ElementType compute =
      ElementType::f32; ///< type that operands of contractions of f32 are rounded to
  Located<ElementType> accumulate{ElementType::f32,
                                  {}}; ///< type of the accumulators of products of f16
  Located<int64_t> winograd{
      0, {}}; ///< outputs along each side of a Winograd tile, 2 or 4; 0: no Winograd
  std::optional<RowQuantization> activations{}; ///< of products with weights of few bits
  Budgets budgets{};
  std::vector<VersionSizes> versions{}; ///< empty: those of the library
  std::vector<StateSpec> ownStates{};   ///< that it declares itself
  std::vector<StateSpec> states{};      ///< that it may name: the library's, too
  std::vector<StateUpdate> updates{};
  /// Names of nodes, or operators: the CPU computes these where a graphics card computes the graph.
  std::vector<Located<std::string>> onCpu{};
};

struct LibrarySpec {
  std::string path;                  ///< the file it was read from
  std::vector<std::string> included; ///< other files that were read for what they define
  Located<std::string> library;
  std::vector<Located<std::string>> targets; ///< as written; empty: the graphs decide
  std::vector<Located<std::string>> systems; ///< as written; empty: that of the host
  std::vector<GraphSpec> graphs;
  std::vector<ScheduleSpec> schedules;         ///< also of included files
  std::vector<Located<std::string>> templates; ///< paths of files with templates, resolved
  std::vector<MachineSpec> machines;           ///< likewise
  bool python = false;                         ///< a Python module stands beside the header
  Budgets budgets{};                           ///< of all graphs together
  std::vector<VersionSizes> versions{};        ///< of graphs without versions of their own
  std::vector<StateSpec> states{};             ///< of the library and all graphs, each once
};

/// Reads and validates a library file's form (keys, kinds of values, names, types). All errors go
/// to `diagnostics`; nothing is returned if there was one. `sizes` go before those in `dims` of the
/// library and of graphs whose names match a pattern of `graphs`; of all if there is none.
std::optional<LibrarySpec> parseLibrarySpec(const std::string &path, Diagnostics &diagnostics,
                                            const std::map<std::string, Dim> &sizes = {},
                                            const std::vector<std::string> &graphs = {});
/// Parses the text of a library file; relative paths in it are relative to the folder of `path`.
std::optional<LibrarySpec> parseLibraryText(const std::string &text, const std::string &path,
                                            Diagnostics &diagnostics,
                                            const std::map<std::string, Dim> &sizes = {},
                                            const std::vector<std::string> &graphs = {});

} // namespace kgen
