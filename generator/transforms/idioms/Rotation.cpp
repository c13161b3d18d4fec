#include "transforms/idioms/Rotation.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

std::optional<PairSlice> pairSliceOf(const Expression *e) {
  return e && e->tensor && e->kind == Expression::Kind::element ? PairSlice::match(e->tensor)
                                                                : std::nullopt;
}

/// True if both are constants with the same bytes. Exporters that write constants as nodes write
/// each where it is used.
static bool areEqualConstants(Value a, Value b) {
  DenseResourceElementsAttr first, second;
  if (a.getType() != b.getType() || !matchPattern(a, m_Constant(&first)) ||
      !matchPattern(b, m_Constant(&second)))
    return false;
  AsmResourceBlob *one = first.getRawHandle().getBlob(), *other = second.getRawHandle().getBlob();
  return one && other && one->getData() == other->getData();
}

/// True if both compute the same of the same elements: each half of what rows are multiplied by may
/// have been computed by itself.
static bool areSameOperation(const Expression *a, const Expression *b) {
  return a->kind == Expression::Kind::operation && b->kind == Expression::Kind::operation &&
         a->over.empty() && b->over.empty() && a->op->getName() == b->op->getName() &&
         a->op->getAttrDictionary() == b->op->getAttrDictionary() &&
         a->operands.size() == b->operands.size() &&
         llvm::all_of_zip(a->operands, b->operands, isSameElement);
}

bool isSameElement(const Expression *a, const Expression *b) {
  if (!a || !b || a->isConstant() || b->isConstant())
    return a == b || (a && b && a->isConstant() && b->isConstant() && a->number == b->number);
  if (areSameOperation(a, b))
    return true;
  if (!a->tensor || !b->tensor || a->subscripts != b->subscripts)
    return false;
  std::optional<PairSlice> x = pairSliceOf(a), y = pairSliceOf(b);
  auto slice = a->tensor.getDefiningOp<tensor::ExtractSliceOp>();
  Operation *other = b->tensor.getDefiningOp();
  return a->tensor == b->tensor || areEqualConstants(a->tensor, b->tensor) ||
         (x && y && *x == *y) ||
         (slice && other &&
          OperationEquivalence::isEquivalentTo(slice, other,
                                               OperationEquivalence::IgnoreLocations));
}

namespace {

/// A product of up to two elements, or its negative.
struct Term {
  bool isNegative = false;
  SmallVector<const Expression *, 2> factors;
};

const Expression *withoutSign(const Expression *e, bool &isNegative) {
  while (operationOf<arith::NegFOp>(e)) {
    isNegative = !isNegative;
    e = e->operands[0];
  }
  return e;
}

/// The terms of a sum or difference of two, or of one term.
SmallVector<Term> rotationTerms(const Expression *e) {
  bool isNegative = false;
  e = withoutSign(e, isNegative);
  SmallVector<const Expression *> summands{e};
  bool isDifference = operationOf<arith::SubFOp>(e);
  if (isDifference || operationOf<arith::AddFOp>(e))
    summands = {e->operands[0], e->operands[1]};
  SmallVector<Term> terms;
  for (auto [number, summand] : llvm::enumerate(summands)) {
    Term term{isNegative != (isDifference && number == 1), {}};
    summand = withoutSign(summand, term.isNegative);
    if (operationOf<arith::MulFOp>(summand))
      for (const Expression *factor : summand->operands)
        term.factors.push_back(withoutSign(factor, term.isNegative));
    else
      term.factors.push_back(summand);
    terms.push_back(term);
  }
  return terms;
}

/// True if two expressions are the first and the second elements of pairs of one tensor.
bool arePairs(const Expression *first, const Expression *second) {
  std::optional<PairSlice> a = pairSliceOf(first), b = pairSliceOf(second);
  return a && b && a->isFirstBeside(*b) && first->tensor.getType() == second->tensor.getType() &&
         first->subscripts == second->subscripts;
}

/// Matches the two elements of pairs.
class RotationMatcher {
public:
  RotationMatcher(const ExpressionTree &first, const ExpressionTree &second)
      : terms{rotationTerms(first.root()), rotationTerms(second.root())},
        wholeCount(first.count(llvm::to_vector(llvm::seq<unsigned>(0, first.numFactors())))),
        space(first) {}

  /// Nothing if the elements are no rotation.
  std::optional<Rotation> match() {
    if (terms[0].size() != terms[1].size())
      return std::nullopt;
    std::optional<Rotation> found;
    for (const Term &term : terms[1]) // either element reads the other one
      for (const Expression *x : term.factors)
        for (const Term &partner : terms[0])
          for (const Expression *y : partner.factors)
            if (arePairs(x, y) && (!found || isFull(x)))
              if (auto rotation = matchPair(x, y))
                found = rotation;
    return found;
  }

  /// True if both elements are computed from the same pairs, whether as a rotation or not.
  bool readsPairs() const {
    auto reads = [&](const Expression *x) {
      return llvm::any_of(terms[1], [&](const Term &term) {
        return llvm::any_of(term.factors,
                            [&](const Expression *y) { return arePairs(x, y) || arePairs(y, x); });
      });
    };
    return llvm::any_of(terms[0],
                        [&](const Term &term) { return llvm::any_of(term.factors, reads); });
  }

private:
  bool isFull(const Expression *x) const {
    SmallVector<unsigned> all;
    for (ArrayRef<unsigned> factors : x->subscripts)
      all.append(factors.begin(), factors.end());
    return space.count(all) == wholeCount;
  }

  /// The number of the term of element `row` that `x` is a factor of; -1 if it is in none.
  int64_t termWith(unsigned row, const Expression *x, const Expression *&rest) const {
    for (auto [number, term] : llvm::enumerate(terms[row]))
      for (auto [position, factor] : llvm::enumerate(term.factors))
        if (isSameElement(factor, x)) {
          rest = term.factors.size() == 2 ? term.factors[1 - position] : nullptr;
          return static_cast<int64_t>(number);
        }
    return -1;
  }

  std::optional<Rotation> matchPair(const Expression *x, const Expression *y) const {
    Rotation r;
    r.x = x;
    int64_t other[2] = {termWith(0, y, r.other.first), termWith(1, x, r.other.second)};
    if (other[0] < 0 || other[1] < 0 || !r.other.isKnown())
      return std::nullopt;
    r.hasOwn = terms[0].size() == 2;
    if (r.hasOwn) {
      int64_t own[2] = {termWith(0, x, r.own.first), termWith(1, y, r.own.second)};
      if (own[0] < 0 || own[1] < 0 || own[0] == other[0] || own[1] == other[1] || !r.own.isKnown())
        return std::nullopt;
      for (unsigned row : {0, 1})
        r.isOwnNegative[row] = terms[row][own[row]].isNegative;
    }
    for (unsigned row : {0, 1})
      r.isOtherNegative[row] = terms[row][other[row]].isNegative;
    return r;
  }

  SmallVector<Term> terms[2];
  Dim wholeCount;
  const ExpressionTree &space;
};

} // namespace

bool RotationFactor::isKnown() const {
  return isSameElement(first, second) || (first && arePairs(first, second));
}

std::optional<Rotation> rotationOf(const ExpressionTree &first, const ExpressionTree &second,
                                   bool &readsPairs) {
  RotationMatcher matcher(first, second);
  readsPairs = matcher.readsPairs();
  return matcher.match();
}

} // namespace kgen
