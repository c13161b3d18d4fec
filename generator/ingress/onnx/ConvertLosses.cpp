// Losses: what a model computes of scores and labels.
#include "ingress/onnx/Converters.h"

namespace kgen::onnx {
namespace {

/// The sum, the mean by weight, or the losses themselves.
ValueId reduced(NodeImport &node, ValueId loss, ValueId weights) {
  std::string reduction = node.string("reduction", "mean");
  Attributes scalar{{"keepdims", int64_t(0)}};
  if (reduction == "none")
    return loss;
  if (reduction == "sum")
    return node.add("ReduceSum", {loss}, scalar);
  if (weights == noValue)
    return node.add("ReduceMean", {loss}, scalar);
  return node.add(
      "Div", {node.add("ReduceSum", {loss}, scalar), node.add("ReduceSum", {weights}, scalar)});
}

/// -w[t] * x[n, t, ...] of `logits` x, inputs 1 (targets t) and 2 (weights w of classes); a target
/// that is to be ignored has the weight 0.
ValueId negativeLogLikelihood(NodeImport &node, ValueId logits) {
  ElementType element = node.type(logits).element;
  ValueId target = node.input(1), zero = node.numberConstant(0, element), ignored = noValue;
  if (node.has("ignore_index")) {
    ElementType index = node.type(target).element;
    ValueId number = node.wholeConstant(node.integer("ignore_index", 0), index);
    ignored = node.add("Equal", {target, number});
    target = node.add("Where", {ignored, node.numberConstant(0, index), target});
  }
  ValueId axis = node.integerConstant({1});
  ValueId picked = node.add("GatherElements", {logits, node.add("Unsqueeze", {target, axis})},
                            {{"axis", int64_t(1)}});
  ValueId loss = node.add("Neg", {node.add("Squeeze", {picked, axis})}), weights = noValue;
  if (node.hasInput(2))
    weights = node.add("Gather", {node.input(2), target}, {{"axis", int64_t(0)}});
  else if (ignored != noValue)
    weights = node.add("Expand", {node.numberConstant(1, element), node.shapeConstant(target)});
  if (ignored != noValue)
    weights = node.add("Where", {ignored, zero, weights});
  if (weights != noValue)
    loss = node.add("Mul", {loss, weights});
  if (ignored != noValue) // also where a score is infinite
    loss = node.add("Where", {ignored, zero, loss});
  return reduced(node, loss, weights);
}

bool hasClasses(NodeImport &node) {
  if (node.rank(node.input(0)) >= 2)
    return true;
  node.refuse("its scores have no dimension for classes");
  return false;
}

void convertNegativeLogLikelihoodLoss(NodeImport &node) {
  if (hasClasses(node))
    node.result(0, negativeLogLikelihood(node, node.input(0)));
}

void convertSoftmaxCrossEntropyLoss(NodeImport &node) {
  if (!hasClasses(node))
    return;
  ValueId logits = node.add("LogSoftmax", {node.input(0)}, {{"axis", int64_t(1)}});
  node.result(0, negativeLogLikelihood(node, logits));
  node.result(1, logits);
}

} // namespace

void addLossConverters(ConverterTable &table) {
  table["NegativeLogLikelihoodLoss"] = convertNegativeLogLikelihoodLoss;
  table["SoftmaxCrossEntropyLoss"] = convertSoftmaxCrossEntropyLoss;
}

} // namespace kgen::onnx
