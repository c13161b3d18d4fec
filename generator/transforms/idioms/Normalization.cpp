#include "transforms/idioms/Normalization.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <llvm/Support/Format.h>

using namespace mlir;

namespace kgen {

namespace {

/// sqrt(sum((x - mean)^2) / n + epsilon), or the same without the mean.
struct Deviation {
  const Expression *x = nullptr, *sum = nullptr; ///< `sum`: of x, in the mean; or null
  const Expression *squares = nullptr;           ///< their sum
  const Expression *radicand = nullptr;          ///< what the root is taken of
  double epsilon = 0;
  std::string mismatchReason; ///< why it is none, though nearly one
};

/// Nothing if it is known at run time only.
std::optional<int64_t> countOf(const ExpressionTree &of, const Expression *reduction) {
  return of.count(reduction->over).number();
}

std::string countText(double count) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", count);
  return text;
}

/// d of d * d or d^2.
const Expression *squareRoot(const Expression *e) {
  if (const Expression *product = operationOf<arith::MulFOp>(e))
    return product->operands[0] == product->operands[1] ? product->operands[0] : nullptr;
  const Expression *power = operationOf<math::PowFOp>(e);
  return power && power->operands[1]->isConstant() && power->operands[1]->number == 2
             ? power->operands[0]
             : nullptr;
}

/// Takes `subtrahend` as the mean of `x` over the same factors as the squares are summed up.
bool isMeanOf(const ExpressionTree &of, const Expression *x, const Expression *subtrahend,
              double sign, Deviation &found) {
  Polynomial mean = polynomialOf(subtrahend);
  if (mean.size() != 1 || mean[0].atoms.size() != 1 || mean[0].atoms[0].second != whole)
    return false;
  const Expression *sum = reductionBy<arith::AddFOp>(mean[0].atoms[0].first);
  std::optional<int64_t> count = sum ? countOf(of, sum) : std::nullopt;
  if (!count)
    return false;
  double divisor = sign / mean[0].coefficient;
  found.x = x;
  found.sum = sum;
  if (sum->operands[0] != x)
    found.mismatchReason = "what is subtracted is the mean of something else";
  else if (sum->over != found.squares->over)
    found.mismatchReason = "the mean and the variance are over different dimensions";
  else if (!isClose(divisor, static_cast<double>(*count)))
    found.mismatchReason = "the mean is a sum of " + std::to_string(*count) +
                           " elements divided by " + countText(divisor);
  return true;
}

/// x and its mean from d = x - mean; x is d itself if nothing like a mean is subtracted.
void splitDifference(const ExpressionTree &of, const Expression *d, Deviation &found) {
  if (const Expression *difference = operationOf<arith::SubFOp>(d)) {
    if (isMeanOf(of, difference->operands[0], difference->operands[1], 1, found))
      return;
  } else if (const Expression *sum = operationOf<arith::AddFOp>(d)) {
    for (unsigned i : {0, 1})
      if (isMeanOf(of, sum->operands[1 - i], sum->operands[i], -1, found))
        return;
  }
  found.x = d;
}

/// Returns what a root is taken of: powers select infinity for an operand of -infinity, and
/// variances that are differences are bounded by 0.
const Expression *unguarded(const Expression *e) {
  if (const Expression *select = operationOf<arith::SelectOp>(e))
    return select->operands[1]->isConstant() ? unguarded(select->operands[2]) : e;
  if (e->kind == Expression::Kind::operation && isa<arith::MaximumFOp, arith::MaxNumFOp>(e->op))
    for (unsigned i : {0, 1})
      if (e->operands[i]->isConstant() && e->operands[i]->number == 0)
        return e->operands[1 - i];
  return e;
}

/// The terms of a radicand, also of a variance with a bound.
Polynomial termsOf(const Expression *radicand) {
  Polynomial terms;
  for (const Monomial &term : polynomialOf(unguarded(radicand))) {
    bool isOne = term.coefficient == 1 && term.atoms.size() == 1 && term.atoms[0].second == whole;
    const Expression *inner = isOne ? unguarded(term.atoms[0].first) : nullptr;
    if (inner && inner != term.atoms[0].first)
      llvm::append_range(terms, polynomialOf(inner));
    else
      terms.push_back(term);
  }
  return terms;
}

/// Nothing if the radicand is no sum of squares and a number.
std::optional<Deviation> deviation(const ExpressionTree &of, const Expression *radicand) {
  Deviation found;
  found.radicand = radicand;
  Polynomial terms = termsOf(radicand);
  double factor = 0;
  bool hasOther = false;
  const Expression *squaredSum = nullptr;
  for (const Monomial &term : terms) {
    auto only =
        term.atoms.size() == 1 ? term.atoms[0] : std::pair<const Expression *, int>(nullptr, 0);
    const Expression *sum = only.first ? reductionBy<arith::AddFOp>(only.first) : nullptr;
    if (term.atoms.empty())
      found.epsilon = term.coefficient;
    else if (sum && only.second == whole && squareRoot(sum->operands[0]) && !found.squares) {
      found.squares = sum;
      factor = term.coefficient;
    } else {
      hasOther = true;
      if (sum && only.second == 2 * whole && term.coefficient < 0)
        squaredSum = sum;
    }
  }
  std::optional<int64_t> count = found.squares ? countOf(of, found.squares) : std::nullopt;
  if (!count || found.epsilon < 0)
    return std::nullopt;
  splitDifference(of, squareRoot(found.squares->operands[0]), found);
  if (!found.mismatchReason.empty())
    return found;
  if (hasOther && squaredSum && squaredSum->operands[0] == found.x) {
    found.sum = squaredSum;
    found.mismatchReason =
        "the variance is a difference of mean(x^2) and mean(x)^2, which is another number "
        "in floats";
  } else if (hasOther)
    found.mismatchReason = "what is added to the variance is not one number for all rows";
  else if (factor == 1 && !found.sum)
    return std::nullopt; // x by its length
  else if (!isClose(1 / factor, static_cast<double>(*count)))
    found.mismatchReason = "the variance is a sum of " + std::to_string(*count) +
                           " squares divided by " + countText(1 / factor);
  return found;
}

/// A weight, or what is broadcast: others would have to be computed before the statistics.
bool isParameter(const ExpressionTree &of, const Expression *e) {
  if (!e->tensor)
    return false;
  Dim count = 1;
  for (ArrayRef<unsigned> factors : e->subscripts)
    count = count * of.count(factors);
  return e->tensor.getDefiningOp<arith::ConstantOp>() ||
         count != of.count(llvm::to_vector(llvm::seq<unsigned>(0, of.numFactors())));
}

/// The one atom of a product, which may be none.
bool takeParameter(const ExpressionTree &of, const Monomial &term,
                   std::optional<Expression> &parameter) {
  if (term.atoms.empty())
    return true;
  if (term.atoms.size() > 1 || term.atoms[0].second != whole || parameter ||
      !isParameter(of, term.atoms[0].first))
    return false;
  parameter = *term.atoms[0].first;
  return true;
}

/// A term that is added to the normalized elements: a number, or a parameter by a number.
bool takeShift(const ExpressionTree &of, const Monomial &term, Normalization &found) {
  if (term.atoms.empty()) {
    found.shiftNumber = term.coefficient;
    return true;
  }
  if (!takeParameter(of, term, found.shift))
    return false;
  found.shiftFactor = term.coefficient;
  return true;
}

std::optional<Normalization> normalization(const ExpressionTree &of, const Deviation &d,
                                           const Expression *inverse, int exponent) {
  Normalization found;
  found.x = d.x;
  found.over = d.squares->over;
  found.isCentered = d.sum != nullptr;
  found.epsilon = d.epsilon;
  found.mismatchReason = d.mismatchReason;
  SmallVector<const Expression *> atoms{d.x, inverse};
  if (d.sum)
    atoms.push_back(d.sum);
  const Monomial *element = nullptr, *mean = nullptr;
  Polynomial terms = polynomialOf(of.root(), atoms);
  for (const Monomial &term : terms) {
    bool isNormalized = term.exponentOf(inverse) == exponent;
    if (isNormalized && term.exponentOf(d.x) == whole && !element)
      element = &term;
    else if (isNormalized && d.sum && term.exponentOf(d.sum) == whole && !mean)
      mean = &term;
    else if (llvm::any_of(atoms,
                          [&](const Expression *atom) { return term.exponentOf(atom) != 0; }))
      return std::nullopt;
    else if (!takeShift(of, term, found))
      return std::nullopt;
  }
  if (!element || (d.sum != nullptr) != (mean != nullptr))
    return std::nullopt;
  Monomial scale = element->without(d.x).without(inverse);
  if (mean) {
    Monomial ofMean = mean->without(d.sum).without(inverse);
    if (!ofMean.hasSameAtoms(scale) ||
        (d.mismatchReason.empty() &&
         !isClose(-mean->coefficient * static_cast<double>(*countOf(of, d.sum)),
                  element->coefficient)))
      return std::nullopt;
  }
  found.factor = scale.coefficient;
  return takeParameter(of, scale, found.scale) ? std::optional(found) : std::nullopt;
}

} // namespace

std::optional<Normalization> normalizationOf(const ExpressionTree &of) {
  std::optional<Normalization> mismatched;
  if (!of.root() || !of.root()->tensor)
    return mismatched;
  for (const std::unique_ptr<Expression> &e : of.all()) {
    bool isRoot = e->kind == Expression::Kind::operation &&
                  isa<math::SqrtOp, math::RsqrtOp, math::PowFOp>(e->op);
    std::optional<Deviation> d = isRoot ? deviation(of, e->operands[0]) : std::nullopt;
    if (!d || !d->x->tensor)
      continue;
    std::optional<Normalization> found = normalization(of, *d, d->radicand, -half);
    for (const std::unique_ptr<Expression> &sum : of.all())
      if (!found && d->epsilon == 0 && operationOf<arith::AddFOp>(sum.get())) {
        Polynomial p = polynomialOf(sum.get(), d->radicand);
        double outside = coefficientOf(p, {});
        if (p.size() != 2 || outside <= 0 || coefficientOf(p, {{d->radicand, half}}) != 1)
          continue;
        found = normalization(of, *d, sum.get(), -whole);
        if (found)
          found->epsilon = outside, found->isOutsideRoot = true;
      }
    if (!found)
      continue;
    found->multiplies = llvm::any_of(of.all(), [&](const std::unique_ptr<Expression> &other) {
      Polynomial p = polynomialOf(other.get(), d->radicand);
      return p.size() == 1 && p[0].atoms.size() == 1 && p[0].exponentOf(d->radicand) == -half;
    });
    if (d->mismatchReason.empty())
      return found;
    mismatched = found;
  }
  return mismatched;
}

namespace {

/// The element of the result of `op`; null if there is none.
const Expression *resultOf(const ExpressionTree &of, NormalizationOp op) {
  auto isResult = [&](const std::unique_ptr<Expression> &e) {
    return e->tensor == op.getResult() && e->op == op;
  };
  const auto *result = llvm::find_if(of.all(), isResult);
  return result == of.all().end() || !(*result)->operands[0]->tensor ? nullptr : result->get();
}

/// Returns `op` without scale and shift.
Normalization unscaled(const Expression *result, NormalizationOp op) {
  Normalization found;
  found.x = result->operands[0];
  found.over = result->over;
  found.isCentered = op.getCentered();
  found.epsilon = op.getEpsilon().convertToDouble();
  found.isOutsideRoot = op.getEpsilonOutsideRoot();
  found.multiplies = !op.getRoundedQuotient();
  return found;
}

/// Adds the scale and the bias of `op`, which come before those that were found.
bool addOwn(Normalization &found, NormalizationOp op, const Expression *result) {
  bool isScaled = found.scale.has_value();
  const Expression *scale = op.getScale() ? result->operands[1] : nullptr,
                   *bias = op.getBias() ? result->operands.back() : nullptr;
  if (bias && bias->isConstant()) {
    if (isScaled && bias->number != 0)
      return false;
    found.shiftNumber += found.factor * bias->number;
  } else if (bias) {
    if (isScaled || found.shift || !bias->tensor)
      return false;
    found.shift = *bias;
    found.shiftFactor = found.factor;
  }
  if (scale && scale->isConstant()) {
    found.factor *= scale->number;
  } else if (scale) {
    if (isScaled || !scale->tensor)
      return false;
    found.scale = *scale;
  }
  return true;
}

} // namespace

std::optional<Normalization> normalizationOf(const ExpressionTree &of, NormalizationOp op) {
  const Expression *result = of.root() ? resultOf(of, op) : nullptr;
  if (!result || !op.getStatistics().empty())
    return std::nullopt;
  Normalization found = unscaled(result, op);
  const Monomial *element = nullptr;
  Polynomial terms = polynomialOf(of.root(), result);
  for (const Monomial &term : terms) {
    int exponent = term.exponentOf(result);
    if (exponent == whole && !element)
      element = &term;
    else if (exponent != 0 || !takeShift(of, term, found))
      return std::nullopt;
  }
  if (!element)
    return std::nullopt;
  Monomial scale = element->without(result);
  found.factor = scale.coefficient;
  return takeParameter(of, scale, found.scale) && addOwn(found, op, result) ? std::optional(found)
                                                                            : std::nullopt;
}

} // namespace kgen
