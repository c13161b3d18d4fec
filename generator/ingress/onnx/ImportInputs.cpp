// Inputs of a model: their sizes are bound, or they become constants, as the user says.
#include "ingress/onnx/FinishGraph.h"
#include "ingress/onnx/Importer.h"
#include "spec/DimExpression.h"
#include "spec/Yaml.h"
#include "support/TensorLimits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace kgen::onnx {
namespace {

/// True if the tensor is one that the input may be.
bool fits(const TensorType &type, const TypeProto::Tensor &declared) {
  if (elementTypeOf(declared.elem_type()) != type.element)
    return false;
  if (!declared.has_shape())
    return true;
  if (static_cast<size_t>(declared.shape().dim_size()) != type.shape.size())
    return false;
  for (size_t i = 0; i < type.shape.size(); ++i)
    if (const auto &dim = declared.shape().dim(int(i));
        dim.has_dim_value() && dim.dim_value() != type.shape[i])
      return false;
  return true;
}

/// True if the type has the number, but for rounding.
bool isNumberOf(ElementType type, double number) {
  if (isFloat(type))
    return true;
  if (type == ElementType::boolean)
    return number == 0 || number == 1;
  auto bits = static_cast<int>(bitWidth(type));
  bool hasSign = !isUnsigned(type);
  double end = std::ldexp(1.0, hasSign ? bits - 1 : bits);
  // 2^63 and more are no int64_t, which the number passes through.
  end = std::min(end, std::ldexp(1.0, 63));
  return number == std::trunc(number) && number >= (hasSign ? -end : 0) && number < end;
}

} // namespace

/// Returns the size of a dimension at "input:1": that of the place, or of its name, which may be an
/// expression of others, or its own number; nothing if none is said.
std::optional<Dim> Importer::boundSize(const std::string &place,
                                       const TensorShapeProto::Dimension &dim) const {
  const std::map<std::string, Dim> &sizes = options.bindings.dims;
  auto found = sizes.find(place);
  if (found == sizes.end() && dim.has_dim_param())
    found = sizes.find(dim.dim_param());
  if (found != sizes.end())
    return found->second;
  if (dim.has_dim_value() && dim.dim_value() >= 0)
    return Dim(dim.dim_value());
  const std::vector<std::string> names = namesOfSizes(dim.dim_param());
  auto hasSize = [&](const std::string &name) { return sizes.count(name) != 0; };
  expressions::ExpressionError error;
  return !names.empty() && llvm::all_of(names, hasSize) ? sizeOfText(dim.dim_param(), sizes, error)
                                                        : std::nullopt;
}

/// True if inputs have a dimension of that name.
static bool hasDimension(const GraphProto &graph, const std::string &name) {
  return llvm::any_of(graph.input(), [&](const ValueInfoProto &input) {
    return llvm::any_of(input.type().tensor_type().shape().dim(),
                        [&](const auto &dim) { return dim.dim_param() == name; });
  });
}

/// Notes what has to have a size before the dimension has one: its name, or those in it, if all of
/// them are dimensions ('batch-size' is one name).
void Importer::noteUnbound(const std::string &place, const TensorShapeProto::Dimension &dim,
                           const std::string &axis) {
  std::vector<std::string> names = namesOfSizes(dim.dim_param());
  const bool areDimensions = llvm::all_of(
      names, [&](const std::string &name) { return hasDimension(model.proto.graph(), name); });
  llvm::erase_if(names,
                 [&](const std::string &name) { return options.bindings.dims.count(name) != 0; });
  if (names.empty() || !areDimensions)
    names = {dim.dim_param().empty() ? place : dim.dim_param()};
  const size_t before = bindings.size();
  for (const std::string &name : names)
    if (const std::string binding = "--dim " + name + "=N"; !llvm::is_contained(bindings, binding))
      bindings.push_back(binding);
  if (bindings.size() != before)
    unbound.push_back((dim.dim_param().empty() ? "" : "'" + dim.dim_param() + "', ") + axis);
}

/// The shape with all dimensions bound, or nothing after noting what is not.
std::optional<TensorShape> Importer::shapeOf(const ValueInfoProto &input) {
  TensorShape shape;
  bool isBound = true;
  int axis = 0;
  for (const TensorShapeProto::Dimension &dim : input.type().tensor_type().shape().dim()) {
    std::string place = input.name() + ":" + std::to_string(axis);
    if (std::optional<Dim> size = boundSize(place, dim)) {
      std::vector<std::string> names = namesOfSizes(dim.dim_param());
      names.insert(names.end(), {place, dim.dim_param()});
      for (const std::string &name : names)
        if (options.bindings.dims.count(name))
          usedOptions[name] = true;
      shape.push_back(*size);
    } else {
      isBound = false;
      noteUnbound(place, dim,
                  "axis " + std::to_string(axis) + " of input " + quoteName(input.name()));
    }
    ++axis;
  }
  return isBound ? std::optional(shape) : std::nullopt;
}

/// An input whose value is in a file. False if it is not one.
bool Importer::importGivenInput(const ValueInfoProto &input) {
  auto given = options.bindings.valueFiles.find(input.name());
  if (given == options.bindings.valueFiles.end())
    return false;
  usedOptions[input.name()] = true;
  std::string problem;
  std::optional<ModelTensor> tensor = readTensorFile(given->second, problem);
  if (tensor && !fits(tensor->type, input.type().tensor_type()))
    problem = "it is " + tensor->type.str() + ", which the input cannot be";
  if (!problem.empty())
    diagnostics.error({given->second, 0, 0},
                      "cannot be the value of input " + quoteName(input.name()) + ": " + problem);
  if (std::find(model.files.begin(), model.files.end(), given->second) == model.files.end())
    model.files.push_back(given->second);
  scope.define(input.name(),
               ImportedValue::from(problem.empty()
                                       ? addWeight(input.name(), tensor->type, tensor->data)
                                       : brokenValue));
  return true;
}

void Importer::importInput(const ValueInfoProto &input) {
  if (importGivenInput(input))
    return;
  if (auto known = options.inputTypes.find(input.name()); known != options.inputTypes.end())
    return addModelInput(input, known->second);
  SourceLoc where{model.path, 0, 0, input.name()};
  auto fail = [&](const std::string &message, const std::string &hint = "") {
    diagnostics.error(where, message, hint);
    scope.define(input.name(), ImportedValue::from(brokenValue));
  };
  if (!input.type().has_tensor_type())
    return fail("input " + quoteName(input.name()) +
                (input.has_type() ? " is no tensor: kgen's functions take tensors"
                                  : " has a type that neither the model says nor the nodes before "
                                    "it: expected one of a known type for --inputs"));
  int32_t dataType = input.type().tensor_type().elem_type();
  std::optional<ElementType> element = elementTypeOf(dataType);
  if (!element)
    return fail("input " + quoteName(input.name()) + " has the element type " +
                dataTypeName(dataType) + ", which kgen does not have");
  if (!input.type().tensor_type().has_shape())
    return fail("input " + quoteName(input.name()) + " has no shape",
                "the model has to say how many dimensions it has, which onnx.shape_inference or "
                "the exporter can "
                "write; --value " +
                    input.name() + "=FILE makes it a constant, --inputs begins after it");
  std::optional<TensorShape> shape = shapeOf(input);
  if (!shape)
    return scope.define(input.name(), ImportedValue::from(brokenValue));
  TensorType type{*element, *shape};
  if (type.shape.size() > maxRank || !boundedByteCount(type, maxTensorBytes))
    return fail("input " + quoteName(input.name()) + " has more than " + std::to_string(maxRank) +
                " dimensions, or more than 1 TiB");
  auto fixed = options.bindings.values.find(input.name());
  if (fixed != options.bindings.values.end()) {
    usedOptions[input.name()] = true;
    if (!type.isStatic())
      return fail("input " + quoteName(input.name()) + " is " + type.str() +
                  ", and a constant has sizes that are numbers");
    if (!isNumberOf(type.element, fixed->second))
      return fail("input " + quoteName(input.name()) + " is " + type.str() + ", which has no " +
                  fmt::format("{}", fixed->second));
    if (!builder.mayMake(type.byteCount()))
      return fail("input " + quoteName(input.name()) + " is " + type.str() +
                  ", which is too large to be a constant");
    scope.define(input.name(), ImportedValue::from(
                                   addWeight(input.name(), type, filledData(type, fixed->second))));
    return;
  }
  addModelInput(input, type);
}

void Importer::addModelInput(const ValueInfoProto &input, const TensorType &type) {
  SourceLoc where{model.path, 0, 0, input.name()};
  for (const Dim &dim : type.shape.dims())
    for (const auto &[name, symbol] : dim.symbols()) {
      const auto known = dims.insert({name, symbol}).first->second;
      if (known->range() == symbol->range())
        continue;
      diagnostics.error(where, "two sizes are called '" + name + "' in C: one is " +
                                   known->range() + ", the other one " + symbol->range());
      return scope.define(input.name(), ImportedValue::from(brokenValue));
    }
  ValueId value = builder.addInput({input.name(), where}, type);
  names[value] = input.name();
  scope.define(input.name(), ImportedValue::from(value));
}

/// Initializers among the inputs have a default that callers could replace; kgen's are constants.
void Importer::importInputs() {
  std::set<std::string> seen;
  for (const ValueInfoProto &input : model.proto.graph().input()) {
    if (!seen.insert(input.name()).second)
      diagnostics.error({model.path, 0, 0}, "two inputs have the name " + quoteName(input.name()));
    else if (!scope.find(input.name()))
      importInput(input);
  }
}

void Importer::reportUnbound() {
  if (unbound.empty())
    return;
  diagnostics.error({model.path, 0, 0},
                    "sizes of the inputs have to be numbers, and these are not:\n    " +
                        llvm::join(unbound, "\n    "),
                    "say them with " + llvm::join(bindings, " ") + " (in a spec: dims: {...})");
}

void Importer::reportUnusedOptions() {
  std::vector<std::string> symbols, inputs;
  for (const ValueInfoProto &input : model.proto.graph().input()) {
    inputs.push_back(input.name());
    for (const TensorShapeProto::Dimension &dim : input.type().tensor_type().shape().dim())
      if (dim.has_dim_param() && !llvm::is_contained(symbols, dim.dim_param()))
        symbols.push_back(dim.dim_param());
  }
  auto list = [](const std::vector<std::string> &names) {
    return names.empty() ? "there are none" : "there are " + llvm::join(names, ", ");
  };
  for (const auto &[place, text] : options.bindings.dimNames)
    for (const std::string &name : namesOfSizes(text))
      usedOptions[name] = true;
  // Those of inputs that the cut left out, and of results of extern functions.
  bool isPart = !options.inputTypes.empty() || !options.bindings.outputs.empty() ||
                !options.bindings.externs.empty();
  for (const auto &[name, size] : options.bindings.dims)
    if (!usedOptions[name] && !isPart)
      diagnostics.error({model.path, 0, 0},
                        "no input has a dimension '" + name + "'" + didYouMean(name, symbols),
                        list(symbols) + "; an axis is INPUT:AXIS");
  auto reportInput = [&](const std::string &name) {
    if (!usedOptions[name] && !isPart)
      diagnostics.error({model.path, 0, 0},
                        "the model has no input '" + name + "'" + didYouMean(name, inputs),
                        list(inputs));
  };
  for (const auto &[name, number] : options.bindings.values)
    reportInput(name);
  for (const auto &[name, file] : options.bindings.valueFiles)
    reportInput(name);
}

} // namespace kgen::onnx
