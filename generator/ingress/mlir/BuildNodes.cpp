#include "ingress/mlir/ImportParts.h"

#include "graph/Operator.h"
#include "spec/Names.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <llvm/ADT/MapVector.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr StringLiteral parameterNameAttrName = "kgen.name";

/// The name that a location says; "" if it says none.
StringRef nameIn(mlir::Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

class GraphWriter {
public:
  GraphWriter(func::FuncOp function, const MlirRequest &request, Diagnostics &diagnostics)
      : function(function), request(request), diagnostics(diagnostics), names(request.library) {}

  Graph write() {
    graph = request.settings;
    nameParameters();
    for (BlockArgument argument : function.getArguments())
      addInput(argument);
    for (Operation &op : function.getBody().front().without_terminator()) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && !isPartOfUsers(&op))
        addWeight(constant);
      else if (!isPartOfUsers(&op))
        addNode(&op);
    }
    addOutputs();
    return std::move(graph);
  }

private:
  /// Names of the C function's parameters come first: they stay whatever else is called so.
  void nameParameters() {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto name = function.getArgAttrOfType<StringAttr>(i, parameterNameAttrName);
      inputNames.push_back(function.getArgument(i).use_empty()
                               ? ""
                               : names.make(name ? name.str() : "arg" + std::to_string(i), true));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto name = function.getResultAttrOfType<StringAttr>(i, parameterNameAttrName);
      outputNames.push_back(names.make(name ? name.str() : "out" + std::to_string(i), true));
    }
  }

  static TensorType typeOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    // Elements of index are between nodes only.
    return {elementTypeOf(type.getElementType()).value_or(ElementType::i64),
            std::vector<int64_t>(type.getShape())};
  }

  ValueId add(Value value, const std::string &name, ValueKind kind, WeightData data = nullptr) {
    GraphValue made;
    made.name = name;
    made.type = typeOf(value);
    made.kind = kind;
    made.where = placeOf(value.getLoc(), request.path);
    made.data = std::move(data);
    graph.values.push_back(std::move(made));
    return static_cast<ValueId>(graph.values.size() - 1);
  }

  void addInput(BlockArgument argument) {
    const std::string &name = inputNames[argument.getArgNumber()];
    if (name.empty()) {
      diagnostics.warning(placeOf(argument.getLoc(), request.path),
                          "nobody reads argument " + std::to_string(argument.getArgNumber()) +
                              " of '" + function.getName().str() +
                              "': the function does not take it");
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
    ids[constant] = add(constant, names.make(name.empty() ? "weight" : name.str(), false),
                        ValueKind::weight,
                        std::make_shared<const std::vector<char>>(std::move(bytes)));
  }

  /// What of other nodes, inputs and weights the operation reads, also within what has no node of
  /// its own.
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

  void addNode(Operation *op) {
    llvm::SetVector<Value> inputs;
    collectInputs(op, inputs);
    std::string operation = op->getName().getStringRef().str();
    StringRef said = nameIn(op->getLoc());
    addNode(operation, said.empty() ? operation : said.str(), op->getResults(), inputs,
            nodeCode(op, {}, inputs.getArrayRef()), placeOf(op->getLoc(), request.path));
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      ids[result] = graph.nodes.back().outputs[i];
  }

  void addNode(const std::string &operation, const std::string &name, ValueRange results,
               const llvm::SetVector<Value> &inputs, std::string code, const kgen::Location &where) {
    Node node;
    node.op = codeOperator(operation);
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

  /// A result that is no node's, or several results' at once, is a node of its own.
  void addOutputs() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      auto known = ids.find(value);
      bool isOwn = known != ids.end() &&
                   graph.values[known->second].kind == ValueKind::result &&
                   !llvm::is_contained(graph.outputs, known->second);
      ValueId id = isOwn ? known->second : noValue;
      if (!isOwn) {
        llvm::SetVector<Value> inputs;
        collectInputs(value, inputs);
        addNode("func.return", outputNames[i], value, inputs,
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
  std::vector<std::string> inputNames, outputNames; ///< of parameters; empty: left out
  llvm::DenseMap<Value, ValueId> ids;
};

} // namespace

Graph buildNodes(func::FuncOp function, const MlirRequest &request, Diagnostics &diagnostics) {
  return GraphWriter(function, request, diagnostics).write();
}

} // namespace kgen
