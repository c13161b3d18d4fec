// Parameters of a template for a call, and the choice of the most special template.
#pragma once

#include "templates/language/Header.h"

namespace kgen::templates {

/// A size of an operand.
struct SizePlace {
  size_t operand = 0, dim = 0;
};

/// A parameter whose value a switch has to find out.
struct RunTimeParameter {
  const Parameter *parameter = nullptr;
  std::vector<SizePlace> places; ///< of its first size
  std::vector<Value> choices;
};

/// Arguments of a call of a template: the types of its operands, and what stands in `<...>`.
struct CallShape {
  std::vector<TypeTerm> operands;
  std::map<std::string, std::string, std::less<>> given; ///< values as texts
};

struct Match {
  Environment values; ///< without those of `atRunTime`
  std::vector<RunTimeParameter> atRunTime;
  ExpressionError refusal{};     ///< why the template cannot be called; empty: it can
  const char *otherAt = nullptr; ///< a second place in the header that the refusal is about

  bool fits() const { return refusal.message.empty(); }
};

/// Without a target, what a header asks of it counts as if it held: that is decided when there is
/// one.
Match matchCall(const Template &candidate, const CallShape &call, const TargetFacts *target);

/// True if the types of operands say what the parameter is.
bool followsFromOperands(const Template &candidate, llvm::StringRef parameter);

/// The number that a header's `cost` is; nothing if it has none, or after an error.
std::optional<double> costOf(const Template &candidate, const Environment &values,
                             const TargetFacts *target, ExpressionError &error);

/// True if all conditions hold; otherwise the first that does not, with the values. Without a
/// target, those that ask for it are left out.
bool holdRequirements(const Template &candidate, const Environment &values,
                      const TargetFacts *target, ExpressionError &error);

/// Finds the values of names in types, as far as they follow from other types.
class Unifier {
public:
  struct Bound {
    Value value;
    std::vector<SizePlace> places;
    const char *at = nullptr; ///< the use in the header
    bool isGiven = false;     ///< in `<...>`
  };

  explicit Unifier(const Template &candidate) : candidate(candidate) {}

  bool give(const Parameter &parameter, llvm::StringRef text);
  bool unify(const TypeTerm &formal, const TypeTerm &actual, size_t operand);

  std::map<llvm::StringRef, Bound> bound;
  ExpressionError error;
  const char *otherAt = nullptr;

private:
  bool fail(llvm::StringRef where, std::string message);
  bool bind(const Parameter &parameter, const Value &value, SizePlace place, llvm::StringRef where);
  bool mismatch(const TypeTerm &formal, const TypeTerm &actual, size_t operand);
  bool unifyDims(const TypeTerm &formal, const TypeTerm &actual, size_t operand);
  bool unifyDim(llvm::StringRef formal, llvm::StringRef actual, SizePlace place);
  std::string operandText(size_t operand) const;

  const Template &candidate;
};

/// True if `a` takes less than `b`: `b` takes every call that `a` takes, but not the other way
/// round.
bool isMoreSpecial(const Template &a, const Template &b);
/// The header of a template that would take what both take: "{T : any_type} @f(%x : tensor<8xT>)".
std::string decidingHeader(const Template &a, const Template &b);

} // namespace kgen::templates
