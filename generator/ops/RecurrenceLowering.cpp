// What the inputs of all time steps contribute to the gates is one product of matrices. A loop over
// time then adds what the state contributes, one more product, and computes the next state. The
// state is carried from step to step in the same memory.
#include "ops/RecurrenceLowering.h"

#include "ops/MatMulLowering.h"
#include "ops/StridedSlice.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

using namespace recurrent;

using Shape = SmallVector<int64_t>;
using Offsets = SmallVector<OpFoldResult>;

Recurrence::Recurrence(LoweringContext &c, Cell cell)
    : c(c), s(c, cell), cell(cell), element(toMlir(c.input(sequence).element, c.b.getContext())),
      accumulator(accumulatorType(c.input(sequence).element, c.b.getContext())),
      activations(*gateActivations(c, traitsOf(cell).activations, s.directions)) {
  if (c.hasAttribute("clip"))
    clip = c.real("clip");
}

/// Wb + Rb as [directions * gates * hidden]; without Rb where a GRU adds it before the reset.
Value Recurrence::inputBias() {
  int64_t n = s.columns();
  Shape flat{s.directions * n};
  SmallVector<Value> parts;
  for (int64_t i = 0; i < (isLinearBeforeReset() ? 1 : 2); ++i)
    parts.push_back(
        c.reshape(extractSlice(c.b, c.loc, c.operand(bias), {0, i * n}, {s.directions, n}), flat));
  if (parts.size() == 1)
    return parts[0];
  return sum(parts[0], parts[1]);
}

Value Recurrence::inputProducts() {
  int64_t rows = s.steps * s.batch, columns = s.directions * s.columns();
  ElementType type = c.input(sequence).element;
  Factor x{c.reshape(c.operand(sequence), {rows, s.inputs}), type, {0, 2}},
      w{c.reshape(c.operand(weights), {columns, s.inputs}), type, {1, 2}};
  Value result = contract(c, {rows, columns}, x, w, s.inputs);
  if (c.hasInput(bias))
    result = sum(result, inputBias());
  return c.reshape(result, s.batchFirst ? Shape{s.batch, s.steps, columns}
                                        : Shape{s.steps, s.batch, columns});
}

/// 1 where time < length.
Value Recurrence::activeSteps() {
  auto type = RankedTensorType::get({s.steps, s.batch}, c.b.getI8Type());
  auto body = [](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
    Value time = linalg::IndexOp::create(b, loc, 0);
    time = arith::IndexCastOp::create(b, loc, v[0].getType(), time);
    Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, time, v[0]);
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), counts);
  };
  return c.elementwise(type, c.operand(lengths), body);
}

Value Recurrence::initial(Input which, int64_t direction, Type type) {
  Shape shape{s.batch, s.hidden};
  if (!c.hasInput(which))
    return c.filled(RankedTensorType::get(shape, type), 0.0);
  Offsets offsets = indices(c.b, {0, 0, 0});
  offsets[s.batchFirst] = c.b.getIndexAttr(direction);
  Shape sizes = s.state();
  sizes[s.batchFirst] = 1;
  return c.rounded(extractSlice(c.b, c.loc, c.operand(which), offsets, sizes, shape), type);
}

Value Recurrence::recurrentWeights(int64_t direction, int64_t firstGate, int64_t gates) {
  Shape shape{gates * s.hidden, s.hidden};
  Offsets offsets = indices(c.b, {direction, firstGate * s.hidden, 0});
  return c.factor(
      extractSlice(c.b, c.loc, c.operand(recurrence), offsets, {1, shape[0], shape[1]}, shape));
}

/// h * R'
Value Recurrence::recurrent(Value h, Value weights) {
  ElementType type = c.input(sequence).element;
  int64_t columns = cast<RankedTensorType>(weights.getType()).getDimSize(0);
  return contract(c, {s.batch, columns}, {h, type, {0, 2}}, {weights, type, {1, 2}}, s.hidden);
}

Value Recurrence::sum(Value x, Value y) {
  auto type = cast<RankedTensorType>(x.getType()).clone(accumulator);
  return c.elementwise(type, {x, y}, [](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
    return arith::AddFOp::create(b, loc, v[0], v[1]);
  });
}

/// One step: the next state, whose `all` includes the row of this time.
Recurrence::State Recurrence::step(int64_t direction, Value time, const State &last) {
  auto at = [&](ArrayRef<int64_t> others) {
    Offsets offsets = indices(c.b, others);
    offsets[s.batchFirst] = time;
    return offsets;
  };
  Shape row = s.batchFirst ? Shape{s.batch, 1, s.columns()} : Shape{1, s.batch, s.columns()};
  Value inputs = extractSlice(c.b, c.loc, products, at({0, 0, direction * s.columns()}), row,
                              {s.batch, s.columns()});
  Value active;
  if (actives) {
    Offsets offsets{time, c.b.getIndexAttr(0)};
    active = extractSlice(c.b, c.loc, actives, offsets, {1, s.batch}, {s.batch});
  }
  State next = last;
  if (cell == Cell::lstm)
    next = lstm(direction, inputs, active, last);
  else if (cell == Cell::rnn)
    next.h = rnn(direction, inputs, active, last.h);
  else if (isLinearBeforeReset())
    next.h = gruLinearBeforeReset(direction, inputs, active, last.h);
  else
    next.h = gru(direction, inputs, active, last.h);
  if (!last.all)
    return next;
  Value result = next.h;
  if (active) { // 0 behind the end of a sequence
    auto type = cast<RankedTensorType>(result.getType());
    Value flags = c.reshape(active, {s.batch, 1});
    result = c.movedElements(
        type, {flags, result}, [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
          Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(v[0].getType()));
          Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(v[1].getType()));
          Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v[0], zero);
          return arith::SelectOp::create(b, loc, counts, v[1], none);
        });
  }
  Shape sizes = s.batchFirst ? Shape{s.batch, 1, 1, s.hidden} : Shape{1, 1, s.batch, s.hidden};
  Offsets subscripts = s.batchFirst ? at({0, 0, direction, 0}) : at({0, direction, 0, 0});
  next.all = insertSlice(c.b, c.loc, last.all, result, subscripts, sizes);
  return next;
}

/// All steps of one direction.
Recurrence::State Recurrence::run(int64_t direction, State state) {
  if (s.steps == 0)
    return state;
  if (cell == Cell::gru && !isLinearBeforeReset())
    matrices = {recurrentWeights(direction, 0, 2), recurrentWeights(direction, 2, 1)};
  else
    matrices = {recurrentWeights(direction, 0, s.gates)};
  SmallVector<Value> carried{state.h};
  if (state.c)
    carried.push_back(state.c);
  if (state.all)
    carried.push_back(state.all);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(c.b, c.loc, value);
  };
  auto loop = scf::ForOp::create(c.b, c.loc, number(0), number(s.steps), number(1), carried);
  auto unpacked = [&](ValueRange values) {
    State result{values[0], {}, {}};
    if (state.c)
      result.c = values[1];
    if (state.all)
      result.all = values.back();
    return result;
  };
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(loop.getBody());
  Value time = loop.getInductionVar();
  if (isReverse(direction))
    time = arith::SubIOp::create(c.b, c.loc, number(s.steps - 1), time);
  State next = step(direction, time, unpacked(loop.getRegionIterArgs()));
  SmallVector<Value> yielded{next.h};
  if (state.c)
    yielded.push_back(next.c);
  if (state.all)
    yielded.push_back(next.all);
  scf::YieldOp::create(c.b, c.loc, yielded);
  return unpacked(loop.getResults());
}

void Recurrence::setStates(ArrayRef<Value> ofDirections, size_t result) {
  if (!c.hasResult(result))
    return;
  RankedTensorType type = c.resultTensor(result);
  Value states = ofDirections.size() == 1 ? Value() : c.empty(type);
  for (auto [direction, value] : llvm::enumerate(ofDirections)) {
    Value state = c.rounded(value, element);
    if (!states)
      return c.setResult(c.reshape(state, type.getShape()), result);
    Offsets offsets = indices(c.b, {0, 0, 0});
    offsets[s.batchFirst] = c.b.getIndexAttr(direction);
    Shape sizes = s.state();
    sizes[s.batchFirst] = 1;
    states = insertSlice(c.b, c.loc, states, state, offsets, sizes);
  }
  c.setResult(states, result);
}

void Recurrence::lower() {
  if (s.steps > 0)
    products = inputProducts();
  if (c.hasInput(lengths) && s.steps > 0)
    actives = activeSteps();
  bool hasCellState = traitsOf(cell).hasCellState;
  Value all = c.hasResult(0) ? c.empty(c.resultTensor(0)) : Value();
  SmallVector<Value> lastH, lastC;
  for (int64_t direction = 0; direction < s.directions; ++direction) {
    State state{initial(initialH, direction, element), {}, all};
    if (hasCellState)
      state.c = initial(initialC, direction, accumulator);
    state = run(direction, state);
    lastH.push_back(state.h);
    lastC.push_back(state.c);
    all = state.all;
  }
  if (all)
    c.setResult(all, 0);
  setStates(lastH, 1);
  if (hasCellState)
    setStates(lastC, 2);
}

void lowerRecurrence(LoweringContext &c, Cell cell) { Recurrence(c, cell).lower(); }

} // namespace kgen
