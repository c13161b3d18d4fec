// The description of an operator: its ONNX name, its attributes, how types are inferred and how it
// becomes linalg. Instances live in ops/, one file per family; this header knows no MLIR.
#pragma once

#include "graph/Graph.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace kgen {

class LoweringContext; // ops/Lowering.h

enum class AttributeKind { integer, real, string, integers, reals, strings };
/// "an integer", "a list of numbers": what a value of this kind is called.
const char *kindName(AttributeKind kind);

struct AttributeSchema {
  std::string name;
  AttributeKind kind;
  std::optional<AttributeValue> defaultValue; ///< none: required, unless `optional`
  bool optional = false;                      ///< may be absent and has no default
  std::string doc;
};

/// An attribute that may be absent and has no default; most of them list integers.
inline AttributeSchema optionalAttribute(std::string name, AttributeKind kind, std::string doc) {
  return {std::move(name), kind, std::nullopt, true, std::move(doc)};
}
inline AttributeSchema optionalIntegers(std::string name, std::string doc) {
  return optionalAttribute(std::move(name), AttributeKind::integers, std::move(doc));
}

/// View of a node that `infer` gets. Inputs that are skipped have no type.
class InferenceContext {
public:
  InferenceContext(const Graph &graph, const Node &node, Diagnostics &diagnostics);

  size_t inputCount() const { return node.inputs.size(); }
  bool hasInput(size_t i) const;
  const TensorType &input(size_t i) const;
  /// The elements of a constant integer input (Reshape's shape), or nothing if the input is not a
  /// weight.
  std::optional<std::vector<int64_t>> constantIntegers(size_t i) const;
  /// The elements of an integer input that consists of sizes, not all of which need be numbers.
  std::optional<std::vector<Dim>> sizes(size_t i) const;
  /// True if input i consists of sizes that are known at run time only.
  bool isSizes(size_t i) const;
  /// The numbers of input i, if it is a weight of f32 or f64.
  std::optional<std::vector<double>> constantReals(size_t i) const;
  /// The bytes of an input that is a weight, or null.
  WeightData constantData(size_t i) const;
  size_t resultCount() const { return node.outputs.size(); } ///< results that have names

  /// True if the size of an input's dimension is known at run time only.
  bool hasSymbols() const;
  /// True if an input consists of such sizes.
  bool hasSizes() const;
  /// True if result i has a name: if not, nobody reads it.
  bool hasResult(size_t i) const;
  bool hasAttribute(const std::string &name) const;
  int64_t integer(const std::string &name) const;
  double real(const std::string &name) const;
  const std::string &string(const std::string &name) const;
  const std::vector<int64_t> &integers(const std::string &name) const;
  const std::vector<double> &reals(const std::string &name) const;
  const std::vector<std::string> &strings(const std::string &name) const;

  /// Reports an error at the node; inference then returns {}.
  void error(std::string message, std::string hint = "") const;

  const Graph &graph;
  const Node &node;

private:
  Diagnostics &diagnostics;
};

/// A result that is another one times a factor plus a term, by channel: dimension 1.
struct ChannelScale {
  std::vector<double> factor, term;
};

/// A node that computes the scaled result instead of the original one: other weights as some of its
/// inputs, perhaps by another operator.
struct ScaledNode {
  struct Weight {
    size_t input;
    TensorType type;
    WeightData data;
  };
  std::vector<Weight> weights;
  std::string op;
  std::map<std::string, AttributeValue> attributes;
};

/// Another computation of a node's results, for `kgen check`.
struct Counterpart {
  std::string computes, counterpart; ///< "@my.norm<N = 24>" of the node, "@my.norm_plain"
  SourceLoc computesAt, counterpartAt;
};

/// Dimensions of a node's inputs that may be symbolic, which are known at run time only.
struct SymbolicDims {
  std::string summary = "none"; ///< for `kgen ops`
  /// Returns why dimension d of an input cannot be symbolic, or "" if it can. Without it, none can.
  std::function<std::string(const InferenceContext &, size_t input, size_t d)> refusal;

  static SymbolicDims any();
};

struct Operator {
  std::string name;     ///< ONNX's
  std::string summary;  ///< one line for `kgen ops` and the documentation
  size_t minInputs = 1; ///< that many, the first ones, cannot be skipped
  size_t maxInputs = 1; ///< unlimited: operatorUnlimited
  size_t outputs = 1;
  size_t optionalOutputs = 0; ///< the number of results, the last ones, that may be skipped
  size_t factors = 0; ///< the number of inputs, the first ones, that are multiplied: a graph's
                      ///< `compute` rounds them
  bool sumsProducts = false; ///< the same without rounding: products of bytes, code of MLIR files
  std::vector<AttributeSchema> attributes;
  std::vector<ElementType>
      types;            ///< allowed element types of the main operand, for `kgen ops` and checks
  size_t mainInput = 0; ///< the main operand's number
  /// Each element of the result is computed from the elements at the same subscripts, as
  /// broadcasting says: the order of the dimensions does not matter.
  bool elementwise = false;
  /// An image keeps the order of its dimensions: `LoweringContext::dimensionOf` says where
  /// a dimension is.
  bool keepsLayout = false;
  /// Returns true if the node is a convolution that a graph's `winograd` is about.
  std::function<bool(const InferenceContext &)> hasTiles;
  std::optional<size_t> quantizableInput; ///< that may be a weight with few bits
  /// Values with one scale of rows that are multiplied by weights of 4 or 8 bits in blocks; 0 if
  /// these rows stay as they are, nothing if the node multiplies none.
  std::function<std::optional<int64_t>(const InferenceContext &)> rowBlock;
  /// Dimensions that may be symbols; `infer` and `lower` see no others.
  SymbolicDims symbolicDims;
  /// Result types, or {} after reporting an error.
  std::function<std::vector<TensorType>(InferenceContext &)> infer;
  /// The elements of the results where they can be told from types and weights alone, or {}: the
  /// results are weights then, and nothing is lowered.
  std::function<std::vector<WeightData>(InferenceContext &, const std::vector<TensorType> &)> fold;
  /// The elements of each result where inputs consist of sizes, or the results do.
  std::function<std::vector<std::vector<Dim>>(InferenceContext &, const std::vector<TensorType> &)>
      foldSizes;
  /// Inputs that say what the result's shape is, and may consist of sizes: no code reads them.
  std::vector<size_t> shapeInputs;
  /// Returns the scale if the only result is input 0, scaled, and weights tell it.
  std::function<std::optional<ChannelScale>(const InferenceContext &)> scale;
  /// Returns the node that computes the scaled result, if its weights can take the scale.
  std::function<std::optional<ScaledNode>(const InferenceContext &, const ChannelScale &)> scaled;
  /// Returns the computation that the results are compared with, if there is one.
  std::function<std::optional<Counterpart>(const InferenceContext &)> counterpart;
  /// Creates the operator's linalg form and sets its results. Types were inferred and checked
  /// before.
  std::function<void(LoweringContext &)> lower;
};

constexpr size_t operatorUnlimited = std::numeric_limits<size_t>::max();

/// ONNX's multidirectional broadcasting of two shapes, or nothing if they do not fit. Symbolic
/// sizes fit to the same ones, and to 1.
std::optional<TensorShape> broadcastShapes(const TensorShape &a, const TensorShape &b);

/// All operators by name; `ops/Registry.h` has the one that kgen ships.
class OperatorTable {
public:
  /// `lowerExtern` is external()'s.
  explicit OperatorTable(std::vector<Operator> operators,
                         std::function<void(LoweringContext &)> lowerExtern = nullptr);
  const Operator *find(const std::string &name) const;
  const std::vector<Operator> &all() const { return operators; } ///< sorted by name
  std::vector<std::string> names() const;

  /// The operator of nodes that call a function from outside of the library. It is not listed, and
  /// not found by its name, `extern`: what it is depends on the node.
  const Operator &external() const { return externOperator; }

private:
  std::vector<Operator> operators;
  Operator externOperator;
};

} // namespace kgen
