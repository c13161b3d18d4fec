#include "ingress/Ingress.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"
#include "dialect/kgen/Size.h"
#include "dialect/kgen/State.h"
#include "ops/Lowering.h"
#include "ops/product/DequantizedProduct.h"
#include "support/WorkTrace.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/Verifier.h>

using namespace mlir;

namespace kgen {
namespace {

class Builder {
public:
  Builder(const Graph &graph, MLIRContext &context, Diagnostics &diagnostics)
      : graph(graph), diagnostics(diagnostics), b(&context), values(graph.values.size()),
        channelsLast(graph.values.size()), producers(producersOf(graph)) {}

  OwningOpRef<ModuleOp> build(Attribute target, const std::string &functionName);

private:
  Location locationOf(const std::string &name) { return NameLoc::get(b.getStringAttr(name)); }
  func::FuncOp makeFunction(const std::string &name);
  void setSizes(func::FuncOp function);
  Value outputArgument(func::FuncOp function, size_t output) {
    return function.getArgument(graph.dims.size() + graph.inputs.size() + output);
  }
  void findStates();
  void readInputs(func::FuncOp function);
  Value weight(const GraphValue &value);
  Value valueOf(ValueId id);
  Value plainValue(ValueId id);
  Value channelsLastValue(ValueId id);
  Value channelsLastOperand(ValueId id, int64_t rank);
  Value operandOf(const Node &node, size_t i, Layout own, Layout wanted);
  Layout layoutOf(const Node &node);
  bool lowerNode(const Node &written);
  void writeOutputs(func::FuncOp function);
  void writeStates(func::FuncOp function, ArrayRef<Value> results);

  const Graph &graph;
  Diagnostics &diagnostics;
  OpBuilder b;
  std::vector<Value> values;       ///< by ValueId; weights are made when first used
  std::vector<Value> channelsLast; ///< the same with the channels last, where they are wanted so
  NarrowFactors narrowFactors;
  Producers producers;
  /// States that are updated where they lie: the output of an input, and the input of an output.
  std::map<size_t, size_t> outputOfState, stateOfOutput;
};

void Builder::findStates() {
  for (const GraphState &state : graph.states)
    if (isUpdatedInPlace(graph, state)) {
      outputOfState[*state.input] = *state.output;
      stateOfOutput[*state.output] = *state.input;
    }
}

/// Sets the attributes of arguments: bounds of sizes, and shapes that sizes make.
void Builder::setSizes(func::FuncOp function) {
  for (auto [i, symbol] : llvm::enumerate(graph.dims))
    function.setArgAttr(
        i, sizeAttrName,
        SizeAttr::get(b.getContext(), symbol->name, symbol->min, symbol->max, symbol->multiple));
  unsigned argument = graph.dims.size();
  for (const std::vector<ValueId> *group : {&graph.inputs, &graph.outputs})
    for (ValueId id : *group) {
      const TensorShape &shape = graph.values[id].type.shape;
      if (!shape.isStatic() && !shape.isEmptyTensor())
        function.setArgAttr(argument, shapeAttrName,
                            AffineMapAttr::get(shapeMap(shape, graph.dims, b.getContext())));
      ++argument;
    }
}

func::FuncOp Builder::makeFunction(const std::string &name) {
  SmallVector<Type> arguments(graph.dims.size(), b.getIndexType());
  for (const std::vector<ValueId> *group : {&graph.inputs, &graph.outputs})
    for (ValueId id : *group) {
      const TensorType &tensor = graph.values[id].type;
      RankedTensorType type = toMlir(tensor, b.getContext());
      // A zero among the dimensions makes zero strides, which cannot be passed as a bare pointer.
      SmallVector<int64_t> shape(type.getShape());
      if (tensor.shape.isEmptyTensor())
        shape.assign(1, 0);
      arguments.push_back(MemRefType::get(shape, type.getElementType()));
    }
  auto function =
      func::FuncOp::create(b, locationOf(graph.name), name, b.getFunctionType(arguments, {}));
  if (graph.accumulate == ElementType::f16)
    function->setAttr(f16AccumulateAttrName, b.getUnitAttr());
  if (graph.winograd != 0)
    function->setAttr(winogradAttrName, b.getI64IntegerAttr(graph.winograd));
  for (size_t i = graph.dims.size(); i < arguments.size(); ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    if (i < graph.dims.size() + graph.inputs.size())
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
  for (auto [output, input] : stateOfOutput)
    function.setArgAttr(graph.dims.size() + graph.inputs.size() + output, stateAttrName,
                        b.getUnitAttr());
  setSizes(function);
  return function;
}

void Builder::readInputs(func::FuncOp function) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const GraphValue &input = graph.values[graph.inputs[i]];
    if (input.type.shape.isEmptyTensor())
      continue; // valueOf makes it where it is used
    auto state = outputOfState.find(i);
    const bool isState = state != outputOfState.end();
    values[graph.inputs[i]] = bufferization::ToTensorOp::create(
        b, locationOf(input.name), toMlir(input.type, b.getContext()),
        isState ? outputArgument(function, state->second)
                : function.getArgument(graph.dims.size() + i),
        /*restrict=*/true, /*writable=*/isState);
  }
}

Value Builder::weight(const GraphValue &value) {
  return denseConstant(b, locationOf(value.name), toMlir(value.type, b.getContext()), value.name,
                       value.data);
}

Value Builder::valueOf(ValueId id) {
  const GraphValue &value = graph.values[id];
  if (!values[id] && value.type.shape.isEmptyTensor())
    values[id] = emptyTensor(b, locationOf(value.name), value.type.shape,
                             toMlir(value.type.element, b.getContext()));
  else if (!values[id] && value.kind == ValueKind::weight)
    values[id] = weight(value);
  else if (!values[id] && value.kind == ValueKind::sizes)
    values[id] =
        tensorOfSizes(b, locationOf(value.name), value.sizes, toMlir(value.type, b.getContext()));
  return values[id];
}

/// The value as the graph says, of one that may have been made with the channels last only.
Value Builder::plainValue(ValueId id) {
  if (Value last = channelsLast[id]; last && !values[id]) {
    int64_t rank = cast<RankedTensorType>(last.getType()).getRank();
    values[id] = transposed(b, locationOf(graph.values[id].name), last,
                            invertPermutationVector(channelsLastOrder(rank)));
  }
  return valueOf(id);
}

Value Builder::channelsLastValue(ValueId id) {
  if (!channelsLast[id]) {
    Value plain = valueOf(id);
    int64_t rank = cast<RankedTensorType>(plain.getType()).getRank();
    channelsLast[id] =
        transposed(b, locationOf(graph.values[id].name), plain, channelsLastOrder(rank));
  }
  return channelsLast[id];
}

/// An operand that broadcasts to an image of `rank` dimensions.
Value Builder::channelsLastOperand(ValueId id, int64_t rank) {
  const TensorType &type = graph.values[id].type;
  if (static_cast<int64_t>(type.shape.size()) == rank)
    return channelsLastValue(id);
  if (type.shape.empty())
    return plainValue(id);
  TensorShape shape(std::vector<int64_t>(rank - type.shape.size(), 1));
  for (const Dim &dim : type.shape.dims())
    shape.push_back(dim);
  Location loc = locationOf(graph.values[id].name);
  return transposed(b, loc, withShape(b, loc, plainValue(id), shape), channelsLastOrder(rank));
}

/// Input i of a node that is lowered in layout `own`.
Value Builder::operandOf(const Node &node, size_t i, Layout own, Layout wanted) {
  ValueId id = i < node.inputs.size() ? node.inputs[i] : noValue;
  // Operators make constants of their own of weights that are quantized.
  if (id == noValue || graph.values[id].quantize)
    return {};
  if (own == Layout::channelsLast)
    return channelsLastOperand(id, graph.values[node.firstOutput()].type.shape.size());
  return wanted == Layout::plain ? plainValue(id) : channelsLastValue(id);
}

/// Some operators work on images as they find them.
Layout Builder::layoutOf(const Node &node) {
  size_t rank = graph.values[node.firstOutput()].type.shape.size();
  bool hasImage = llvm::any_of(node.inputs, [&](ValueId id) {
    return id != noValue && channelsLast[id] && graph.values[id].type.shape.size() == rank;
  });
  return (node.op->elementwise || node.op->keepsLayout) && hasImage ? Layout::channelsLast
                                                                    : Layout::plain;
}

bool Builder::lowerNode(const Node &written) {
  NodeTrace trace(written.op->name, written.name, written.where);
  std::optional<Node> ofBytes = withBytes(graph, producers, written);
  const Node &node = ofBytes ? *ofBytes : written;
  auto isEmpty = [&](ValueId id) {
    return id == noValue || graph.values[id].type.shape.isEmptyTensor();
  };
  if (llvm::all_of(node.outputs, isEmpty))
    return true; // valueOf makes them where they are used
  Layout layout = layoutOf(node);
  LoweringContext context(
      graph, node, diagnostics, b, locationOf(node.name),
      [&, layout](size_t i, Layout wanted) { return operandOf(node, i, layout, wanted); },
      narrowFactors, layout);
  node.op->lower(context);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == noValue)
      continue;
    const LoweringContext::Result &result = context.results()[i];
    if (!result.value) {
      if (!diagnostics.hasErrors()) // else it was said why
        context.error("internal error: " + node.op->name + " was lowered without a result");
      return false;
    }
    (result.layout == Layout::plain ? values : channelsLast)[node.outputs[i]] = result.value;
  }
  return true;
}

/// Puts a tensor that is assembled in memory of its own into the caller's, if nobody else reads it.
bool assembleInto(Value argument, Value tensor) {
  auto whole = tensor.getDefiningOp<bufferization::ToTensorOp>();
  auto memory = whole ? whole.getBuffer().getDefiningOp<memref::AllocOp>() : nullptr;
  if (!memory || !whole->use_empty())
    return false;
  whole.erase();
  memory.replaceAllUsesWith(argument);
  memory.erase();
  return true;
}

void Builder::writeOutputs(func::FuncOp function) {
  SmallVector<Value> results;
  for (ValueId output : graph.outputs)
    results.push_back(plainValue(output));
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const GraphValue &output = graph.values[graph.outputs[i]];
    if (output.type.shape.isEmptyTensor() || stateOfOutput.count(i))
      continue;
    Value argument = outputArgument(function, i);
    if (llvm::count(results, results[i]) == 1 && assembleInto(argument, results[i]))
      continue;
    auto op = bufferization::MaterializeInDestinationOp::create(b, locationOf(output.name),
                                                                results[i], argument);
    op.setRestrict(true);
    op.setWritable(true);
  }
  writeStates(function, results);
  func::ReturnOp::create(b, function.getLoc());
}

/// New values of states come last, when all else has read the old ones: first all as tensors, which
/// the analysis of bufferization compares with those that are read, then in memory, where they are
/// already, or are copied to. It does not see these copies: not even a state reads another one
/// between them.
void Builder::writeStates(func::FuncOp function, ArrayRef<Value> results) {
  SmallVector<Value> written;
  for (auto [output, input] : stateOfOutput) {
    Value state = values[graph.inputs[input]];
    Location loc = locationOf(graph.values[graph.outputs[output]].name);
    written.push_back(bufferization::MaterializeInDestinationOp::create(b, loc, state.getType(),
                                                                        results[output], state)
                          .getResult());
  }
  for (auto [value, state] : llvm::zip(written, stateOfOutput)) {
    Location loc = locationOf(graph.values[graph.outputs[state.first]].name);
    bufferization::MaterializeInDestinationOp::create(b, loc, value,
                                                      outputArgument(function, state.first))
        .setWritable(true);
  }
}

/// True if all floats that the graph is given are of bf16. Arithmetic makes no NaN with more digits
/// of them.
bool hasNarrowNans(const Graph &graph) {
  return llvm::all_of(graph.values, [](const GraphValue &value) {
    bool isGiven = value.kind == ValueKind::input || value.kind == ValueKind::weight;
    return !isGiven || value.type.element == ElementType::bf16 ||
           (!isFloat(value.type.element) && !value.quantize);
  });
}

OwningOpRef<ModuleOp> Builder::build(Attribute target, const std::string &functionName) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(locationOf(graph.name));
  if (target)
    (*module)->setAttr(targetAttrName, target);
  if (hasNarrowNans(graph))
    (*module)->setAttr(canonicalNansAttrName, b.getUnitAttr());
  b.setInsertionPointToEnd(module->getBody());
  findStates();
  func::FuncOp function = makeFunction(functionName);
  b.setInsertionPointToEnd(function.addEntryBlock());
  readInputs(function);
  for (const Node &node : graph.nodes)
    if (!lowerNode(node))
      return {};
  writeOutputs(function);
  // Fusion keeps a producer's arguments: they say whose work a body is, not whose results it reads.
  function.walk([](linalg::LinalgOp op) {
    for (BlockArgument argument : op.getBlock()->getArguments())
      argument.setLoc(op.getLoc());
  });
  if (failed(verify(*module))) {
    diagnostics.error(graph.nodes.empty() ? SourceLoc() : graph.nodes.front().where,
                      "internal error: the MLIR of graph '" + graph.name + "' is invalid");
    return {};
  }
  return module;
}

} // namespace

OwningOpRef<ModuleOp> ingress(const Graph &graph, Attribute target, MLIRContext &context,
                              const std::string &functionName, Diagnostics &diagnostics) {
  context.loadDialect<KgenDialect, affine::AffineDialect, arith::ArithDialect,
                      bufferization::BufferizationDialect, func::FuncDialect, linalg::LinalgDialect,
                      LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                      tensor::TensorDialect>();
  return Builder(graph, context, diagnostics).build(target, functionName);
}

} // namespace kgen
