#include "support/Dim.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace kgen {
namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max();

int64_t saturated(bool isNegative) { return isNegative ? -largest : largest; }

int64_t added(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? saturated(a < 0) : std::max(result, -largest);
}

int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? saturated((a < 0) != (b < 0))
                                               : std::max(result, -largest);
}

int64_t floorOf(int64_t a, int64_t divisor) { return a / divisor - (a % divisor < 0 ? 1 : 0); }

DimBounds plus(DimBounds a, DimBounds b) { return {added(a.min, b.min), added(a.max, b.max)}; }

DimBounds times(DimBounds a, DimBounds b) {
  auto corners = {product(a.min, b.min), product(a.min, b.max), product(a.max, b.min),
                  product(a.max, b.max)};
  return {std::min(corners), std::max(corners)};
}

} // namespace

/// A symbol divided by its multiple, or the floor of a quotient.
struct Dim::Atom {
  std::shared_ptr<const DimSymbol> symbol; ///< null: a quotient
  Dim dividend = 0;
  int64_t by = 1; ///< the symbol's multiple

  /// Other atoms have other texts.
  std::string str() const {
    return symbol ? symbol->name : "floordiv(" + dividend.str() + ", " + std::to_string(by) + ")";
  }
  DimBounds bounds() const {
    DimBounds whole = symbol ? DimBounds{symbol->min, symbol->max} : dividend.bounds();
    return {floorOf(whole.min, by), floorOf(whole.max, by)};
  }
  int64_t valueFor(const std::map<std::string, int64_t> &sizes) const {
    return floorOf(symbol ? sizes.at(symbol->name) : dividend.valueFor(sizes), by);
  }
};

Dim::Dim(std::shared_ptr<const DimSymbol> symbol) : constant(0) {
  auto atom = std::make_shared<Atom>();
  atom->by = symbol->multiple;
  atom->symbol = std::move(symbol);
  *this = fromAtom(atom) * Dim(atom->by);
}

Dim Dim::fromAtom(std::shared_ptr<const Atom> atom) {
  DimBounds bounds = atom->bounds();
  if (bounds.min == bounds.max) // a symbol with one size, or a quotient that no symbol changes
    return Dim(bounds.min);
  Product alone{{atom->str(), {atom, 1}}};
  std::string text = textOf(alone);
  return Dim(0, {{text, {std::move(alone), 1}}});
}

Dim::Dim(int64_t constant, Terms all) : constant(constant) {
  for (auto term = all.begin(); term != all.end();)
    term = term->second.factor == 0 ? all.erase(term) : std::next(term);
  if (!all.empty())
    terms = std::make_shared<const Terms>(std::move(all));
}

const Dim::Terms &Dim::allTerms() const {
  static const Terms none;
  return terms ? *terms : none;
}

std::string Dim::textOf(const Product &product) {
  std::string text;
  for (const auto &[name, factor] : product)
    for (int power = 0; power < factor.second; ++power)
      text += (text.empty() ? "" : "*") + name;
  return text;
}

Dim Dim::operator+(const Dim &other) const {
  if (isNumber() && other.isNumber())
    return Dim(added(constant, other.constant));
  Terms all = allTerms();
  for (const auto &[text, term] : other.allTerms()) {
    Term &mine = all[text];
    mine.product = term.product;
    mine.factor = added(mine.factor, term.factor);
  }
  return Dim(added(constant, other.constant), std::move(all));
}

Dim Dim::operator-(const Dim &other) const { return *this + other * Dim(-1); }

Dim Dim::operator*(const Dim &other) const {
  if (isNumber() && other.isNumber())
    return Dim(product(constant, other.constant));
  Terms all;
  auto add = [&](const Product &factors, int64_t factor) {
    Term &term = all[textOf(factors)];
    term.product = factors;
    term.factor = added(term.factor, factor);
  };
  for (const auto &[text, term] : allTerms())
    add(term.product, product(term.factor, other.constant));
  for (const auto &[text, term] : other.allTerms())
    add(term.product, product(term.factor, constant));
  for (const auto &[leftText, left] : allTerms())
    for (const auto &[rightText, right] : other.allTerms()) {
      Product factors = left.product;
      for (const auto &[name, factor] : right.product) {
        auto [mine, isNew] = factors.insert({name, factor});
        if (!isNew)
          mine->second.second += factor.second;
      }
      add(factors, product(left.factor, right.factor));
    }
  return Dim(product(constant, other.constant), std::move(all));
}

Dim Dim::floorDiv(int64_t divisor) const {
  assert(divisor > 0);
  // A term that is divided without remainder leaves the quotient: (d*q + r)/d is q + r/d.
  Terms whole, rest;
  for (const auto &[text, term] : allTerms()) {
    int64_t inFactor = floorOf(term.factor, divisor);
    whole[text] = {term.product, inFactor};
    rest[text] = {term.product, term.factor - inFactor * divisor};
  }
  int64_t inConstant = floorOf(constant, divisor);
  Dim quotient(inConstant, std::move(whole)),
      remainder(constant - inConstant * divisor, std::move(rest));
  if (remainder.isNumber()) // less than the divisor, and not negative
    return quotient;
  auto atom = std::make_shared<Atom>();
  atom->dividend = remainder;
  atom->by = divisor;
  return quotient + fromAtom(std::move(atom));
}

std::optional<Dim> Dim::exactDiv(int64_t divisor) const {
  assert(divisor > 0);
  if (this->divisor() % divisor != 0)
    return std::nullopt;
  return floorDiv(divisor);
}

std::optional<Dim> Dim::exactDiv(const Dim &product) const {
  if (std::optional<int64_t> number = product.number())
    return *number > 0 ? exactDiv(*number) : std::nullopt;
  if (product.constant != 0 || product.terms->size() != 1 || constant != 0)
    return std::nullopt;
  const Term &by = product.terms->begin()->second;
  Terms quotient;
  int64_t alone = 0;
  for (const auto &[text, term] : allTerms()) {
    Term rest = term;
    if (term.factor % by.factor != 0)
      return std::nullopt;
    rest.factor /= by.factor;
    for (const auto &[name, factor] : by.product) {
      auto mine = rest.product.find(name);
      if (mine == rest.product.end() || mine->second.second < factor.second)
        return std::nullopt;
      if ((mine->second.second -= factor.second) == 0)
        rest.product.erase(mine);
    }
    if (rest.product.empty())
      alone = rest.factor;
    else
      quotient[textOf(rest.product)] = rest;
  }
  return Dim(alone, std::move(quotient));
}

DimBounds Dim::bounds() const {
  DimBounds result{constant, constant};
  for (const auto &[text, term] : allTerms()) {
    DimBounds one{term.factor, term.factor};
    for (const auto &[name, factor] : term.product)
      for (int power = 0; power < factor.second; ++power)
        one = times(one, factor.first->bounds());
    result = plus(result, one);
  }
  return result;
}

int64_t Dim::divisor() const {
  int64_t result = std::abs(constant);
  for (const auto &[text, term] : allTerms())
    result = std::gcd(result, term.factor);
  return result;
}

int64_t Dim::valueFor(const std::map<std::string, int64_t> &sizes) const {
  int64_t result = constant;
  for (const auto &[text, term] : allTerms()) {
    int64_t one = term.factor;
    for (const auto &[name, factor] : term.product)
      for (int power = 0; power < factor.second; ++power)
        one = product(one, factor.first->valueFor(sizes));
    result = added(result, one);
  }
  return result;
}

std::vector<DimTerm> Dim::sum() const {
  std::vector<DimTerm> all;
  for (const auto &[text, term] : allTerms()) {
    DimTerm &one = all.emplace_back();
    one.coefficient = term.factor;
    for (const auto &[name, factor] : term.product) {
      const Atom &atom = *factor.first;
      if (!atom.symbol) {
        one.factors.push_back({nullptr, atom.dividend, atom.by, factor.second});
        continue;
      }
      // A multiple in the coefficient makes it the symbol itself.
      int whole = 0;
      for (int power = 0; power < factor.second; ++power) {
        int64_t common = std::gcd(one.coefficient, atom.by);
        one.coefficient /= common;
        if (common == atom.by)
          ++whole;
        else
          one.factors.push_back({nullptr, Dim(atom.symbol), atom.by / common, 1});
      }
      if (whole > 0)
        one.factors.push_back({atom.symbol, 0, 1, whole});
    }
  }
  if (constant != 0)
    all.push_back({constant, {}});
  return all;
}

std::map<std::string, std::shared_ptr<const DimSymbol>> Dim::symbols() const {
  std::map<std::string, std::shared_ptr<const DimSymbol>> all;
  for (const DimTerm &term : sum())
    for (const DimFactor &factor : term.factors) {
      if (factor.symbol)
        all[factor.symbol->name] = factor.symbol;
      all.merge(factor.dividend.symbols());
    }
  return all;
}

std::string Dim::str() const {
  std::string text;
  for (const DimTerm &term : sum()) {
    int64_t size = std::abs(term.coefficient);
    std::string factors;
    for (const DimFactor &factor : term.factors)
      for (int power = 0; power < factor.power; ++power)
        factors += (factors.empty() ? "" : "*") +
                   (factor.symbol ? factor.symbol->name
                                  : "floordiv(" + factor.dividend.str() + ", " +
                                        std::to_string(factor.divisor) + ")");
    text += text.empty() ? (term.coefficient < 0 ? "-" : "") : term.coefficient < 0 ? " - " : " + ";
    text += factors.empty() ? std::to_string(size)
                            : (size == 1 ? "" : std::to_string(size) + "*") + factors;
  }
  return text.empty() ? "0" : text;
}

} // namespace kgen
