// Sizes that may be known at run time only: polynomials of named sizes with bounds, and what floor
// divisions leave of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct DimTerm;

/// A size with a name: every multiple of `multiple` from `min` to `max`, which are multiples, too.
struct DimSymbol {
  std::string name;
  int64_t min = 1, max = 1, multiple = 1;
  std::string state{}; ///< of the library, which holds it when a call begins; "": callers give it

  bool contains(int64_t size) const { return size >= min && size <= max && size % multiple == 0; }
  /// "1 to 64", "16 to 2048, a multiple of 16".
  std::string range() const {
    std::string text = std::to_string(min) + " to " + std::to_string(max);
    return multiple == 1 ? text : text + ", a multiple of " + std::to_string(multiple);
  }
};

/// The least and the greatest value that something can have. Both saturate.
struct DimBounds {
  int64_t min = 0, max = 0;
};

/// An integer, or an integer polynomial of symbols and of floor divisions of such by positive
/// integers. Equal ones are written the same way, as far as that is decided: sums are sorted, and a
/// division gives up what it divides without remainder, also of a symbol that is a multiple: twice
/// the half of an even one is the symbol. Coefficients saturate, as sizes of tensors do: no tensor
/// has so many elements.
class Dim {
public:
  Dim(int64_t number = 0) : constant(number) {} // implicit: numbers are sizes
  explicit Dim(std::shared_ptr<const DimSymbol> symbol);

  bool isNumber() const { return !terms; }
  /// The number, if it is one: nothing stands for a size that is not known.
  std::optional<int64_t> number() const {
    return terms ? std::nullopt : std::optional<int64_t>(constant);
  }

  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  /// Rounded down; `divisor` is positive.
  Dim floorDiv(int64_t divisor) const;
  Dim ceilDiv(int64_t divisor) const { return (*this + Dim(divisor - 1)).floorDiv(divisor); }
  Dim modulo(int64_t divisor) const { return *this - floorDiv(divisor) * Dim(divisor); }
  /// The quotient, if it is an integer whatever the symbols are.
  std::optional<Dim> exactDiv(int64_t divisor) const;

  /// The quotient of the polynomials, if the divisor is a product and it is one whose coefficients
  /// are integers: what is left where the product is 0 is open.
  std::optional<Dim> exactDiv(const Dim &product) const;

  /// True for equal polynomials. Different ones may still have the same values.
  bool operator==(const Dim &other) const { return (*this - other).number() == 0; }
  bool operator!=(const Dim &other) const { return !(*this == other); }

  /// Returns what it can be, from the bounds of its parts: never too narrow, sometimes too wide.
  DimBounds bounds() const;
  /// An integer that divides it whatever the symbols are; 0 for 0.
  int64_t divisor() const;
  /// Its value for sizes by name, all of which are there; saturates.
  int64_t valueFor(const std::map<std::string, int64_t> &sizes) const;

  /// "2*batch*length + 3", "floordiv(length + 1, 2)"; other symbols give other texts.
  std::string str() const;

  /// Returns what it is the sum of; a term without factors for what is added to the others, if that
  /// is not 0.
  std::vector<DimTerm> sum() const;
  /// Those that it consists of, by name.
  std::map<std::string, std::shared_ptr<const DimSymbol>> symbols() const;

private:
  struct Atom;
  /// Factors of a product by their texts, with their powers.
  using Product = std::map<std::string, std::pair<std::shared_ptr<const Atom>, int>>;
  struct Term {
    Product product;
    int64_t factor = 0;
  };
  /// By the text of the product.
  using Terms = std::map<std::string, Term>;

  Dim(int64_t constant, Terms terms);
  static std::string textOf(const Product &product);
  static Dim fromAtom(std::shared_ptr<const Atom> atom);
  const Terms &allTerms() const;

  int64_t constant;
  std::shared_ptr<const Terms> terms; ///< none of them with factor 0; null: there are none
};

/// A power of a symbol, or of the floor of `dividend` / `divisor`.
struct DimFactor {
  std::shared_ptr<const DimSymbol> symbol; ///< null: a quotient
  Dim dividend;
  int64_t divisor = 1;
  int power = 1;
};

/// A product.
struct DimTerm {
  int64_t coefficient = 0;
  std::vector<DimFactor> factors;
};

} // namespace kgen
