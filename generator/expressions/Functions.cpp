// The functions of expressions.
#include "expressions/Expression.h"

#include "support/Diagnostics.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cmath>

namespace kgen::expressions {

using llvm::StringRef;

namespace {

struct Call {
  StringRef name;
  const char *at;
  const std::vector<Value> &arguments;
  const Scope &scope;
  ExpressionError &error;

  std::optional<Value> fail(std::string message, std::string hint = "") const {
    if (error.message.empty())
      error = {at, std::move(message), std::move(hint)};
    return std::nullopt;
  }
  const Value &operator[](size_t i) const { return arguments[i]; }
  int64_t number(size_t i) const { return arguments[i].number; }
  StringRef type(size_t i) const { return arguments[i].text; }
};

using Result = std::optional<Value>;

Result target(const Call &call) {
  const TargetFacts *facts = call.scope.target;
  if (!facts)
    return call.fail("no target is known here");
  auto number = facts->numbers.find(call[0].text);
  return number != facts->numbers.end()
             ? Value::makeNumber(number->second)
             : Value::makeBoolean(llvm::is_contained(facts->features, call[0].text));
}

Result elements(const Call &call) {
  int64_t count = 1;
  for (int64_t size : call[0].sizes)
    if (size == dynamicSize || llvm::MulOverflow(count, size, count))
      return call.fail("the shape " + call[0].shown() + " has no number of elements");
  return Value::makeNumber(count);
}

Result range(const Call &call) {
  int64_t begin = call.number(0), end = call.number(1), size = 0;
  if (llvm::SubOverflow(end, begin, size) || size > maxListSize)
    return call.fail("a list has at most " + std::to_string(maxListSize) + " items");
  std::vector<Value> items;
  for (int64_t i = begin; i < end; ++i)
    items.push_back(Value::makeNumber(i));
  return Value::makeList(std::move(items));
}

/// Items and bytes of a value.
std::pair<int64_t, int64_t> sizeOf(const Value &value) {
  std::pair<int64_t, int64_t> size{value.kind != Value::Kind::list,
                                   value.text.size() + value.sizes.size() * sizeof(int64_t)};
  for (const Value &item : value.items) {
    auto [items, bytes] = sizeOf(item);
    size.first += std::max<int64_t>(items, 1);
    size.second += bytes;
  }
  return size;
}

Result repeat(const Call &call) {
  int64_t count = call.number(1);
  auto [items, bytes] = sizeOf(call[0]);
  if (count < 0 || count > maxListSize || count * std::max<int64_t>(items, 1) > maxListSize ||
      count * bytes > maxListBytes)
    return call.fail("a list has 0 to " + std::to_string(maxListSize) + " items, not " +
                     call[1].shown() + (items > 1 ? " of " + std::to_string(items) : ""));
  return Value::makeList(std::vector<Value>(size_t(count), call[0]));
}

Result concatenate(const Call &call) {
  std::vector<Value> items = call[0].items;
  items.insert(items.end(), call[1].items.begin(), call[1].items.end());
  Value list = Value::makeList(std::move(items));
  if (isTooLarge(list))
    return call.fail("a list has at most " + std::to_string(maxListSize) + " items");
  return list;
}

/// affine_map<(d0, d1) -> (...)>; nothing if a dimension is not one of the first `rank`.
Result makeMap(const Call &call, int64_t rank, const std::vector<Value> &results) {
  if (rank < 0 || rank > 64)
    return call.fail("a map has 0 to 64 dimensions, not " + std::to_string(rank));
  std::string dims, values;
  for (int64_t i = 0; i < rank; ++i)
    dims += (i ? ", d" : "d") + std::to_string(i);
  for (const Value &result : results) {
    if (result.kind != Value::Kind::number || result.number < 0 || result.number >= rank)
      return call.fail("a map of " + std::to_string(rank) + " dimensions has no dimension " +
                       result.shown());
    values += (values.empty() ? "d" : ", d") + std::to_string(result.number);
  }
  return Value::makeAttribute("affine_map<(" + dims + ") -> (" + values + ")>");
}

Result identity(const Call &call) {
  std::vector<Value> results;
  for (int64_t i = 0; i < std::min<int64_t>(call.number(0), 64); ++i)
    results.push_back(Value::makeNumber(i));
  return makeMap(call, call.number(0), results);
}

Result projection(const Call &call) { return makeMap(call, call.number(0), call[1].items); }

Result extremum(const Call &call, bool smallest) {
  bool less = *call[0].asReal() < *call[1].asReal();
  if (call[0].kind == Value::Kind::number && call[1].kind == Value::Kind::number)
    less = call.number(0) < call.number(1);
  return less == smallest ? call[0] : call[1];
}

/// The kinds that an argument may have: a letter each of t(ype) s(hape) n(umber) b(ool) q(uoted)
/// r(eal or whole number) l(ist), or `*` for any.
struct Function {
  const char *name, *kinds;
  Result (*run)(const Call &);
};

const Function functionTable[] = {
    {"is_same", "**", [](const Call &c) -> Result { return Value::makeBoolean(c[0] == c[1]); }},
    {"rank", "s", [](const Call &c) -> Result { return Value::makeNumber(c[0].sizes.size()); }},
    {"dim", "sn", [](const Call &c) { return itemOf(c[0], c[1], c.at, c.error); }},
    {"elements", "s", elements},
    {"bitwidth", "t",
     [](const Call &c) -> Result {
       if (!bitsOfType(c.type(0)))
         return c.fail("'" + c[0].text + "' has no number of bits");
       return Value::makeNumber(bitsOfType(c.type(0)));
     }},
    {"is_float", "t",
     [](const Call &c) -> Result { return Value::makeBoolean(isFloatType(c.type(0))); }},
    {"is_integer", "t",
     [](const Call &c) -> Result { return Value::makeBoolean(isIntegerType(c.type(0))); }},
    {"is_unsigned", "t",
     [](const Call &c) -> Result { return Value::makeBoolean(isUnsignedType(c.type(0))); }},
    // bf16 and f16 are computed in f32.
    {"compute", "t",
     [](const Call &c) -> Result {
       bool narrow = isFloatType(c.type(0)) && bitsOfType(c.type(0)) < 32;
       return Value::makeType(narrow ? "f32" : c[0].text);
     }},
    {"min", "rr", [](const Call &c) { return extremum(c, true); }},
    {"max", "rr", [](const Call &c) { return extremum(c, false); }},
    {"floordiv", "nn",
     [](const Call &c) -> Result {
       if (c.number(1) <= 0)
         return c.fail("floordiv needs a positive divisor");
       return Value::makeNumber(llvm::divideFloorSigned(c.number(0), c.number(1)));
     }},
    {"ceildiv", "nn",
     [](const Call &c) -> Result {
       if (c.number(1) <= 0)
         return c.fail("ceildiv needs a positive divisor");
       return Value::makeNumber(llvm::divideCeilSigned(c.number(0), c.number(1)));
     }},
    {"sqrt", "r",
     [](const Call &c) -> Result {
       if (*c[0].asReal() < 0)
         return c.fail("sqrt(" + c[0].shown() + ") is not a number");
       return Value::makeReal(std::sqrt(*c[0].asReal()));
     }},
    {"range", "nn", range},
    {"repeat", "*n", repeat},
    {"concat", "ll", concatenate},
    {"size", "l", [](const Call &c) -> Result { return Value::makeNumber(c[0].items.size()); }},
    {"sizes", "s",
     [](const Call &c) -> Result {
       std::vector<Value> items;
       for (int64_t size : c[0].sizes)
         items.push_back(Value::makeNumber(size));
       return Value::makeList(std::move(items));
     }},
    {"identity", "n", identity},
    {"projection", "nl", projection},
    {"target", "q", target},
};

const Function *findFunction(StringRef name) {
  const Function *found =
      llvm::find_if(functionTable, [&](const Function &f) { return name == f.name; });
  return found == std::end(functionTable) ? nullptr : found;
}

bool hasKind(const Value &value, char kind) {
  if (kind == '*')
    return true;
  if (value.kind == Value::Kind::number && value.isDynamic())
    return false;
  return kind == 'r' ? value.asReal().has_value() : "tsnbqrla"[size_t(value.kind)] == kind;
}

} // namespace

bool isTooLarge(const Value &list) {
  auto [items, bytes] = sizeOf(list);
  return items > maxListSize || bytes > maxListBytes;
}

std::optional<std::string> checkFunction(StringRef name, size_t arguments) {
  const Function *function = findFunction(name);
  if (!function) {
    std::vector<std::string> names;
    for (const Function &f : functionTable)
      names.push_back(f.name);
    return "there is no function '" + name.str() + "'" + didYouMean(name, names);
  }
  size_t wanted = StringRef(function->kinds).size();
  if (wanted == arguments)
    return std::nullopt;
  return name.str() + " takes " + std::to_string(wanted) + " argument" + (wanted == 1 ? "" : "s") +
         ", not " + std::to_string(arguments);
}

std::optional<Value> callFunction(StringRef name, const char *at,
                                  const std::vector<Value> &arguments, const Scope &scope,
                                  ExpressionError &error) {
  const Function *function = findFunction(name);
  Call call{name, at, arguments, scope, error};
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!hasKind(arguments[i], function->kinds[i]))
      return call.fail(name.str() + " does not take " + arguments[i].shown() + " (a " +
                       toString(arguments[i].kind).str() + ") as argument #" + std::to_string(i));
  return function->run(call);
}

std::optional<Value> itemOf(const Value &of, const Value &index, const char *at,
                            ExpressionError &error) {
  auto fail = [&](std::string message) {
    if (error.message.empty())
      error = {at, std::move(message)};
    return std::nullopt;
  };
  bool isShape = of.kind == Value::Kind::shape;
  if ((!isShape && of.kind != Value::Kind::list) || index.kind != Value::Kind::number)
    return fail("expected a number behind a shape or a list, found " + of.shown() + "[" +
                index.shown() + "]");
  size_t size = isShape ? of.sizes.size() : of.items.size();
  if (index.number < 0 || size_t(index.number) >= size)
    return fail(of.shown() + " has no item " + index.shown());
  return isShape ? Value::makeNumber(of.sizes[index.number]) : of.items[index.number];
}

} // namespace kgen::expressions
