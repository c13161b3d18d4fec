// A node of a model as converters see it: operands, attributes, and what it becomes.
#pragma once

#include "ingress/onnx/Importer.h"

namespace kgen::onnx {

/// Attributes of a node of the graph in the making.
using Attributes = std::map<std::string, AttributeValue>;

class NodeImport {
public:
  NodeImport(Importer &importer, const NodeProto &proto, Scope &scope, int64_t opset);

  const NodeProto &proto;
  const int64_t opset; ///< version of the operator's domain

  // Operands.
  size_t inputCount() const { return static_cast<size_t>(proto.input_size()); }
  size_t outputCount() const { return static_cast<size_t>(proto.output_size()); }
  bool hasInput(size_t i) const;
  bool hasOutput(size_t i) const { return i < outputCount() && !proto.output(int(i)).empty(); }
  /// noValue where it is skipped or not there; brokenValue where it could not be imported.
  ValueId input(size_t i) const;
  std::vector<ValueId> inputs() const;
  const ImportedValue &value(size_t i) const; ///< of any kind
  /// True if an operand could not be imported: there is nothing to say then.
  bool isBroken() const;

  /// A scalar in place of what is not there: whoever needs it is refused where it is added.
  const TensorType &type(ValueId value) const;
  /// The sizes as numbers. Where one is known at run time only, the node is refused, and a 1 stands
  /// for it.
  std::vector<int64_t> shape(ValueId value);
  /// Returns the size of one dimension, likewise; others may be known at run time only.
  int64_t size(ValueId value, int64_t dimension);
  int64_t rank(ValueId value) const { return static_cast<int64_t>(type(value).shape.size()); }
  /// The elements of an integer (bool) constant, or nothing.
  std::optional<std::vector<int64_t>> integers(ValueId value) const;
  /// The elements of a constant of f32 or f64, or nothing.
  std::optional<std::vector<double>> reals(ValueId value) const;

  // Attributes.
  const AttributeProto *find(const std::string &name) const;
  /// The attribute of that type, or null; one of another type is refused.
  const AttributeProto *find(const std::string &name, AttributeProto::AttributeType type) const;
  bool has(const std::string &name) const { return find(name) != nullptr; }
  int64_t integer(const std::string &name, int64_t otherwise) const;
  double real(const std::string &name, double otherwise) const;
  std::string string(const std::string &name, const std::string &otherwise) const;
  std::vector<int64_t> integerList(const std::string &name) const;
  const GraphProto *graph(const std::string &name) const;
  /// All of them, in the form of a spec; those of other kinds (tensors, graphs) are refused.
  Attributes attributes() const;

  // Results of the conversion.
  /// Adds a node. Results that nobody asked for are skipped by a false in `wanted`.
  std::vector<ValueId> add(const std::string &op, const std::vector<ValueId> &inputs,
                           const Attributes &attributes, const std::vector<bool> &wanted);
  ValueId add(const std::string &op, const std::vector<ValueId> &inputs,
              const Attributes &attributes = {});
  ValueId constant(const TensorType &type, WeightData data);
  /// A tensor of one dimension of i64.
  ValueId integerConstant(const std::vector<int64_t> &elements);
  /// The sizes of a value, numbers or not, for operators that read a shape.
  ValueId shapeConstant(ValueId value);
  /// A scalar of that type, of integers or bool.
  ValueId wholeConstant(int64_t number, ElementType type);
  /// A scalar of that type.
  ValueId numberConstant(double number, ElementType type);
  void result(size_t i, ValueId value) { result(i, ImportedValue::from(value)); }
  void result(size_t i, ImportedValue value);
  /// The node's results are those of one node with these operands.
  void become(const std::string &op, const std::vector<ValueId> &inputs,
              const Attributes &attributes);
  /// The node cannot be imported, because.
  void refuse(const std::string &reason);

  Importer &importer;
  Scope &scope;

private:
  ValueId firstOwn; ///< values from this one on are of this node
  bool refused = false;
};

/// Converts an operator of the standard (domain "") or of com.microsoft; one without a converter is
/// kgen's operator of the same name.
using Converter = void (*)(NodeImport &node);
using ConverterTable = llvm::StringMap<Converter>;

} // namespace kgen::onnx
