// The contribution of the inputs of all time steps to the gates is one product of matrices. A loop
// over time then adds what the state contributes, one more product, and computes the next state.
// The state is carried from step to step in the same memory.
#include "ops/sequence/RecurrenceLowering.h"

#include "ops/StridedSlice.h"
#include "ops/product/MatMulLowering.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

using Shape = SmallVector<int64_t>;
using Dims = std::vector<Dim>;
using Offsets = SmallVector<OpFoldResult>;

Recurrence::Recurrence(LoweringContext &c, Cell cell)
    : c(c), s(c, cell), cell(cell),
      element(toMlir(c.input(recurrent::sequence).element, c.b.getContext())),
      accumulator(accumulatorType(c.input(recurrent::sequence).element, c.b.getContext())),
      activations(*gateActivations(c, traitsOf(cell).activations, s.directions)) {
  if (c.hasAttribute("clip"))
    clip = c.real("clip");
}

Value Recurrence::slice(Value whole, ArrayRef<OpFoldResult> offsets, const TensorShape &sizes,
                        const TensorShape &shape) {
  if (sizes.isStatic())
    return extractSlice(c.b, c.loc, whole, offsets, sizes.numbers(), shape.numbers());
  const SmallVector<OpFoldResult> strides(sizes.size(), c.b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(c.b, c.loc, tensorOf(shape, getElementTypeOrSelf(whole)),
                                        whole, offsets, sizeValues(c.b, sizes), strides);
}

Value Recurrence::inserted(Value whole, Value part, ArrayRef<OpFoldResult> offsets,
                           const TensorShape &sizes) {
  if (sizes.isStatic())
    return insertSlice(c.b, c.loc, whole, part, offsets, sizes.numbers());
  const SmallVector<OpFoldResult> strides(sizes.size(), c.b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(c.b, c.loc, part, whole, offsets, sizeValues(c.b, sizes),
                                       strides);
}

Value Recurrence::columnsOf(Value rows, int64_t first, int64_t columns) {
  const TensorShape sizes = Dims{s.batch, columns};
  return slice(rows, indices(c.b, {0, first}), sizes, sizes);
}

Value Recurrence::number(const Dim &size) {
  if (std::optional<int64_t> known = size.number())
    return arith::ConstantIndexOp::create(c.b, c.loc, *known);
  return cast<Value>(sizeValue(c.b, size));
}

/// Wb + Rb as [directions * gates * hidden]; without Rb where a GRU adds it before the reset.
Value Recurrence::inputBias() {
  int64_t n = s.columns();
  Shape flat{s.directions * n};
  SmallVector<Value> parts;
  for (int64_t i = 0; i < (isLinearBeforeReset() ? 1 : 2); ++i)
    parts.push_back(c.reshape(
        extractSlice(c.b, c.loc, c.operand(recurrent::bias), {0, i * n}, {s.directions, n}), flat));
  if (parts.size() == 1)
    return parts[0];
  return sum(parts[0], parts[1]);
}

Value Recurrence::inputProducts() {
  const Dim rows = s.steps * s.batch;
  int64_t columns = s.directions * s.columns();
  ElementType type = c.input(recurrent::sequence).element;
  Factor x{c.withShape(c.operand(recurrent::sequence), Dims{rows, s.inputs}), type, {0, 2}},
      w{c.reshape(c.operand(recurrent::weights), {columns, s.inputs}), type, {1, 2}};
  Value result = contract(c, Dims{rows, columns}, x, w, s.inputs);
  if (c.hasInput(recurrent::bias))
    result = sum(result, inputBias());
  return c.withShape(result, s.batchFirst ? Dims{s.batch, s.steps, columns}
                                          : Dims{s.steps, s.batch, columns});
}

/// 1 where time < length.
Value Recurrence::activeSteps() {
  const TensorShape shape = Dims{s.steps, s.batch};
  auto body = [](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value time = linalg::IndexOp::create(b, loc, 0);
    time = arith::IndexCastOp::create(b, loc, v[0].getType(), time);
    Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, time, v[0]);
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), counts);
  };
  SmallVector<AffineMap> maps{AffineMap::get(2, 0, c.b.getAffineDimExpr(1)),
                              c.b.getMultiDimIdentityMap(2)};
  return c.generic(
      c.empty(shape, c.b.getI8Type()), c.operand(recurrent::lengths), maps,
      [&](OpBuilder &b, Location loc, ValueRange v) { return body(b, loc, v.drop_back()); });
}

Value Recurrence::initial(recurrent::Input which, int64_t direction, Type type) {
  const TensorShape shape = Dims{s.batch, s.hidden};
  if (!c.hasInput(which))
    return c.filled(shape, type, 0.0);
  Offsets offsets = indices(c.b, {0, 0, 0});
  offsets[s.batchFirst] = c.b.getIndexAttr(direction);
  TensorShape sizes = s.state();
  sizes.setDim(s.batchFirst, 1);
  return c.rounded(slice(c.operand(which), offsets, sizes, shape), type);
}

Value Recurrence::recurrentWeights(int64_t direction, int64_t firstGate, int64_t gates) {
  Shape shape{gates * s.hidden, s.hidden};
  Offsets offsets = indices(c.b, {direction, firstGate * s.hidden, 0});
  return c.factor(extractSlice(c.b, c.loc, c.operand(recurrent::recurrence), offsets,
                               {1, shape[0], shape[1]}, shape));
}

/// h * R'
Value Recurrence::recurrent(Value h, Value weights) {
  ElementType type = c.input(recurrent::sequence).element;
  int64_t columns = cast<RankedTensorType>(weights.getType()).getDimSize(0);
  return contract(c, Dims{s.batch, columns}, {h, type, {0, 2}}, {weights, type, {1, 2}}, s.hidden);
}

Value Recurrence::sum(Value x, Value y) {
  auto type = cast<RankedTensorType>(x.getType()).clone(accumulator);
  return c.elementwise(type, {x, y}, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
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
  const TensorShape row =
      s.batchFirst ? Dims{s.batch, 1, s.columns()} : Dims{1, s.batch, s.columns()};
  Value inputs =
      slice(products, at({0, 0, direction * s.columns()}), row, Dims{s.batch, s.columns()});
  Value active;
  if (actives) {
    Offsets offsets{time, c.b.getIndexAttr(0)};
    active = slice(actives, offsets, Dims{1, s.batch}, Dims{s.batch});
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
  if (active) { // 0 after the end of a sequence
    auto type = cast<RankedTensorType>(result.getType());
    Value flags = c.withShape(active, Dims{s.batch, 1});
    result = c.movedElements(
        type, {flags, result}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(v[0].getType()));
          Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(v[1].getType()));
          Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v[0], zero);
          return arith::SelectOp::create(b, loc, counts, v[1], none);
        });
  }
  const TensorShape sizes =
      s.batchFirst ? Dims{s.batch, 1, 1, s.hidden} : Dims{1, 1, s.batch, s.hidden};
  Offsets subscripts = s.batchFirst ? at({0, 0, direction, 0}) : at({0, direction, 0, 0});
  next.all = inserted(last.all, result, subscripts, sizes);
  return next;
}

/// All steps of one direction.
Recurrence::State Recurrence::run(int64_t direction, State state) {
  if (s.steps == Dim(0))
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
    time = arith::SubIOp::create(c.b, c.loc, number(s.steps - Dim(1)), time);
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
  Value states = ofDirections.size() == 1 ? Value() : c.empty(s.state(), element);
  for (auto [direction, value] : llvm::enumerate(ofDirections)) {
    Value state = c.rounded(value, element);
    if (!states)
      return c.setResult(c.withShape(state, s.state()), result);
    Offsets offsets = indices(c.b, {0, 0, 0});
    offsets[s.batchFirst] = c.b.getIndexAttr(direction);
    TensorShape sizes = s.state();
    sizes.setDim(s.batchFirst, 1);
    states = inserted(states, state, offsets, sizes);
  }
  c.setResult(states, result);
}

void Recurrence::lower() {
  const bool hasSteps = s.steps != Dim(0);
  if (hasSteps)
    products = inputProducts();
  if (c.hasInput(recurrent::lengths) && hasSteps)
    actives = activeSteps();
  bool hasCellState = traitsOf(cell).hasCellState;
  Value all = c.hasResult(0) ? c.empty(s.results(), element) : Value();
  SmallVector<Value> lastH, lastC;
  for (int64_t direction = 0; direction < s.directions; ++direction) {
    State state{initial(recurrent::initialH, direction, element), {}, all};
    if (hasCellState)
      state.c = initial(recurrent::initialC, direction, accumulator);
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
