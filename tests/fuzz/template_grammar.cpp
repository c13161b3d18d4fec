// Files of templates from a grammar of the language.
#include "template_words.h"
#include "texts.h"

#include <algorithm>
#include <utility>

namespace {

struct Function {
  std::string name;
  Names parameters;
  Names arguments; ///< types
  std::string result;
};

class Grammar {
public:
  explicit Grammar(std::mt19937 &random) : random(random) {}

  std::string file() {
    std::string text = below(4) ? "" : "#same = affine_map<(i) -> (i)>\n!pair = vector<2xf32>\n";
    for (unsigned i = 1 + below(3); i-- > 0;)
      text += templateFunction();
    text += "func.func @f(";
    std::string calls;
    for (unsigned i = 1 + below(3), number = 0; i-- > 0;)
      calls += callFromOutside(text, number);
    return text + ") {\n" + calls + "  return\n}\n";
  }

private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random() % end); }
  bool oneIn(unsigned n) { return below(n) == 0; }
  const std::string &pick(const Names &names) { return names[below(unsigned(names.size()))]; }

  std::string nameOfKind(char kind) {
    Names known;
    for (const std::string &name : names)
      if (name[0] == kind)
        known.push_back(name);
    return known.empty() || oneIn(40) ? "" : pick(known);
  }

  std::string number(unsigned depth = 0) {
    std::string name = nameOfKind('N'), shape = nameOfKind('S');
    switch (depth > 4 ? below(2) : below(12)) {
    case 0:
      return name.empty() ? "8" : name;
    case 1:
      return std::to_string(below(20));
    case 2:
      return number(depth + 1) + pick({" + ", " * ", " - ", " / ", " % "}) + number(depth + 1);
    case 3:
      return "(" + number(depth + 1) + ")";
    case 4:
      return pick({"min", "max", "floordiv", "ceildiv"}) + "(" + number(depth + 1) + ", " +
             number(depth + 1) + ")";
    case 5:
      return shape.empty() ? "-1" : "rank(" + shape + ")";
    case 6:
      return shape.empty() ? "3" : shape + "[" + number(depth + 1) + "]";
    case 7:
      return "bitwidth(" + type() + ")";
    case 8:
      return "size(" + list(depth + 1) + ")";
    case 9:
      return "target(\"vector_bits\")";
    case 10:
      return shape.empty() ? "9223372036854775807" : "elements(" + shape + ")";
    default:
      return list(depth + 1) + "[" + number(depth + 1) + "]";
    }
  }

  std::string list(unsigned depth) {
    std::string shape = nameOfKind('S');
    switch (depth > 4 ? 0 : below(6)) {
    case 0:
      return "[1, 2, 3]";
    case 1:
      return "range(" + number(depth + 1) + ", " + number(depth + 1) + ")";
    case 2:
      return "repeat(" + number(depth + 1) + ", " + number(depth + 1) + ")";
    case 3:
      return "concat(" + list(depth + 1) + ", " + list(depth + 1) + ")";
    case 4:
      return shape.empty() ? "[]" : "sizes(" + shape + ")";
    default:
      return "[" + number(depth + 1) + ", " + list(depth + 1) + "]";
    }
  }

  std::string condition(unsigned depth = 0) {
    std::string flag = nameOfKind('B'), text = nameOfKind('E'), real = nameOfKind('R');
    switch (depth > 3 ? below(2) : below(9)) {
    case 0:
      return number(3) + pick({" == ", " != ", " < ", " <= ", " > ", " >= "}) + number(3);
    case 1:
      return flag.empty() ? "true" : flag;
    case 2:
      return condition(depth + 1) + pick({" && ", " || "}) + condition(depth + 1);
    case 3:
      return "!" + pick({"is_float", "is_integer", "is_unsigned"}) + "(" + type() + ")";
    case 4:
      return "is_same(" + type() + ", " + pick({"f32", "bf16", type()}) + ")";
    case 5:
      return text.empty() ? "target(\"avx2\")" : text + " == \"a\"";
    case 6:
      return real.empty() ? "1.5 < 2" : "sqrt(" + real + ") * 2 > 1.0e-3";
    case 7:
      return "!(" + condition(depth + 1) + ")";
    default:
      return "target(\"avx512f\")";
    }
  }

  std::string type() {
    std::string name = nameOfKind('T');
    return name.empty() || oneIn(4) ? pick({"f32", "i8", "bf16", "index"})
           : oneIn(6)               ? "compute(" + name + ")"
                                    : name;
  }
  std::string element() {
    std::string name = nameOfKind('T');
    return name.empty() || oneIn(3) ? pick({"f32", "f32", "i8", "bf16"}) : name;
  }

  std::string shaped() {
    std::string sizes;
    for (unsigned i = below(4); i-- > 0;) {
      std::string name = nameOfKind(oneIn(4) ? 'S' : 'N');
      sizes += (name.empty() ? pick({"4", "8", "?"})
                : oneIn(8)   ? "$(" + name + (name[0] == 'N' ? " * 2)" : "[0])")
                             : name) +
               "x";
    }
    return pick({"tensor<", "tensor<", "memref<"}) + sizes + element() + ">";
  }

  std::string defined(const std::string &type) {
    std::string name = "%v" + std::to_string(++numValues);
    known.push_back({name, type});
    return name;
  }
  std::pair<std::string, std::string> anyValue() {
    return known.empty() || oneIn(60) ? std::pair<std::string, std::string>{"%none", "f32"}
                                      : known[below(unsigned(known.size()))];
  }

  std::string call() {
    if (functions.empty())
      return "";
    const Function &callee = functions[below(unsigned(functions.size()))];
    std::string given, operands, types;
    for (const std::string &parameter : callee.parameters)
      if (oneIn(2))
        given += (given.empty() ? "" : ", ") + parameter + " = " +
                 (oneIn(2) || nameOfKind(parameter[0]).empty() ? pick(values.at(parameter[0]))
                  : parameter[0] == 'N' && oneIn(2)            ? nameOfKind('N') + " - 1"
                                                               : nameOfKind(parameter[0]));
    for (size_t i = 0; i < callee.arguments.size(); ++i) {
      auto [value, type] = anyValue();
      operands += (i ? ", " : "") + value;
      types += (i ? ", " : "") + type;
    }
    std::string result = callee.result.empty() ? "" : anyValue().second;
    return "  " + (result.empty() ? "" : defined(result) + " = ") + "template.call @" +
           callee.name + (given.empty() ? "" : "<" + given + ">") + "(" + operands + ") : (" +
           types + ") -> " + (result.empty() ? "()" : result) + "\n";
  }

  /// Names of the block stay its own.
  std::string block(unsigned depth, const std::string &yielded = "") {
    Names outerNames = names;
    auto outerValues = known;
    std::string text = "{\n" + statements(depth + 1);
    if (!yielded.empty())
      text += "  " + constant(yielded) + "  template.yield " + known.back().first + " : " +
              yielded + "\n";
    names = outerNames;
    known = outerValues;
    return text + "  }";
  }

  std::string constant(const std::string &type) {
    std::string value = oneIn(3) ? number(3) : oneIn(3) ? "0.5" : "1";
    return defined(type) + " = template.constant " + value + " : " + type + "\n";
  }

  std::string choice(unsigned depth) {
    std::string subject = nameOfKind("TSNBER"[below(6)]);
    if (subject.empty())
      return "";
    std::string text = "  template." +
                       pick({"const_switch ", "type_switch ", "shape_switch ", "value_switch "}) +
                       subject + "\n";
    for (unsigned i = 1 + below(3); i-- > 0;)
      text += "  case " + pick(values.at(subject[0])) +
              (oneIn(3) ? ", " + pick(values.at(subject[0])) : "") + " " + block(depth) + "\n";
    return text + (oneIn(5) ? "" : "  default " + block(depth) + "\n");
  }

  std::string loop(unsigned depth) {
    std::string variable = "N" + std::to_string(++numNames), type = element();
    bool carries = oneIn(2);
    std::string text, initial, result;
    if (carries) {
      text = "  " + constant(type);
      initial = known.back().first;
      result = defined(type);
      text += "  " + result + " =";
      known.pop_back();
    }
    text += "  template.const_for " + variable + " = 0 to " + number(3) +
            (oneIn(3) ? " step " + number(4) : "") + " ";
    if (carries)
      text += "iter_args(%a = " + initial + ") -> (" + type + ") ";
    names.push_back(variable);
    text += block(depth, carries ? type : "") + "\n";
    names.pop_back();
    if (carries)
      known.push_back({result, type});
    return text;
  }

  std::string generic() {
    std::string type = "tensor<" + (oneIn(2) || nameOfKind('S').empty() ? "4" : nameOfKind('S')) +
                       "x" + element() + ">";
    std::string rank = nameOfKind('S').empty() ? "1" : "rank(" + nameOfKind('S') + ")";
    std::string input = defined(type), result = defined(type), element = "f32";
    return "  " + input + " = tensor.empty() : " + type + "\n  " + result +
           " = linalg.generic {indexing_maps = [$(identity(" + rank + ")), $(projection(" + rank +
           ", range(0, " + rank + ")))], iterator_types = [$(repeat(\"parallel\", " + rank +
           "))]} ins(" + input + " : " + type + ") outs(" + input + " : " + type +
           ") {\n  ^bb0(%p: " + element + ", %q: " + element +
           "):\n    linalg.yield %p : " + element + "\n  } -> " + type + "\n";
  }

  std::string statement(unsigned depth) {
    std::string type = element();
    switch (depth > 3 ? below(4) : below(14)) {
    case 0:
      return "  " + constant(oneIn(3) ? "vector<4x" + type + ">" : type);
    case 1: {
      std::string value = number();
      names.push_back("N" + std::to_string(++numNames));
      return "  template.let " + names.back() + " = " + value + "\n";
    }
    case 2: {
      auto [value, valueType] = anyValue();
      return "  " + defined(valueType) + pick({" = arith.addf ", " = arith.muli "}) + value + ", " +
             value + " : " + valueType + "\n";
    }
    case 3:
    case 4:
      return call();
    case 5:
    case 6:
      return "  template.const_if " + condition() + " " + block(depth) +
             (oneIn(3)   ? ""
              : oneIn(3) ? " else template.const_if " + condition() + " " + block(depth)
                         : " else " + block(depth)) +
             "\n";
    case 7: {
      std::string test = condition(), one = block(depth, type), other = block(depth, type);
      return "  " + defined(type) + " = template.const_if " + test + " -> " + type + " " + one +
             " else " + other + "\n";
    }
    case 8:
      return choice(depth);
    case 9:
      return loop(depth);
    case 10:
      return generic();
    case 11:
      return "  template.assert " + condition() + ", \"text\"\n";
    case 12: {
      std::string made = shaped();
      return "  " + defined(made) + (made[0] == 't' ? " = tensor.empty" : " = memref.alloc") +
             "() : " + made + "\n";
    }
    default:
      return oneIn(4)   ? "  template.result N99 = " + number() + "\n"
             : oneIn(6) ? "  template.error \"text\"\n"
                        : "  func.call @instance() : () -> ()\n";
    }
  }

  std::string statements(unsigned depth) {
    std::string text;
    for (unsigned i = below(depth == 0 ? 6 : 3); i-- > 0;)
      text += statement(depth);
    return text;
  }

  std::string templateFunction() {
    Function made;
    names.clear();
    known.clear();
    std::string header;
    for (unsigned i = below(4); i-- > 0;) {
      char kind = "TSNNBER"[below(7)];
      std::string name = kind + std::to_string(below(3));
      if (std::find(names.begin(), names.end(), name) != names.end())
        continue;
      names.push_back(name);
      header += (header.empty() ? "" : ", ") + name + " : " + pick(constraints.at(kind));
    }
    made.parameters = names;
    made.name = functions.empty() || oneIn(3) ? "g" + std::to_string(functions.size())
                                              : functions.back().name;
    std::string arguments;
    for (unsigned i = below(3); i-- > 0;) {
      made.arguments.push_back(shaped());
      arguments += (arguments.empty() ? "" : ", ") + defined(made.arguments.back()) + " : " +
                   made.arguments.back();
    }
    if (!known.empty() && !oneIn(3))
      made.result = known.front().second;
    functions.push_back(made);
    std::string text = "template.func " + (header.empty() ? "" : "{" + header + "} ") + "@" +
                       made.name + "(" + arguments + ")" +
                       (made.result.empty() ? "" : " -> " + made.result);
    if (oneIn(4))
      text += " requires " + condition() + ", \"text\"";
    if (oneIn(8))
      text += " reference @g0";
    std::string result = made.result.empty() ? "" : " " + known.front().first + " : " + made.result;
    text += " {\n" + statements(0);
    if (oneIn(4))
      text += "  template.const_if " + condition() + " {\n  return" + result +
              "\n  } else {\n  return" + result + "\n  }\n";
    else
      text += "  return" + result + "\n";
    return text + "}\n";
  }

  /// The type with a value for each parameter in it.
  std::string instantiated(const std::string &type,
                           const std::map<std::string, std::string> &with) {
    std::string result;
    for (size_t i = 0; i < type.size();) {
      auto found = with.find(type.substr(i, 2));
      result += found == with.end() ? type.substr(i, 1) : found->second;
      i += found == with.end() ? 1 : 2;
    }
    return result;
  }

  std::string callFromOutside(std::string &signature, unsigned &number) {
    const Function &callee = functions[below(unsigned(functions.size()))];
    std::map<std::string, std::string> with;
    std::string given, operands, types;
    for (const std::string &parameter : callee.parameters) {
      with[parameter] = pick(values.at(parameter[0]));
      bool isInType = false;
      for (const std::string &argument : callee.arguments)
        isInType |= argument.find(parameter) != std::string::npos;
      if (!isInType || oneIn(6))
        given += (given.empty() ? "" : ", ") + parameter + " = " + with[parameter];
    }
    for (const std::string &argument : callee.arguments) {
      std::string name = "%x" + std::to_string(number++), type = instantiated(argument, with);
      signature += (number > 1 ? ", " : "") + name + ": " + type;
      operands += (operands.empty() ? "" : ", ") + name;
      types += (types.empty() ? "" : ", ") + type;
    }
    std::string result = instantiated(callee.result, with);
    return "  " + (result.empty() ? "" : "%r" + std::to_string(++numValues) + " = ") +
           "template.call @" + callee.name + (given.empty() ? "" : "<" + given + ">") + "(" +
           operands + ") : (" + types + ") -> " + (result.empty() ? "()" : result) + "\n";
  }

  std::mt19937 &random;
  std::vector<Function> functions;
  Names names;                                            ///< parameters and what `let` defined
  std::vector<std::pair<std::string, std::string>> known; ///< values and their types
  unsigned numValues = 0, numNames = 9;
};

} // namespace

std::string makeTemplates(std::mt19937 &random) { return Grammar(random).file(); }
