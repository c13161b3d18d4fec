// The order of templates of one name.
#include "templates/language/Unify.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen::templates {

using llvm::StringRef;

namespace {

/// The parameter of `of` that a value names: in the order of templates names take the place of
/// sizes, shapes and types.
const Parameter *namedBy(const Template &of, const Value &value) { return of.find(value.text); }

/// True if everything that `narrow` may be, `wide` may be.
bool coversParameter(const Parameter &wide, const Parameter &narrow) {
  if (narrow.takesDynamic && !wide.takesDynamic)
    return false;
  if (wide.set.empty())
    return true;
  return !narrow.set.empty() &&
         llvm::all_of(narrow.set, [&](const Value &v) { return wide.allows(v); });
}

bool takesAllOf(const Template &wide, const Template &narrow) {
  if (wide.arguments.size() != narrow.arguments.size() ||
      wide.requirements.size() > narrow.requirements.size())
    return false;
  Unifier unifier(wide);
  for (auto [formal, actual] : llvm::zip(wide.arguments, narrow.arguments))
    if (!unifier.unify(formal.type, actual.type, 0))
      return false;
  for (const Parameter &parameter : wide.parameters) {
    auto found = unifier.bound.find(parameter.name);
    if (found == unifier.bound.end())
      continue;
    const Value &value = found->second.value;
    const Parameter *other = namedBy(narrow, value);
    bool isLiteral = value.kind == parameter.kind && !other;
    if (other ? !coversParameter(parameter, *other) : isLiteral && !parameter.allows(value))
      return false;
  }
  return true;
}

/// A header for both templates: made of the text of the first one, with the second's literals.
class CommonHeader {
public:
  CommonHeader(const Template &a, const Template &b) : a(a), b(b) {}

  std::string str() {
    for (auto [left, right] : llvm::zip(a.arguments, b.arguments))
      collect(left.type, right.type);
    std::string arguments;
    for (auto [left, right] : llvm::zip(a.arguments, b.arguments))
      arguments +=
          (arguments.empty() ? "" : ", ") + left.name.str() + " : " + both(left.type, right.type);
    std::string parameters;
    for (const Parameter &parameter : a.parameters)
      if (!literals.count(parameter.name))
        parameters += (parameters.empty() ? "" : ", ") + parameter.name.str() + " : " +
                      constraintOf(parameter);
    return (parameters.empty() ? "" : "{" + parameters + "} ") + "@" + a.name.str() + "(" +
           arguments + ")";
  }

private:
  void pair(StringRef left, StringRef right) {
    const Parameter *p = a.find(left), *q = b.find(right);
    if (p && q)
      partners[left] = q;
    else if (p)
      literals[left] = right;
  }

  void collect(const TypeTerm &left, const TypeTerm &right) {
    if (left.dims.size() == right.dims.size())
      for (auto [dim, other] : llvm::zip(left.dims, right.dims))
        pair(dim, other);
    if (left.element && right.element)
      collect(*left.element, *right.element);
    else if (!left.element)
      pair(left.full, right.full);
  }

  std::string word(StringRef left) const {
    auto found = literals.find(left);
    return (found == literals.end() ? left : found->second).str();
  }

  std::string both(const TypeTerm &left, const TypeTerm &right) const {
    if (!left.element || !right.element)
      return word(left.full);
    std::string dims;
    // Sizes where the other has a shape.
    const TypeTerm &longer = left.dims.size() >= right.dims.size() ? left : right;
    for (StringRef dim : longer.dims)
      dims += word(dim) + "x";
    return left.base.str() + "<" + dims + both(*left.element, *right.element) + left.tail.str() +
           ">";
  }

  std::string constraintOf(const Parameter &parameter) const {
    auto found = partners.find(parameter.name);
    if (found == partners.end() || found->second->set.empty())
      return parameter.constraint.str();
    if (parameter.set.empty())
      return found->second->constraint.str();
    std::string members;
    for (const Value &member : parameter.set)
      if (found->second->allows(member))
        members += (members.empty() ? "" : ", ") + member.shown();
    return parameter.constraint.take_until([](char c) { return c == '<'; }).str() + "<" + members +
           ">";
  }

  const Template &a, &b;
  std::map<StringRef, const Parameter *> partners;
  std::map<StringRef, StringRef> literals;
};

} // namespace

bool isMoreSpecial(const Template &a, const Template &b) {
  return takesAllOf(b, a) && !takesAllOf(a, b);
}

std::string decidingHeader(const Template &a, const Template &b) {
  return CommonHeader(a, b).str();
}

} // namespace kgen::templates
