#include "ingress/mlir/ImportParts.h"

#include "dialect/kgen/Size.h"
#include "graph/Operator.h"
#include "ops/Registry.h"
#include "ops/SymbolicSizes.h"
#include "spec/Names.h"
#include "templates/Templates.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <llvm/ADT/MapVector.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr StringLiteral parameterNameAttrName = "kgen.name";

/// The name that a location says; "" if it says none.
StringRef nameIn(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

class GraphWriter {
public:
  GraphWriter(func::FuncOp function, const MlirRequest &request, Diagnostics &diagnostics)
      : function(function), request(request), diagnostics(diagnostics), names(request.library) {}

  Graph write() {
    graph = request.settings;
    graph.dims.clear();
    for (Value size : sizes)
      for (const auto &[name, symbol] : dimOf(OpFoldResult(size)).symbols())
        graph.dims.push_back(symbol);
    nameParameters();
    for (BlockArgument argument : function.getArguments().drop_front(sizes.size()))
      addInput(argument);
    for (Operation &op : function.getBody().front().without_terminator()) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && !isPartOfUsers(&op))
        addWeight(constant);
      else if (std::optional<ConvolutionForm> form = convolutionForm(&op))
        addConvolution(cast<linalg::LinalgOp>(op), *form);
      else if (std::optional<TemplateCall> call = templateCall(&op))
        addCall(&op, *call);
      else if (!isPartOfUsers(&op))
        addNode(&op);
    }
    addOutputs();
    return std::move(graph);
  }

private:
  /// Names of the C function's parameters come first: they stay whatever else is called so.
  void nameParameters() {
    for (BlockArgument argument : function.getArguments().drop_front(sizes.size())) {
      inputNames.push_back(argument.use_empty() ? "" : names.make(inputNameOf(argument), true));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto name = function.getResultAttrOfType<StringAttr>(i, parameterNameAttrName);
      outputNames.push_back(names.make(name ? name.str() : "out" + std::to_string(i), true));
    }
  }

  static TensorType typeOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    // Elements of index are between nodes only. checkFunction refuses unknown sizes.
    return {elementTypeOf(type.getElementType()).value_or(ElementType::i64), *shapeOfTensor(value)};
  }

  ValueId add(Value value, const std::string &name, ValueKind kind, WeightData data = nullptr) {
    return addValue(name, typeOf(value), kind, placeOf(value.getLoc(), request.path),
                    std::move(data));
  }

  ValueId addValue(const std::string &name, const TensorType &type, ValueKind kind,
                   const SourceLoc &where, WeightData data = nullptr) {
    GraphValue made;
    made.name = name;
    made.type = type;
    made.kind = kind;
    made.where = where;
    made.data = std::move(data);
    graph.values.push_back(std::move(made));
    return static_cast<ValueId>(graph.values.size() - 1);
  }

  void addInput(BlockArgument argument) {
    const size_t number = argument.getArgNumber() - sizes.size();
    const std::string &name = inputNames[number];
    if (name.empty()) {
      diagnostics.warning(placeOf(argument.getLoc(), request.path),
                          "nobody reads argument " + std::to_string(number) + " of '" +
                              function.getName().str() + "': the function does not take it");
      return;
    }
    ids[argument] = add(argument, name, ValueKind::input);
    graph.inputs.push_back(ids[argument]);
  }

  void addWeight(arith::ConstantOp constant) {
    auto elements = cast<ElementsAttr>(constant.getValue());
    StringRef name = nameIn(constant.getLoc());
    ArrayRef<char> raw;
    std::vector<char> bytes;
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
      name = resource.getRawHandle().getKey();
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        raw = blob->getData();
      bytes.assign(raw.begin(), raw.end());
    } else if (elements.getElementType().isInteger(1)) {
      for (bool bit : elements.getValues<bool>())
        bytes.push_back(static_cast<char>(bit));
    } else {
      raw = cast<DenseElementsAttr>(elements).getRawData();
      bytes.assign(raw.begin(), raw.end());
    }
    TensorType type = typeOf(constant);
    if (static_cast<int64_t>(bytes.size()) != type.byteCount()) {
      diagnostics.error(placeOf(constant.getLoc(), request.path),
                        "the weight '" + name.str() + "' has " + std::to_string(bytes.size()) +
                            " bytes, and its type " + type.str() + " " +
                            std::to_string(type.byteCount()));
      return;
    }
    ids[constant] =
        add(constant, names.make(name.empty() ? "weight" : name.str(), false), ValueKind::weight,
            std::make_shared<const std::vector<char>>(std::move(bytes)));
  }

  /// Collects the values of other nodes, inputs and weights that the operation reads, also within
  /// operations that have no node of their own.
  void collectInputs(Operation *op, llvm::SetVector<Value> &inputs) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        collectInputs(operand, inputs);
    });
  }
  void collectInputs(Value value, llvm::SetVector<Value> &inputs) {
    if (ids.contains(value))
      inputs.insert(value);
    else if (Operation *op = value.getDefiningOp();
             op && op->getBlock() == &function.getBody().front())
      collectInputs(op, inputs);
  }

  /// A node of one of kgen's operators.
  ValueId addOperator(const char *op, const std::string &name, std::vector<ValueId> inputs,
                      std::map<std::string, AttributeValue> attributes, const TensorType &type,
                      const SourceLoc &where) {
    Node node;
    node.op = builtInOperators().find(op);
    node.where = where;
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (const AttributeSchema &schema : node.op->attributes)
      if (schema.defaultValue)
        node.attributes.emplace(schema.name, *schema.defaultValue);
    node.name = names.make(name, false);
    node.outputs = {addValue(node.name, type, ValueKind::result, where)};
    graph.nodes.push_back(node);
    return node.outputs[0];
  }

  ValueId transposed(ValueId value, const std::string &name, const std::vector<int64_t> &order,
                     const SourceLoc &where) {
    if (order.empty())
      return value;
    TensorType type = graph.values[value].type;
    for (size_t i = 0; i < order.size(); ++i)
      type.shape.setDim(i, graph.values[value].type.shape.dim(order[i]));
    return addOperator("Transpose", name + "_transposed", {value}, {{"perm", order}}, type, where);
  }

  /// A shape as an operand of nodes.
  ValueId addShape(const std::string &name, const TensorShape &shape, const SourceLoc &where) {
    TensorType type{ElementType::i64, {static_cast<int64_t>(shape.size())}};
    if (!shape.isStatic()) {
      ValueId sizes = addValue(name, type, ValueKind::sizes, where);
      graph.values[sizes].sizes = shape.dims();
      return sizes;
    }
    std::vector<char> bytes(shape.size() * sizeof(int64_t));
    std::memcpy(bytes.data(), shape.data(), bytes.size());
    return addValue(name, type, ValueKind::weight, where,
                    std::make_shared<const std::vector<char>>(std::move(bytes)));
  }

  ValueId reshaped(ValueId value, const std::string &name, const TensorShape &shape,
                   const SourceLoc &where) {
    if (graph.values[value].type.shape == shape)
      return value;
    ValueId sizes = addShape(names.make(name + "_shape", false), shape, where);
    TensorType type{graph.values[value].type.element, shape};
    return addOperator("Reshape", name + "_reshaped", {value, sizes}, {}, type, where);
  }

  void addConvolution(linalg::LinalgOp op, const ConvolutionForm &form) {
    SourceLoc where = placeOf(op.getLoc(), request.path);
    StringRef said = nameIn(op.getLoc());
    std::string name = said.empty() ? "conv" : said.str();
    ValueId image = transposed(valueOf(op->getOperand(0)), name, form.image, where);
    ValueId filter = transposed(valueOf(op->getOperand(1)), name, form.filter, where);
    if (!form.filterShape.empty())
      filter = reshaped(filter, name, form.filterShape, where);
    TensorType type = typeOf(op->getResult(0)), last = type;
    if (last.shape.size() == 5) { // channels and what each of them becomes
      last.shape[3] *= last.shape[4];
      last.shape.pop_back();
    }
    TensorType inner = last;
    for (size_t i = 0; i < form.result.size(); ++i)
      inner.shape.setDim(form.result[i], last.shape.dim(i));
    ValueId sum = addOperator(
        "Conv", name, {image, filter},
        {{"strides", form.strides}, {"dilations", form.dilations}, {"group", form.group}}, inner,
        where);
    sum = reshaped(transposed(sum, name, form.result, where), name, type.shape, where);
    if (!form.startsFromZero)
      sum = addOperator("Add", name + "_sum", {sum, valueOf(op.getDpsInits()[0])}, {}, type, where);
    ids[op->getResult(0)] = sum;
  }

  /// A value that nodes can read: what has no node of its own gets one.
  ValueId valueOf(Value value) {
    auto known = ids.find(value);
    if (known != ids.end())
      return known->second;
    Operation *op = value.getDefiningOp();
    addNode(op);
    return ids.lookup(value);
  }

  void addNode(Operation *op) {
    llvm::SetVector<Value> inputs;
    collectInputs(op, inputs);
    std::string operation = op->getName().getStringRef().str();
    StringRef said = nameIn(op->getLoc());
    addNode(codeOperator(op), said.empty() ? operation : said.str(), op->getResults(), inputs,
            nodeCode(op, {}, inputs.getArrayRef()), placeOf(op->getLoc(), request.path));
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      ids[result] = graph.nodes.back().outputs[i];
  }

  void addNode(const Operator *operation, const std::string &name, ValueRange results,
               const llvm::SetVector<Value> &inputs, std::string code, const SourceLoc &where) {
    Node node;
    node.op = operation;
    node.where = where;
    node.attributes["code"] = std::move(code);
    for (Value input : inputs)
      node.inputs.push_back(ids.lookup(input));
    node.name = names.make(name, false);
    for (Value result : results) {
      std::string own = node.outputs.empty() ? node.name : names.make(name, false);
      node.outputs.push_back(add(result, own, ValueKind::result));
    }
    graph.nodes.push_back(std::move(node));
  }

  /// Returns what `<...>` of a call says, as an attribute of a node.
  static AttributeValue parameterValue(StringRef text) {
    if (text == "true" || text == "false")
      return int64_t(text == "true");
    return text.size() > 1 && text.front() == '"' ? text.drop_front().drop_back().str()
                                                  : text.str();
  }

  /// A node that is an instance of the template.
  void addCall(Operation *op, const TemplateCall &call) {
    Node node;
    std::string callee = call.callee.str();
    node.op = request.templates ? request.templates->find(callee) : nullptr;
    node.where = placeOf(op->getLoc(), request.path);
    if (!node.op) {
      std::vector<std::string> known =
          request.templates ? request.templates->names() : std::vector<std::string>();
      diagnostics.error(node.where, "there is no template @" + callee + didYouMean(callee, known));
      return;
    }
    if (call.parameters)
      for (NamedAttribute parameter : call.parameters)
        node.attributes[parameter.getName().str()] =
            parameterValue(cast<StringAttr>(parameter.getValue()).getValue());
    for (Value operand : op->getOperands())
      node.inputs.push_back(valueOf(operand));
    StringRef said = nameIn(op->getLoc());
    node.name = names.make(said.empty() ? callee : said.str(), false);
    for (Value result : op->getResults()) {
      std::string own = node.outputs.empty() ? node.name : names.make(node.name, false);
      ids[result] = add(result, own, ValueKind::result);
      node.outputs.push_back(ids[result]);
    }
    checkTypes(node);
    graph.nodes.push_back(std::move(node));
  }

  /// The call says what the template gives.
  void checkTypes(const Node &node) {
    InferenceContext context(graph, node, diagnostics);
    size_t before = diagnostics.errors().size();
    std::vector<TensorType> types = node.op->infer(context);
    if (diagnostics.errors().size() > before)
      return;
    std::string given, wanted;
    for (const TensorType &type : types)
      given += (given.empty() ? "" : ", ") + type.str();
    for (ValueId id : node.outputs)
      wanted += (wanted.empty() ? "" : ", ") + graph.values[id].type.str();
    if (given != wanted)
      diagnostics.error(node.where,
                        "@" + node.op->name + " gives (" + given + "), not (" + wanted + ")");
  }

  /// A result that is no node's, or several results' at once, is a node of its own.
  void addOutputs() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      auto known = ids.find(value);
      bool isOwn = known != ids.end() && graph.values[known->second].kind == ValueKind::result &&
                   !llvm::is_contained(graph.outputs, known->second);
      ValueId id = isOwn ? known->second : noValue;
      if (!isOwn) {
        llvm::SetVector<Value> inputs;
        collectInputs(value, inputs);
        addNode(codeOperator(nullptr), outputNames[i], value, inputs,
                nodeCode(nullptr, value, inputs.getArrayRef()),
                placeOf(terminator->getLoc(), request.path));
        id = graph.nodes.back().outputs[0];
      }
      graph.values[id].name = outputNames[i];
      graph.outputs.push_back(id);
    }
  }

  func::FuncOp function;
  const MlirRequest &request;
  Diagnostics &diagnostics;
  UniqueNames names;
  Graph graph;
  const SmallVector<Value> sizes = sizeArguments(function); ///< in front of other arguments
  std::vector<std::string> inputNames, outputNames;         ///< of parameters; empty: left out
  llvm::DenseMap<Value, ValueId> ids;
};

} // namespace

Graph buildNodes(func::FuncOp function, const MlirRequest &request, Diagnostics &diagnostics) {
  return GraphWriter(function, request, diagnostics).write();
}

} // namespace kgen
