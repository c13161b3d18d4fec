// Unifies the types of arguments with those of operands.
#include "templates/language/Unify.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::templates {

using llvm::StringRef;

namespace {

bool isShapeParameter(const Template &candidate, StringRef dim) {
  const Parameter *parameter = candidate.find(dim);
  return dim == "*" || (parameter && parameter->kind == Value::Kind::shape);
}

/// Both, where a size that is known wins over `?`; nothing if they differ.
std::optional<Value> merged(const Value &a, const Value &b) {
  if (a.kind == Value::Kind::number && b.kind == Value::Kind::number)
    return a.isDynamic() ? b : b.isDynamic() || a == b ? std::optional(a) : std::nullopt;
  if (a.kind == Value::Kind::shape && b.kind == Value::Kind::shape &&
      a.sizes.size() == b.sizes.size()) {
    Value result = a;
    for (auto [size, other] : llvm::zip(result.sizes, b.sizes)) {
      if (size != other && size != dynamicSize && other != dynamicSize)
        return std::nullopt;
      size = size == dynamicSize ? other : size;
    }
    return result;
  }
  return a == b ? std::optional(a) : std::nullopt;
}

} // namespace

bool Unifier::fail(StringRef where, std::string message) {
  error = {where.data(), std::move(message)};
  return false;
}

std::string Unifier::operandText(size_t operand) const {
  return "operand #" + std::to_string(operand) +
         (operand < candidate.arguments.size()
              ? " (" + candidate.arguments[operand].name.str() + ")"
              : "");
}

bool Unifier::give(const Parameter &parameter, StringRef text) {
  std::optional<Value> value = parseValue(text, parameter.kind);
  if (!value)
    return fail(parameter.name, parameter.name.str() + " : " + parameter.constraint.str() +
                                    " cannot be " + text.str());
  bound[parameter.name] = {*parameter.converted(*value), {}, parameter.name.data(), true};
  return true;
}

bool Unifier::bind(const Parameter &parameter, const Value &value, SizePlace place,
                   StringRef where) {
  Value converted = parameter.converted(value).value_or(value);
  auto [entry, isNew] = bound.try_emplace(parameter.name, Bound{converted, {place}, where.data()});
  Bound &known = entry->second;
  if (isNew)
    return true;
  // A type of specs that was given stands for what it is stored in.
  bool isStored =
      known.isGiven && parameter.kind == Value::Kind::type && known.value.str() == value.str();
  std::optional<Value> both = isStored ? known.value : merged(known.value, converted);
  if (both) {
    known.value = *both;
    known.places.push_back(place);
    return true;
  }
  otherAt = known.at;
  return fail(where, parameter.name.str() + " is " + known.value.shown() + " in " +
                         (known.isGiven ? "<...>" : operandText(known.places.front().operand)) +
                         " and " + converted.shown() + " in " + operandText(place.operand));
}

bool Unifier::mismatch(const TypeTerm &formal, const TypeTerm &actual, size_t operand) {
  return fail(formal.full,
              operandText(operand) + " is " + actual.full.str() + ", not " + formal.full.str());
}

bool Unifier::unifyDim(StringRef formal, StringRef actual, SizePlace place) {
  const Parameter *parameter = candidate.find(formal);
  if (!parameter)
    return formal == actual || formal == "?" || actual == "?" || formal.starts_with("$(");
  std::optional<Value> value = parseValue(actual, parameter->kind);
  // In the order of templates the other's names take the place of sizes.
  return bind(*parameter, value.value_or(Value::makeString(actual.str())), place, formal);
}

bool Unifier::unifyDims(const TypeTerm &formal, const TypeTerm &actual, size_t operand) {
  size_t total = actual.dims.size(), declared = formal.dims.size();
  size_t wide =
      llvm::find_if(formal.dims, [&](StringRef d) { return isShapeParameter(candidate, d); }) -
      formal.dims.begin();
  bool isOpen = wide < declared;
  if (isOpen ? total + 1 < declared : total != declared)
    return mismatch(formal, actual, operand);
  for (size_t i = 0; i < declared; ++i) {
    StringRef dim = formal.dims[i];
    size_t at = i <= wide ? i : i + total - declared;
    if (i != wide) {
      if (!unifyDim(dim, actual.dims[at], {operand, at}))
        return error.message.empty() ? mismatch(formal, actual, operand) : false;
      continue;
    }
    std::string shape;
    for (size_t k = 0; k < total + 1 - declared; ++k)
      shape += (k ? "x" : "") + actual.dims[i + k].str();
    std::optional<Value> value = parseValue(shape, Value::Kind::shape);
    if (dim != "*" &&
        !bind(*candidate.find(dim), value.value_or(Value::makeString(shape)), {operand, i}, dim))
      return false;
  }
  return true;
}

bool Unifier::unify(const TypeTerm &formal, const TypeTerm &actual, size_t operand) {
  const Parameter *parameter = candidate.find(formal.base);
  if (!formal.element && parameter && parameter->kind == Value::Kind::type)
    return bind(*parameter, Value::makeType(actual.full.str()), {operand, 0}, formal.full);
  if (formal.base != actual.base || formal.tail != actual.tail ||
      !formal.element != !actual.element)
    return mismatch(formal, actual, operand);
  if (!formal.element)
    return true;
  if (llvm::is_contained(actual.dims, "*") && !llvm::is_contained(formal.dims, "*"))
    return fail(formal.full, operandText(operand) + " is " + actual.full.str() +
                                 ", whose rank is not known; " + formal.full.str() + " needs it");
  return unifyDims(formal, actual, operand) && unify(*formal.element, *actual.element, operand);
}

} // namespace kgen::templates
