#include "ingress/onnx/NodeImport.h"

#include "ingress/onnx/FinishGraph.h"
#include "spec/WeightFiles.h"

#include <llvm/ADT/STLExtras.h>

#include <fmt/format.h>

#include <cstring>

namespace kgen::onnx {
namespace {

/// The number of f64 whose shortest text is that of `number`: 0.1, not 0.10000000149.
double asWritten(float number) { return std::stod(fmt::format("{}", number)); }

/// Models of the first versions of the format say the type of an attribute by its field.
AttributeProto::AttributeType typeOf(const AttributeProto &attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED)
    return attribute.type();
  return attribute.has_f()               ? AttributeProto::FLOAT
         : attribute.has_i()             ? AttributeProto::INT
         : attribute.has_s()             ? AttributeProto::STRING
         : attribute.has_t()             ? AttributeProto::TENSOR
         : attribute.has_g()             ? AttributeProto::GRAPH
         : attribute.floats_size() != 0  ? AttributeProto::FLOATS
         : attribute.strings_size() != 0 ? AttributeProto::STRINGS
         : attribute.tensors_size() != 0 ? AttributeProto::TENSORS
         : attribute.graphs_size() != 0  ? AttributeProto::GRAPHS
                                         : AttributeProto::INTS;
}

std::string typeName(AttributeProto::AttributeType type) {
  return AttributeProto::AttributeType_Name(type);
}

} // namespace

NodeImport::NodeImport(Importer &importer, const NodeProto &proto, Scope &scope, int64_t opset)
    : proto(proto), opset(opset), importer(importer), scope(scope),
      firstOwn(importer.valueCount()) {}

bool NodeImport::hasInput(size_t i) const {
  return i < inputCount() && !proto.input(int(i)).empty() &&
         value(i).kind != ImportedValue::Kind::nothing;
}

const ImportedValue &NodeImport::value(size_t i) const {
  static const ImportedValue broken = ImportedValue::from(brokenValue), nothing;
  if (i >= inputCount() || proto.input(int(i)).empty())
    return nothing;
  const ImportedValue *found = scope.find(proto.input(int(i)));
  if (!found)
    importer.refuse(proto, "nothing in the model has the name of its input " +
                               quoteName(proto.input(int(i))));
  return found ? *found : broken;
}

ValueId NodeImport::input(size_t i) const {
  const ImportedValue &operand = value(i);
  if (operand.kind == ImportedValue::Kind::sequence)
    importer.refuse(proto, "its input " + quoteName(proto.input(int(i))) + " is a sequence");
  return operand.kind == ImportedValue::Kind::nothing ? noValue : operand.tensor;
}

const TensorType &NodeImport::type(ValueId value) const {
  static const TensorType none;
  return value >= brokenValue ? none : importer.valueOf(value).type;
}

std::vector<int64_t> NodeImport::shape(ValueId value) {
  std::vector<int64_t> numbers;
  for (const Dim &size : type(value).shape.dims()) {
    if (!size.isNumber())
      refuse("it needs sizes that are numbers, and its operand is " + type(value).str());
    numbers.push_back(size.number().value_or(1));
  }
  return numbers;
}

int64_t NodeImport::size(ValueId value, int64_t dimension) {
  const TensorShape &shape = type(value).shape;
  if (dimension < 0 || dimension >= rank(value))
    return 1; // of what is not there
  Dim size = shape.dim(static_cast<size_t>(dimension));
  if (!size.isNumber())
    refuse("it needs a number for dimension " + std::to_string(dimension) +
           " of its operand, which is " + type(value).str());
  return size.number().value_or(1);
}

std::vector<ValueId> NodeImport::inputs() const {
  std::vector<ValueId> all;
  for (size_t i = 0; i < inputCount(); ++i)
    all.push_back(input(i));
  while (!all.empty() && all.back() == noValue)
    all.pop_back();
  return all;
}

bool NodeImport::isBroken() const {
  for (size_t i = 0; i < inputCount(); ++i)
    if (const ImportedValue &operand = value(i);
        (operand.kind == ImportedValue::Kind::tensor && operand.tensor == brokenValue) ||
        llvm::is_contained(operand.elements, brokenValue))
      return true;
  return false;
}

std::optional<std::vector<int64_t>> NodeImport::integers(ValueId id) const {
  if (id >= brokenValue || !importer.valueOf(id).data)
    return std::nullopt;
  const GraphValue &value = importer.valueOf(id);
  std::vector<int64_t> numbers;
  auto read = [&](auto zero) {
    for (size_t at = 0; at < value.data->size(); at += sizeof zero) {
      std::memcpy(&zero, value.data->data() + at, sizeof zero);
      numbers.push_back(static_cast<int64_t>(zero));
    }
  };
  switch (value.type.element) {
  case ElementType::i64:
    read(int64_t());
    break;
  case ElementType::i32:
    read(int32_t());
    break;
  case ElementType::i8:
    read(int8_t());
    break;
  case ElementType::i16:
    read(int16_t());
    break;
  case ElementType::u16:
    read(uint16_t());
    break;
  case ElementType::u32:
    read(uint32_t());
    break;
  case ElementType::u8:
  case ElementType::boolean:
    read(uint8_t());
    break;
  default:
    return std::nullopt;
  }
  return numbers;
}

std::optional<std::vector<double>> NodeImport::reals(ValueId id) const {
  return id < brokenValue ? numbersOf(importer.valueOf(id)) : std::nullopt;
}

const AttributeProto *NodeImport::find(const std::string &name) const {
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

const AttributeProto *NodeImport::find(const std::string &name,
                                       AttributeProto::AttributeType type) const {
  const AttributeProto *attribute = find(name);
  if (!attribute || typeOf(*attribute) == type)
    return attribute;
  importer.refuse(proto, "its attribute " + quoteName(name) + " is " +
                             typeName(typeOf(*attribute)) + ", expected " + typeName(type));
  return nullptr;
}

int64_t NodeImport::integer(const std::string &name, int64_t otherwise) const {
  const AttributeProto *attribute = find(name, AttributeProto::INT);
  return attribute ? attribute->i() : otherwise;
}

double NodeImport::real(const std::string &name, double otherwise) const {
  const AttributeProto *attribute = find(name, AttributeProto::FLOAT);
  return attribute ? asWritten(attribute->f()) : otherwise;
}

std::string NodeImport::string(const std::string &name, const std::string &otherwise) const {
  const AttributeProto *attribute = find(name, AttributeProto::STRING);
  return attribute ? attribute->s() : otherwise;
}

std::vector<int64_t> NodeImport::integerList(const std::string &name) const {
  const AttributeProto *attribute = find(name, AttributeProto::INTS);
  if (!attribute)
    return {};
  return {attribute->ints().begin(), attribute->ints().end()};
}

const GraphProto *NodeImport::graph(const std::string &name) const {
  const AttributeProto *attribute = find(name, AttributeProto::GRAPH);
  return attribute && attribute->has_g() ? &attribute->g() : nullptr;
}

Attributes NodeImport::attributes() const {
  Attributes all;
  for (const AttributeProto &attribute : proto.attribute())
    switch (typeOf(attribute)) {
    case AttributeProto::FLOAT:
      all[attribute.name()] = asWritten(attribute.f());
      break;
    case AttributeProto::INT:
      all[attribute.name()] = attribute.i();
      break;
    case AttributeProto::STRING:
      all[attribute.name()] = attribute.s();
      break;
    case AttributeProto::FLOATS: {
      std::vector<double> list;
      for (float number : attribute.floats())
        list.push_back(asWritten(number));
      all[attribute.name()] = list;
      break;
    }
    case AttributeProto::INTS:
      all[attribute.name()] =
          std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end());
      break;
    case AttributeProto::STRINGS:
      all[attribute.name()] =
          std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
      break;
    default:
      importer.refuse(proto, "its attribute " + quoteName(attribute.name()) + " is " +
                                 typeName(typeOf(attribute)) + ", which kgen's have not");
      break;
    }
  return all;
}

std::vector<ValueId> NodeImport::add(const std::string &op, const std::vector<ValueId> &inputs,
                                     const Attributes &attributes,
                                     const std::vector<bool> &wanted) {
  std::string base = proto.output_size() == 0 ? proto.op_type() : proto.output(0);
  for (const std::string &output : proto.output())
    if (!output.empty()) {
      base = output;
      break;
    }
  NodeDescription description{{base + "." + op, {}}, {op, {}}, inputs, {}, {}};
  for (size_t i = 0; i < wanted.size(); ++i)
    description.outputs.push_back(
        {wanted[i] ? base + "." + op + (i == 0 ? "" : "." + std::to_string(i)) : "", {}});
  for (const auto &[name, value] : attributes)
    description.attributes[name] = {value, {importer.file().path, 0, 0}};
  return importer.addNode(proto, description);
}

ValueId NodeImport::add(const std::string &op, const std::vector<ValueId> &inputs,
                        const Attributes &attributes) {
  return add(op, inputs, attributes, std::vector<bool>{true}).front();
}

ValueId NodeImport::constant(const TensorType &type, WeightData data) {
  std::string base = proto.output_size() == 0 ? proto.op_type() : proto.output(0);
  return importer.addMadeWeight(proto, base + ".constant", type, std::move(data));
}

ValueId NodeImport::integerConstant(const std::vector<int64_t> &elements) {
  std::vector<char> bytes;
  for (int64_t element : elements)
    appendInteger(bytes, ElementType::i64, element);
  return constant({ElementType::i64, {static_cast<int64_t>(elements.size())}},
                  std::make_shared<const std::vector<char>>(std::move(bytes)));
}

ValueId NodeImport::shapeConstant(ValueId value) {
  return type(value).isStatic() ? integerConstant(shape(value)) : add("Shape", {value});
}

ValueId NodeImport::wholeConstant(int64_t number, ElementType element) {
  std::vector<char> bytes;
  isFloat(element) ? appendFloat(bytes, element, static_cast<double>(number))
                   : appendInteger(bytes, element, number);
  return constant({element, {}}, std::make_shared<const std::vector<char>>(std::move(bytes)));
}

ValueId NodeImport::numberConstant(double number, ElementType element) {
  TensorType type{element, {}};
  return constant(type, filledData(type, number));
}

void NodeImport::result(size_t i, ImportedValue value) {
  if (!hasOutput(i))
    return;
  if (value.kind == ImportedValue::Kind::tensor && value.tensor == noValue)
    return refuse("it lacks an input");
  if (value.kind == ImportedValue::Kind::sequence &&
      !importer.spend(proto, 0, sizeof(ValueId) * value.elements.size()))
    return;
  if (value.kind == ImportedValue::Kind::tensor && value.tensor < brokenValue &&
      value.tensor >= firstOwn)
    importer.setName(value.tensor, proto.output(int(i)));
  scope.define(proto.output(int(i)), std::move(value));
}

void NodeImport::become(const std::string &op, const std::vector<ValueId> &inputs,
                        const Attributes &attributes) {
  std::vector<bool> wanted;
  for (size_t i = 0; i < outputCount(); ++i)
    wanted.push_back(hasOutput(i));
  while (wanted.size() > 1 && !wanted.back())
    wanted.pop_back();
  std::vector<ValueId> results = add(op, inputs, attributes, wanted);
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i] != noValue)
      result(i, results[i]);
}

void NodeImport::refuse(const std::string &reason) {
  if (!refused)
    importer.refuse(proto, reason);
  refused = true;
}

} // namespace kgen::onnx
