#include "transforms/idioms/Polynomial.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <iterator>
#include <set>

using namespace mlir;

namespace kgen {

namespace {

/// More terms are no idiom's: the expression is an atom.
constexpr size_t maxTerms = 16;

class Expansion {
public:
  explicit Expansion(ArrayRef<const Expression *> atoms) : atoms(atoms) {}

  Polynomial expand(const Expression *e) {
    if (e->isConstant())
      return e->number == 0 ? Polynomial{} : Polynomial{Monomial{e->number, {}}};
    if (llvm::is_contained(atoms, e))
      return atom(e);
    if (auto found = known.find(e); found != known.end())
      return found->second;
    cancels = false;
    Polynomial p = expanded(e);
    if (cancels || p.size() > maxTerms)
      p = atom(e);
    cancels = false;
    return known[e] = std::move(p);
  }

private:
  static Polynomial atom(const Expression *e, int exponent = whole) {
    return {Monomial{1, {{e, exponent}}}};
  }

  Polynomial expanded(const Expression *e) {
    if (e->kind != Expression::Kind::operation)
      return atom(e);
    auto operand = [&](unsigned i) { return expand(e->operands[i]); };
    if (e->is<arith::AddFOp>())
      return sum(operand(0), operand(1), 1);
    if (e->is<arith::SubFOp>())
      return sum(operand(0), operand(1), -1);
    if (e->is<arith::NegFOp>())
      return sum({}, operand(0), -1);
    if (e->is<arith::MulFOp>())
      return product(operand(0), operand(1));
    if (e->is<arith::DivFOp>())
      return product(operand(0), power(e->operands[1], -whole));
    if (e->is<math::SqrtOp>())
      return power(e->operands[0], half);
    if (e->is<math::RsqrtOp>())
      return power(e->operands[0], -half);
    if (e->is<math::PowFOp>() && e->operands[1]->isConstant())
      if (double halves = 2 * e->operands[1]->number;
          halves == std::rint(halves) && std::abs(halves) <= 8)
        return power(e->operands[0], static_cast<int>(halves));
    return atom(e);
  }

  Polynomial sum(Polynomial a, const Polynomial &b, double sign) {
    for (const Monomial &term : b) {
      auto *same =
          llvm::find_if(a, [&](const Monomial &other) { return other.hasSameAtoms(term); });
      if (same == a.end()) {
        a.push_back(term);
        a.back().coefficient *= sign;
      } else
        same->coefficient += sign * term.coefficient;
    }
    cancels |= llvm::any_of(a, [](const Monomial &term) { return term.coefficient == 0; });
    return a;
  }

  Monomial product(const Monomial &a, const Monomial &b) {
    Monomial result = a;
    result.coefficient *= b.coefficient;
    for (const auto &power : b.atoms) {
      auto *same =
          llvm::find_if(result.atoms, [&](auto &other) { return other.first == power.first; });
      if (same == result.atoms.end())
        result.atoms.push_back(power);
      else {
        cancels |= (same->second > 0) != (power.second > 0);
        same->second += power.second;
      }
    }
    llvm::sort(result.atoms, [](auto &x, auto &y) { return x.first->id < y.first->id; });
    return result;
  }

  Polynomial product(const Polynomial &a, const Polynomial &b) {
    Polynomial result;
    for (const Monomial &x : a)
      for (const Monomial &y : b)
        result = sum(std::move(result), {product(x, y)}, 1);
    return result;
  }

  /// A sum has positive powers only: any other power of it is one of an atom.
  Polynomial power(const Expression *base, int halves) {
    Polynomial p = expand(base);
    // The root of x^2 is |x|, and one of x y needs signs: of other products than c x and c / x, it
    // is one of an atom.
    bool isRoot = halves % 2 != 0;
    if (p.size() == 1 && (!isRoot || (p[0].coefficient > 0 && p[0].atoms.size() == 1 &&
                                      std::abs(p[0].atoms[0].second) == whole))) {
      Monomial raised{std::pow(p[0].coefficient, halves / 2.0), p[0].atoms};
      for (auto &[atom, exponent] : raised.atoms)
        exponent = exponent * halves / 2;
      return std::isfinite(raised.coefficient) ? Polynomial{raised} : atom(base, halves);
    }
    if (halves <= 0 || halves % 2 != 0)
      return atom(base, halves);
    Polynomial result{Monomial{}};
    for (int i = 0; i < halves; i += 2)
      result = product(result, p);
    return result;
  }

  ArrayRef<const Expression *> atoms;
  llvm::DenseMap<const Expression *, Polynomial> known;
  bool cancels =
      false; ///< x / x and x - x, which are NaN for some x: such an expression is an atom
};

} // namespace

/// Returns what the polynomial of `e` is made of if `e` is no atom; none: it is one.
static ArrayRef<const Expression *> partsOf(const Expression *e) {
  bool isExpanded = e->kind == Expression::Kind::operation &&
                    (e->is<arith::AddFOp>() || e->is<arith::SubFOp>() || e->is<arith::NegFOp>() ||
                     e->is<arith::MulFOp>() || e->is<arith::DivFOp>() || e->is<math::SqrtOp>() ||
                     e->is<math::RsqrtOp>() || e->is<math::PowFOp>());
  return isExpanded ? ArrayRef(e->operands) : ArrayRef<const Expression *>();
}

bool hasOnlyAtoms(const Expression *e, ArrayRef<const Expression *> atoms) {
  llvm::SmallPtrSet<const Expression *, 16> seen;
  SmallVector<const Expression *> left{e};
  while (!left.empty()) {
    const Expression *each = left.pop_back_val();
    if (each->isConstant() || llvm::is_contained(atoms, each) || !seen.insert(each).second)
      continue;
    ArrayRef<const Expression *> parts = partsOf(each);
    if (parts.empty())
      return false;
    llvm::append_range(left, parts);
  }
  return true;
}

SmallVector<const Expression *> onlyAtomsOf(const Expression *e) {
  // Operands have smaller ids: what has the greatest is in no other one that is left.
  auto isSmaller = [](const Expression *a, const Expression *b) { return a->id < b->id; };
  std::set<const Expression *, decltype(isSmaller)> left(isSmaller);
  SmallVector<const Expression *> found;
  if (!e->isConstant())
    left.insert(e);
  while (!left.empty()) {
    const Expression *last = *left.rbegin();
    left.erase(std::prev(left.end()));
    if (left.empty())
      found.push_back(last);
    ArrayRef<const Expression *> parts = partsOf(last);
    if (parts.empty())
      break; // an atom beside what is left, or the last one
    for (const Expression *part : parts)
      if (!part->isConstant())
        left.insert(part);
  }
  return found;
}

int Monomial::exponentOf(const Expression *atom) const {
  for (auto [each, exponent] : atoms)
    if (each == atom)
      return exponent;
  return 0;
}

Monomial Monomial::without(const Expression *atom) const {
  Monomial rest = *this;
  llvm::erase_if(rest.atoms, [&](auto &each) { return each.first == atom; });
  return rest;
}

Polynomial polynomialOf(const Expression *e, ArrayRef<const Expression *> atoms) {
  return Expansion(atoms).expand(e);
}

double coefficientOf(const Polynomial &p, ArrayRef<std::pair<const Expression *, int>> atoms) {
  for (const Monomial &term : p)
    if (ArrayRef(term.atoms) == atoms)
      return term.coefficient;
  return 0;
}

bool isClose(double x, double y) { return std::abs(x - y) <= std::ldexp(std::abs(y), -22); }

} // namespace kgen
