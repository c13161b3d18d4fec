// Nodes that become calls of functions of the user's.
#include "ingress/onnx/CutModel.h"
#include "ingress/onnx/Importer.h"
#include "spec/Names.h"
#include "spec/TypeText.h"
#include "support/Notes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen::onnx {

bool isCallOf(const ExternChoice &choice, const NodeProto &node) {
  return choice.node == node.name() || choice.node == node.op_type() ||
         choice.node == node.domain() + "." + node.op_type();
}

const ExternChoice *Importer::externFor(const NodeProto &node) const {
  for (const ExternChoice &choice : options.bindings.externs)
    if (isCallOf(choice, node))
      return &choice;
  return nullptr;
}

const ValueInfoProto *Importer::saidValue(const std::string &name) const {
  for (const auto *list : {&model.proto.graph().value_info(), &model.proto.graph().output()})
    for (const ValueInfoProto &value : *list)
      if (value.name() == name && value.type().has_tensor_type() &&
          value.type().tensor_type().has_shape())
        return &value;
  return nullptr;
}

/// Returns a size of `value`, or nothing if neither the model nor `--dim` says it.
std::optional<Dim> Importer::saidSize(const ValueInfoProto &value, int axis) const {
  return boundSize(value.name() + ":" + std::to_string(axis),
                   value.type().tensor_type().shape().dim(axis));
}

std::optional<Dim> Importer::saidSize(const std::string &name, int axis) const {
  const ValueInfoProto *value = saidValue(name);
  if (!value || axis >= value->type().tensor_type().shape().dim_size())
    return std::nullopt;
  return saidSize(*value, axis);
}

/// Returns what the model says of a value, with sizes of `--dim`; nothing, and why.
std::optional<TensorType> Importer::saidType(const std::string &name, std::string &problem) {
  const ValueInfoProto *said = saidValue(name);
  if (!said) {
    problem = "the model does not say the type of its result " + quoteName(name);
    return std::nullopt;
  }
  const TypeProto::Tensor &tensor = said->type().tensor_type();
  std::optional<ElementType> element = elementTypeOf(tensor.elem_type());
  if (!element)
    problem = "its result " + quoteName(name) + " has the element type " +
              dataTypeName(tensor.elem_type()) + ", which kgen does not have";
  TensorShape shape;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    std::optional<Dim> known = saidSize(*said, axis);
    std::optional<int64_t> size = known ? known->number() : std::nullopt;
    if (!size)
      problem = "size " + std::to_string(axis) + " of its result " + quoteName(name) +
                " has to be a number: --dim " + name + ":" + std::to_string(axis) + "=N says it";
    shape.push_back(size.value_or(0));
  }
  return problem.empty() ? std::optional(TensorType{*element, shape}) : std::nullopt;
}

/// Of the results that somebody wants, in order; nothing after a refusal.
std::optional<std::vector<TensorType>> Importer::externTypes(const NodeProto &node,
                                                             const ExternChoice &choice) {
  std::vector<TensorType> types;
  llvm::SmallVector<llvm::StringRef> texts;
  llvm::StringRef(choice.types).split(texts, ';', -1, /*KeepEmpty=*/false);
  const std::string option = "--extern " + choice.node + "=" + choice.symbol;
  for (llvm::StringRef text : texts) {
    SpecReader reader(option, nodeDiagnostics);
    YamlNode type;
    type.kind = YamlNode::Kind::scalar;
    type.text = text.str();
    if (auto read = readStaticType(reader, type, Dims(), "a result of an extern function"))
      types.push_back(read->value);
    else
      refuse(node, nodeDiagnostics.errors().back().message);
  }
  const auto wanted = llvm::count_if(node.output(), [](const auto &name) { return !name.empty(); });
  if (!texts.empty() && types.size() == texts.size() && wanted != ptrdiff_t(types.size())) {
    refuse(node, option + " says " + std::to_string(types.size()) + " types, and it has " +
                     std::to_string(wanted) + " results");
    return std::nullopt;
  }
  if (!texts.empty())
    return types.size() == texts.size() ? std::optional(types) : std::nullopt;
  std::string problem;
  for (const std::string &name : node.output())
    if (!name.empty() && problem.empty())
      if (std::optional<TensorType> type = saidType(name, problem))
        types.push_back(*type);
  if (problem.empty())
    return types;
  refuse(node, problem + "; " + option + ":f32[100,4] says the types of its results");
  return std::nullopt;
}

/// The call takes the inputs that are there; a C function has no attributes.
void Importer::importExtern(const NodeProto &node, const ExternChoice &choice, Scope &scope) {
  usedExterns.insert(choice.node);
  if (std::string problem = externNameProblem(choice.symbol); !problem.empty())
    return refuse(node,
                  "'" + choice.symbol + "' cannot be the name of an extern function: " + problem);
  NodeDescription call{{}, {"extern", {}}, {}, {}, {}};
  ExternCall &function = call.external.emplace();
  function.symbol = {choice.symbol, {model.path, 0, 0, node.name()}};
  for (const std::string &name : node.input()) {
    const ImportedValue *value = name.empty() ? nullptr : scope.find(name);
    if (name.empty())
      continue;
    if (!value || value->kind != ImportedValue::Kind::tensor)
      return refuse(node, "an extern function takes tensors, and its input " + quoteName(name) +
                              " is none");
    if (value->tensor == brokenValue)
      return; // it was refused
    call.inputs.push_back(value->tensor);
    function.inputNames.push_back(name);
  }
  std::optional<std::vector<TensorType>> types = externTypes(node, choice);
  if (!types)
    return;
  function.outputs = *types;
  for (const std::string &name : node.output())
    if (!name.empty()) {
      call.outputs.push_back({name, {}});
      function.outputNames.push_back(name);
    }
  call.name = call.outputs.front();
  std::vector<ValueId> results = addNode(node, call);
  for (size_t i = 0; i < results.size(); ++i) {
    scope.define(call.outputs[i].value, ImportedValue::from(results[i]));
    if (results[i] < brokenValue)
      setName(results[i], call.outputs[i].value);
  }
  for (const AttributeProto &attribute : node.attribute())
    if (notedAttributes.insert(choice.node + "." + attribute.name()).second)
      addNote(diagnostics, function.symbol.where,
              "attribute '" + attribute.name() + "' is not passed to '" + choice.symbol +
                  "': a C function has none");
}

void Importer::reportUnusedExterns() {
  for (const ExternChoice &choice : options.bindings.externs) {
    if (usedExterns.count(choice.node))
      continue;
    std::vector<std::string> known;
    for (const NodeProto &node : model.proto.graph().node())
      for (const std::string &name : {node.op_type(), node.name()})
        if (!llvm::is_contained(known, name))
          known.push_back(name);
    diagnostics.error({model.path, 0, 0},
                      "--extern " + choice.node + ": no node has this operator or name" +
                          didYouMean(choice.node, known),
                      "results that are wanted depend on none: expected an operator of the model");
  }
}

} // namespace kgen::onnx
