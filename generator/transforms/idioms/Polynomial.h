// Expressions as sums of products: in which order factors and terms are written, and whether a
// division is one by a number or a product with its inverse, does not matter any more.
#pragma once

#include "transforms/idioms/Expression.h"

namespace kgen {

/// Nothing inside of an atom is looked at. Exponents count halves: sqrt(x) is x^(1/2), which has
/// exponent 1.
struct Monomial {
  double coefficient = 1;
  llvm::SmallVector<std::pair<const Expression *, int>, 4> atoms; ///< in the order of their ids

  int exponentOf(const Expression *atom) const;
  Monomial without(const Expression *atom) const;
  bool hasSameAtoms(const Monomial &other) const { return atoms == other.atoms; }
};

using Polynomial = llvm::SmallVector<Monomial, 4>;

constexpr int half = 1, whole = 2; ///< exponents

/// The expression as a polynomial in `atoms`, and in whatever else is no sum, product, quotient or
/// power.
Polynomial polynomialOf(const Expression *e, llvm::ArrayRef<const Expression *> atoms = {});

/// True if the expression is a polynomial in `atoms` alone, as far as can be told without making
/// one: where terms cancel each other, the answer is for the expression as it is spelled.
bool hasOnlyAtoms(const Expression *e, llvm::ArrayRef<const Expression *> atoms);
/// The expressions x of which hasOnlyAtoms(e, x) is true, from e itself inwards.
llvm::SmallVector<const Expression *> onlyAtomsOf(const Expression *e);

/// The coefficient of the only monomial with these atoms; 0 if there is none.
double coefficientOf(const Polynomial &p, llvm::ArrayRef<std::pair<const Expression *, int>> atoms);

/// True if numbers that an exporter may have rounded to f32 on the way are the same: they differ by
/// 2^-22 at most.
bool isClose(double x, double y);

} // namespace kgen
