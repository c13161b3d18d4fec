#include "transforms/gpu/IndexMath.h"

#include <mlir/Analysis/FlatLinearValueConstraints.h>

using namespace mlir;

namespace kgen::gpu_kernels {

Value IndexMath::constant(int64_t value) const {
  return arith::ConstantIndexOp::create(b, loc, value);
}

namespace {
/// Indices that do not fit into 32 bits with a sign are computed for elements beyond a tensor only,
/// and not used.
constexpr arith::IntegerOverflowFlags noWrap = arith::IntegerOverflowFlags::nsw;
} // namespace

Value IndexMath::add(Value x, Value y) const {
  return b.createOrFold<arith::AddIOp>(loc, x, y, noWrap);
}

Value IndexMath::add(Value x, int64_t y) const { return y == 0 ? x : add(x, constant(y)); }

Value IndexMath::times(Value x, int64_t factor) const {
  return factor == 1 ? x : b.createOrFold<arith::MulIOp>(loc, x, constant(factor), noWrap);
}

Value IndexMath::dividedBy(Value x, int64_t divisor) const {
  return divisor == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, constant(divisor));
}

Value IndexMath::modulo(Value x, int64_t divisor) const {
  return divisor == 1 ? constant(0) : b.createOrFold<arith::RemUIOp>(loc, x, constant(divisor));
}

Value IndexMath::isBelow(Value x, int64_t bound) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, constant(bound));
}

Value IndexMath::both(Value x, Value y) const {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

Value IndexMath::orZero(Value condition, Value x) const {
  return condition ? arith::SelectOp::create(b, loc, condition, x, constant(0)).getResult() : x;
}

std::optional<LinearForm> linearFormOf(AffineExpr expression, unsigned loops) {
  SmallVector<int64_t> flat;
  if (failed(getFlattenedAffineExpr(expression, loops, /*numSymbols=*/0, &flat)) ||
      flat.size() != loops + 1)
    return std::nullopt;
  LinearForm form;
  form.factors.assign(flat.begin(), flat.end() - 1);
  form.constant = flat.back();
  return form;
}

std::optional<SmallVector<LinearForm>> linearFormsOf(AffineMap map) {
  SmallVector<LinearForm> forms;
  for (AffineExpr result : map.getResults()) {
    std::optional<LinearForm> form = linearFormOf(result, map.getNumDims());
    if (!form)
      return std::nullopt;
    forms.push_back(std::move(*form));
  }
  return forms;
}

FlatLoops::FlatLoops(ArrayRef<unsigned> all, ArrayRef<int64_t> allSizes) {
  for (unsigned loop : all) {
    points *= allSizes[loop];
    if (allSizes[loop] == 1) {
      single.push_back(loop);
      continue;
    }
    loops.push_back(loop);
    sizes.push_back(allSizes[loop]);
  }
}

Value FlatLoops::dot(const IndexMath &m, Value point, const LinearForm &form) const {
  // Neighbours that one factor covers are counted together: what is left needs no quotients.
  SmallVector<std::pair<int64_t, int64_t>> runs; // the factor and the number of points
  for (size_t i = loops.size(); i-- > 0;) {
    int64_t factor = form.factors[loops[i]];
    if (!runs.empty() && factor == runs.back().first * runs.back().second)
      runs.back().second *= sizes[i];
    else
      runs.emplace_back(factor, sizes[i]);
  }
  Value sum = m.constant(0), rest = point;
  for (size_t i = 0; i < runs.size(); ++i) {
    auto [factor, count] = runs[i];
    bool isLast = i + 1 == runs.size();
    if (factor != 0)
      sum = m.add(sum, m.times(isLast ? rest : m.modulo(rest, count), factor));
    if (!isLast)
      rest = m.dividedBy(rest, count);
  }
  return sum;
}

void FlatLoops::split(const IndexMath &m, Value point, MutableArrayRef<Value> indices) const {
  for (unsigned loop : single)
    indices[loop] = m.constant(0);
  Value rest = point;
  for (size_t i = loops.size(); i-- > 0;) {
    indices[loops[i]] = i == 0 ? rest : m.modulo(rest, sizes[i]);
    if (i != 0)
      rest = m.dividedBy(rest, sizes[i]);
  }
}

int64_t FlatLoops::innerRun(const LinearForm &form) const {
  int64_t run = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    if (form.factors[loops[i]] != innerFactor(form) * run)
      break;
    run *= sizes[i];
  }
  return run;
}

bool FlatLoops::areMultiples(const LinearForm &form, int64_t divisor, bool beyondRun) const {
  int64_t points = beyondRun ? innerRun(form) : 1, covered = 1;
  for (size_t i = loops.size(); i-- > 0; covered *= sizes[i])
    if (!(beyondRun && covered < points) && form.factors[loops[i]] % divisor != 0)
      return false;
  return true;
}

int64_t FlatLoops::innerFactor(const LinearForm &form) const {
  return loops.empty() ? 0 : form.factors[loops.back()];
}

} // namespace kgen::gpu_kernels
