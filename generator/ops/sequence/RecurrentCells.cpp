// One step of each recurrent cell, on the products of the inputs and the last state.
#include "dialect/tpp/Scalars.h"
#include "ops/StridedSlice.h"
#include "ops/sequence/RecurrenceLowering.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>

using namespace mlir;

namespace kgen {

Value Recurrence::gate(Value gates, int64_t i) { return columnsOf(gates, i * s.hidden, s.hidden); }

Value Recurrence::hiddenPart(recurrent::Input which, int64_t direction, int64_t i) {
  SmallVector<OpFoldResult> offsets = indices(c.b, {direction, i * s.hidden});
  return extractSlice(c.b, c.loc, c.operand(which), offsets, {1, s.hidden}, {s.hidden});
}

Value Recurrence::activate(const Formula &f, Value x, int64_t direction, size_t i) {
  if (clip)
    x = f.atMost(f.atLeast(x, f.number(x.getType(), -*clip)), f.number(x.getType(), *clip));
  return activations[direction * traitsOf(cell).activations.size() + i].apply(f, x);
}

Value Recurrence::update(Value last, ArrayRef<Value> operands, Value active, bool readsLast,
                         const LoweringContext::Body &body) {
  auto type = cast<RankedTensorType>(last.getType());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    Broadcast spread = c.broadcast(operand, type);
    inputs.push_back(spread.value);
    maps.push_back(spread.map);
  }
  if (active) {
    inputs.push_back(active);
    maps.push_back(AffineMap::get(2, 0, c.b.getAffineDimExpr(0)));
  }
  maps.push_back(c.b.getMultiDimIdentityMap(2));
  auto masked = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    SmallVector<Value> values(v.take_front(operands.size()));
    if (active || readsLast)
      values.push_back(tpp::scalar::convert(b, loc, v.back(), accumulator));
    Value next = body(b, loc, values);
    if (!active)
      return next;
    Value flag = v[operands.size()];
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(flag.getType()));
    Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, flag, zero);
    return arith::SelectOp::create(b, loc, counts, next, values.back());
  };
  if (active || readsLast)
    return c.generic(last, inputs, maps, masked);
  Value next = c.generic(c.emptyLike(last, type.getElementType()), inputs, maps, masked);
  return bufferization::MaterializeInDestinationOp::create(c.b, c.loc, type, next, last)
      .getResult();
}

Recurrence::State Recurrence::lstm(int64_t direction, Value inputs, Value active,
                                   const State &last) {
  Value gates = sum(recurrent(last.h, matrices[0]), inputs);
  bool hasPeepholes = c.hasInput(recurrent::peepholes), coupled = c.integer("input_forget") == 1;
  // In ONNX's order: input, output, forget, cell.
  SmallVector<Value> ofCell{gate(gates, 0), gate(gates, 2), gate(gates, 3)};
  if (hasPeepholes)
    ofCell.append({hiddenPart(recurrent::peepholes, direction, 0),
                   hiddenPart(recurrent::peepholes, direction, 2)});
  State next = last;
  next.c = update(last.c, ofCell, active, /*readsLast=*/true,
                  [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                    Formula f{b, loc};
                    Value in = v[0], forget = v[1], c = v.back();
                    if (hasPeepholes) {
                      in = f.add(in, f.multiply(v[3], c));
                      forget = f.add(forget, f.multiply(v[4], c));
                    }
                    in = activate(f, in, direction, 0);
                    if (coupled)
                      forget = arith::SubFOp::create(b, loc, f.number(accumulator, 1.0), in);
                    else
                      forget = activate(f, forget, direction, 0);
                    Value fresh = f.multiply(in, activate(f, v[2], direction, 1));
                    return f.add(f.multiply(forget, c), fresh);
                  });
  SmallVector<Value> ofResult{gate(gates, 1), next.c};
  if (hasPeepholes)
    ofResult.push_back(hiddenPart(recurrent::peepholes, direction, 1));
  next.h =
      update(last.h, ofResult, active, /*readsLast=*/false,
             [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
               Formula f{b, loc};
               Value out = hasPeepholes ? f.add(v[0], f.multiply(v[2], v[1])) : v[0];
               return f.multiply(activate(f, out, direction, 0), activate(f, v[1], direction, 2));
             });
  return next;
}

/// (1 - z) * fresh + z * h
static Value blend(const Formula &f, Value z, Value fresh, Value h) {
  Value rest = arith::SubFOp::create(f.b, f.loc, f.number(z.getType(), 1.0), z);
  return f.add(f.multiply(rest, fresh), f.multiply(z, h));
}

Value Recurrence::gru(int64_t direction, Value inputs, Value active, Value h) {
  // In ONNX's order: update, reset, hidden.
  Value early = columnsOf(inputs, 0, 2 * s.hidden);
  Value gates = sum(recurrent(h, matrices[0]), early);
  RankedTensorType type = tensorOf(std::vector<Dim>{s.batch, s.hidden}, element);
  Value kept = c.elementwise(type, {gate(gates, 1), h},
                             [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                               Formula f{b, loc};
                               return f.multiply(activate(f, v[0], direction, 0), v[1]);
                             });
  Value hidden = sum(recurrent(kept, matrices[1]), gate(inputs, 2));
  return update(h, {gate(gates, 0), hidden}, active, /*readsLast=*/true,
                [&](OpBuilder &b, Location loc, ValueRange v) {
                  Formula f{b, loc};
                  return blend(f, activate(f, v[0], direction, 0), activate(f, v[1], direction, 1),
                               v.back());
                });
}

Value Recurrence::gruLinearBeforeReset(int64_t direction, Value inputs, Value active, Value h) {
  Value gates = recurrent(h, matrices[0]);
  if (c.hasInput(recurrent::bias)) {
    int64_t n = s.columns();
    gates = sum(gates, extractSlice(c.b, c.loc, c.operand(recurrent::bias),
                                    indices(c.b, {direction, n}), {1, n}, {n}));
  }
  SmallVector<Value> operands;
  for (int64_t i = 0; i < 3; ++i)
    operands.append({gate(inputs, i), gate(gates, i)});
  return update(h, operands, active, /*readsLast=*/true,
                [&](OpBuilder &b, Location loc, ValueRange v) {
                  Formula f{b, loc};
                  Value z = activate(f, f.add(v[0], v[1]), direction, 0);
                  Value r = activate(f, f.add(v[2], v[3]), direction, 0);
                  Value fresh = activate(f, f.add(v[4], f.multiply(r, v[5])), direction, 1);
                  return blend(f, z, fresh, v.back());
                });
}

Value Recurrence::rnn(int64_t direction, Value inputs, Value active, Value h) {
  Value gates = sum(recurrent(h, matrices[0]), inputs);
  return update(h, gates, active, /*readsLast=*/false,
                [&](OpBuilder &b, Location loc, ValueRange v) {
                  return activate(Formula{b, loc}, v[0], direction, 0);
                });
}

} // namespace kgen
