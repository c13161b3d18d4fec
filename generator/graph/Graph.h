// A typed graph: every value has an element type and a shape, nodes are in topological order.
#pragma once

#include "support/AttributeValue.h"
#include "support/Diagnostics.h"
#include "support/ExternCall.h"
#include "support/TensorType.h"
#include "support/WeightData.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct Operator;
class OperatorTable;

using ValueId = uint32_t;
constexpr ValueId noValue = ~ValueId(0); ///< an optional input or result that is skipped

enum class ValueKind {
  input,
  weight,
  result,
  sizes ///< integers, not all of which are numbers when code is generated: what Shape makes of a
        ///< symbolic shape. Nodes read them for the shapes of their results; no code computes them.
};

struct GraphValue {
  std::string name;
  TensorType type;
  ValueKind kind = ValueKind::input;
  SourceLoc where;
  WeightData data;                           ///< weights only
  std::optional<BlockQuantization> quantize; ///< weights only: what becomes of `data`
  std::vector<std::string> dimNames{};       ///< inputs only: see TensorSpec; all may be missing
  std::vector<Dim> sizes{};                  ///< the elements, of kind `sizes` only
};

/// The elements of a weight of f32 or f64; nothing for other values.
std::optional<std::vector<double>> numbersOf(const GraphValue &value);

struct Node {
  std::string name;
  const Operator *op = nullptr;
  std::vector<ValueId> inputs;                      ///< may contain noValue
  std::vector<ValueId> outputs;                     ///< noValue: an optional result that is skipped
  std::map<std::string, AttributeValue> attributes; ///< validated, defaults filled in
  SourceLoc where;
  Located<std::string> schedule{};              ///< that it names; empty: the one that matches
  std::optional<ExternCall> external{};         ///< the function that it calls, of operator extern
  std::optional<RowQuantization> activations{}; ///< nothing: as the graph says

  /// The first result that is not skipped.
  ValueId firstOutput() const {
    return *std::find_if(outputs.begin(), outputs.end(), [](ValueId id) { return id != noValue; });
  }
};

/// A tensor that is kept between calls: an input, an output that it becomes, or both.
struct GraphState {
  std::string name;
  std::optional<size_t> input, output; ///< their numbers
};

struct Graph {
  std::string name;
  /// Sizes that are known at run time only, in the order of the function's parameters.
  std::vector<std::shared_ptr<const DimSymbol>> dims{};
  std::vector<GraphValue> values;
  std::vector<Node> nodes;              ///< topological order
  std::vector<ValueId> inputs, outputs; ///< declared order
  /// Type that operands of contractions of f32 are rounded to.
  ElementType compute = ElementType::f32;
  /// Type in which products of f16 may be added up.
  ElementType accumulate = ElementType::f32;
  /// Results of a side of the largest tile that convolutions of 3 x 3 windows may be computed in by
  /// Winograd's transforms; 0: not at all.
  int64_t winograd = 0;
  /// Rounding of rows that are multiplied by weights of 4 and 8 bits, where nodes do not say.
  std::optional<RowQuantization> activations{};
  std::vector<GraphState> states{};
};

/// True if the graph calls functions of the user's, which may fail.
bool callsExterns(const Graph &graph);

/// True if the code updates the state where it lies: it reads and writes the memory of its output,
/// which holds the old value before a call. Where an extern function may fail, it has two.
bool isUpdatedInPlace(const Graph &graph, const GraphState &state);

/// The graph as `kgen check --print-graph` shows it: a line per value with its type, a line per
/// node.
std::string printGraph(const Graph &graph);

} // namespace kgen
