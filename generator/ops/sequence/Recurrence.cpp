// Recurrent layers: LSTM, GRU and RNN, in one direction or both.
#include "ops/sequence/Recurrence.h"

#include "ops/TypeRules.h"
#include "ops/sequence/GateActivation.h"

using namespace mlir;

namespace kgen {

const CellTraits &traitsOf(Cell cell) {
  static const CellTraits lstm{4, {"Sigmoid", "Tanh", "Tanh"}, true},
      gru{3, {"Sigmoid", "Tanh"}, false}, rnn{1, {"Tanh"}, false};
  return cell == Cell::lstm ? lstm : cell == Cell::gru ? gru : rnn;
}

RecurrenceSizes::RecurrenceSizes(const InferenceContext &c, Cell cell)
    : gates(traitsOf(cell).gates) {
  const TensorShape &x = c.input(recurrent::sequence).shape;
  batchFirst = c.integer("layout") == 1;
  steps = x.dim(batchFirst);
  batch = x.dim(!batchFirst);
  inputs = x[2];
  hidden = c.input(recurrent::recurrence).shape.back();
  directions = c.string("direction") == "bidirectional" ? 2 : 1;
}

namespace {

bool checkShape(const InferenceContext &context, size_t i, const char *what,
                const TensorShape &shape) {
  if (!context.hasInput(i) || context.input(i).shape == shape)
    return true;
  ElementType element = context.input(i).element;
  context.error(std::string("expected ") + TensorType{element, shape}.str() + " for " + what +
                ", found " + context.input(i).str());
  return false;
}

/// Reports values of attributes that are not ONNX's.
bool checkCellAttributes(const InferenceContext &context) {
  auto fail = [&](const std::string &message) {
    context.error(message);
    return false;
  };
  const std::string &direction = context.string("direction");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return fail("direction must be forward, reverse or bidirectional, not '" + direction + "'");
  for (const char *flag : {"layout", "linear_before_reset", "input_forget"})
    if (context.hasAttribute(flag) && context.integer(flag) != 0 && context.integer(flag) != 1)
      return fail(std::string(flag) + " must be 0 or 1, not " +
                  std::to_string(context.integer(flag)));
  if (context.hasAttribute("clip") && !(context.real("clip") > 0))
    return fail("clip must be positive");
  return true;
}

/// True if the element types of all inputs are that of the first, but for the lengths.
bool checkTypes(const InferenceContext &context) {
  static constexpr const char *names[] = {"X",         "W",         "R", "B", "sequence_lens",
                                          "initial_h", "initial_c", "P"};
  const TensorType &x = context.input(recurrent::sequence);
  for (size_t i = 1; i < context.inputCount(); ++i)
    if (context.hasInput(i) &&
        !checkInputType(context, i, names[i],
                        {i == recurrent::lengths ? ElementType::i32 : x.element}))
      return false;
  return true;
}

std::vector<TensorType> inferRecurrence(InferenceContext &context, Cell cell) {
  if (!checkTypes(context) || !checkCellAttributes(context))
    return {};
  const TensorType &x = context.input(recurrent::sequence);
  auto fail = [&](const std::string &message) {
    context.error(message);
    return std::vector<TensorType>();
  };
  if (x.shape.size() != 3)
    return fail("the input must be [time, batch, features], or [batch, time, features] with "
                "layout 1; it is " +
                x.str());
  const std::vector<int64_t> &r = context.input(recurrent::recurrence).shape;
  if (r.size() != 3 || r.back() < 1)
    return fail("R must be [directions, gates * hidden, hidden], it is " +
                context.input(recurrent::recurrence).str());
  RecurrenceSizes s(context, cell);
  if (context.hasAttribute("hidden_size") && context.integer("hidden_size") != s.hidden)
    return fail("hidden_size is " + std::to_string(context.integer("hidden_size")) + ", but R is " +
                context.input(recurrent::recurrence).str());
  if (!checkShape(context, recurrent::weights, "W", {s.directions, s.columns(), s.inputs}) ||
      !checkShape(context, recurrent::recurrence, "R", {s.directions, s.columns(), s.hidden}) ||
      !checkShape(context, recurrent::bias, "B", {s.directions, 2 * s.columns()}) ||
      !checkShape(context, recurrent::lengths, "sequence_lens", std::vector<Dim>{s.batch}) ||
      !checkShape(context, recurrent::initialH, "initial_h", s.state()) ||
      !checkShape(context, recurrent::initialC, "initial_c", s.state()) ||
      !checkShape(context, recurrent::peepholes, "P", {s.directions, 3 * s.hidden}) ||
      !gateActivations(context, traitsOf(cell).activations, s.directions))
    return {};
  auto type = [&](const TensorShape &shape) { return TensorType{x.element, shape}; };
  std::vector<TensorType> results{type(s.results()), type(s.state())};
  if (traitsOf(cell).hasCellState)
    results.push_back(type(s.state()));
  return results;
}

SymbolicDims stepsAndBatch() {
  return {"the number of steps, and of sequences; with layout 1 of sequences",
          [](const InferenceContext &context, size_t input, size_t d) -> std::string {
            const bool batchFirst = context.integer("layout") == 1;
            const bool isState = input == recurrent::initialH || input == recurrent::initialC;
            if (input == recurrent::lengths || (isState && d == (batchFirst ? 0 : 1)))
              return "";
            // Rows of a product are a number of elements apart that is known at build time.
            if (input == recurrent::sequence && d == 1 && batchFirst)
              return "with layout 1, the number of steps is a number";
            return input == recurrent::sequence && d < 2
                       ? ""
                       : "features and states have numbers of elements";
          }};
}

Operator recurrentOperator(Cell cell, std::string name, std::string summary, size_t maxInputs) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.minInputs = 3;
  op.maxInputs = maxInputs;
  op.outputs = op.optionalOutputs = traitsOf(cell).hasCellState ? 3 : 2;
  op.factors = 3;
  op.types = floatTypes();
  op.attributes = gateActivationAttributes();
  op.attributes.push_back(optionalAttribute(
      "clip", AttributeKind::real, "arguments of activations are limited to [-clip, clip]"));
  op.attributes.push_back({"direction", AttributeKind::string, std::string("forward"), false,
                           "forward, reverse or bidirectional"});
  op.attributes.push_back(optionalAttribute("hidden_size", AttributeKind::integer,
                                            "elements of the state; R says the same"));
  op.attributes.push_back({"layout", AttributeKind::integer, int64_t(0), false,
                           "1: the batch comes first, before time and directions"});
  op.symbolicDims = stepsAndBatch();
  op.infer = [cell](InferenceContext &context) { return inferRecurrence(context, cell); };
  op.lower = [cell](LoweringContext &c) { lowerRecurrence(c, cell); };
  return op;
}

} // namespace

std::vector<Operator> recurrenceOperators() {
  Operator lstm = recurrentOperator(Cell::lstm, "LSTM",
                                    "long short-term memory: all h, the last h and the last c",
                                    recurrent::peepholes + 1);
  lstm.attributes.push_back({"input_forget", AttributeKind::integer, int64_t(0), false,
                             "1: the forget gate is 1 less the input gate"});
  Operator gru = recurrentOperator(Cell::gru, "GRU", "gated recurrent unit: all h and the last h",
                                   recurrent::initialH + 1);
  gru.attributes.push_back({"linear_before_reset", AttributeKind::integer, int64_t(0), false,
                            "1: the reset gate multiplies the product of h, not h"});
  Operator rnn = recurrentOperator(Cell::rnn, "RNN", "f(x W' + h R' + bias): all h and the last h",
                                   recurrent::initialH + 1);
  return {lstm, gru, rnn};
}

} // namespace kgen
