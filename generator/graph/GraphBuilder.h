// Makes a typed graph node by node: what every way in shares.
#pragma once

#include "graph/Operator.h"

#include <optional>

namespace kgen {

/// In place of a value that could not be made, which was reported: a node that reads it is checked
/// as far as that goes, and is not added.
constexpr ValueId brokenValue = noValue - 1;

/// A node as a way in found it.
struct NodeDescription {
  Located<std::string> name, op;
  std::vector<ValueId> inputs;               ///< noValue skips an optional input
  std::vector<Located<std::string>> outputs; ///< "" skips a result
  std::map<std::string, Located<AttributeValue>> attributes;
  Located<std::string> schedule{};
  std::optional<ExternCall> external{};
  std::optional<RowQuantization> activations{};
};

/// Values and nodes are added in topological order. Operators are looked up, attributes checked and
/// types inferred at once; results that are known without running the graph become weights. All
/// errors go to `diagnostics`.
class GraphBuilder {
public:
  /// Starts with `graph`, which has the settings of the graph.
  GraphBuilder(Graph graph, const OperatorTable &operators, Diagnostics &diagnostics);

  /// `dimNames`: what its dimensions are called; all may be missing.
  ValueId addInput(const Located<std::string> &name, const TensorType &type,
                   std::vector<std::string> dimNames = {});
  /// Without data, which could not be read: brokenValue.
  ValueId addWeight(const Located<std::string> &name, const TensorType &type, WeightData data,
                    std::optional<BlockQuantization> quantize = std::nullopt);
  /// A weight that is made here rather than given: of those, so many bytes may be made as the limit
  /// says. brokenValue after an error, which is about `where`.
  ValueId addMadeWeight(const Located<std::string> &name, const TensorType &type, WeightData data);
  /// Integers of which not all are numbers.
  ValueId addSizes(const Located<std::string> &name, const TensorType &type,
                   std::vector<Dim> sizes);
  /// True if constants of so many bytes more may be made: 64 MiB, and eight times the bytes that
  /// were given.
  bool mayMake(int64_t bytes) const;
  /// Constants may be made as if weights of so many bytes more were given.
  void countPreset(int64_t bytes) { given += bytes; }

  /// The results, in the order of the description; noValue where one was skipped, brokenValue after
  /// an error.
  std::vector<ValueId> addNode(const NodeDescription &node);

  const Graph &current() const { return graph; }

  /// The graph with these results. Call it last. Nothing if there was an error since the builder
  /// was made. `accumulate` and `winograd`: where the graph asks for them.
  std::optional<Graph> finish(std::vector<ValueId> outputs, const SourceLoc &accumulate = {},
                              const SourceLoc &winograd = {});

private:
  ValueId addValue(const std::string &name, const TensorType &type, ValueKind kind,
                   const SourceLoc &where, WeightData data = nullptr);
  const Operator *checkedOperator(const NodeDescription &description,
                                  std::map<std::string, AttributeValue> &attributes);
  /// The known part of a result: its bytes, or its elements that are sizes.
  struct KnownResult {
    WeightData data{};
    std::vector<Dim> sizes{};
  };
  std::optional<std::vector<KnownResult>> knownResults(InferenceContext &context,
                                                       const std::vector<TensorType> &types);
  std::optional<std::vector<WeightData>> foldedResults(InferenceContext &context,
                                                       const std::vector<TensorType> &types);
  bool checkArity(const NodeDescription &description, const Operator &op);
  std::vector<TensorType> inferredTypes(InferenceContext &context, size_t outputs);
  bool checkSymbols(const InferenceContext &context);
  ValueId addResult(const NodeDescription &description, size_t i, const TensorType &type,
                    const Operator &op, const KnownResult &known);

  Graph graph;
  const OperatorTable &operators;
  Diagnostics &diagnostics;
  size_t errorsBefore;
  int64_t given = 0, made = 0; ///< bytes of weights
};

/// Makes scales of channels a part of the weights of what they scale, where nobody else reads it.
/// The last step of every way in.
void foldScales(Graph &graph, const OperatorTable &operators, Diagnostics &diagnostics);

} // namespace kgen
