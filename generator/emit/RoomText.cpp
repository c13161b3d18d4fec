#include "emit/RoomText.h"

#include "emit/Sizes.h"
#include "emit/StateLayout.h"
#include "emit/Template.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <set>

namespace kgen {
namespace {

using Kind = ElementTerm::Kind;

constexpr char elements[] = R"(
/* Integers of 64 bits wrap around, as they do in the code. */
static uint64_t kgenrt_i64_at(const void *tensor, uint64_t index) {
  uint64_t element;
  memcpy(&element, (const unsigned char *)tensor + index * sizeof element, sizeof element);
  return element;
}
)";
constexpr char narrowed[] = R"(
static uint64_t kgenrt_as_i32(uint64_t x) { return (x & 0xffffffffu) - ((x & 0x80000000u) << 1); }
)";
constexpr char narrowElements[] = R"(
static uint64_t kgenrt_i32_at(const void *tensor, uint64_t index) {
  uint32_t element;
  memcpy(&element, (const unsigned char *)tensor + index * sizeof element, sizeof element);
  return kgenrt_as_i32(element);
}
)";
/// With another sign bit, unsigned numbers have the order of signed ones.
constexpr char greater[] = R"(
static uint64_t kgenrt_max(uint64_t a, uint64_t b) { return (a ^ UINT64_C(1) << 63) > (b ^ UINT64_C(1) << 63) ? a : b; }
)";
constexpr char lesser[] = R"(
static uint64_t kgenrt_min(uint64_t a, uint64_t b) { return (a ^ UINT64_C(1) << 63) < (b ^ UINT64_C(1) << 63) ? a : b; }
)";

bool usesCounter(const ElementTerm &term, const std::vector<ElementLoop> &loops) {
  auto isCounter = [&](const ElementLoop &loop) {
    return term.kind == Kind::counter && loop.counter == term.number;
  };
  return llvm::any_of(loops, isCounter) ||
         llvm::any_of(term.operands,
                      [&](const ElementTermPtr &operand) { return usesCounter(*operand, loops); });
}

/// True if a part is reduced that depends on a counter of the loops.
bool reducesLoops(const ElementTerm &term, const std::vector<ElementLoop> &loops) {
  return (term.kind == Kind::reduced && usesCounter(term, loops)) ||
         llvm::any_of(term.operands,
                      [&](const ElementTermPtr &operand) { return reducesLoops(*operand, loops); });
}

/// Lines of statements as they stand in a function: two spaces for each block, `for` and `if`.
std::string indented(llvm::StringRef text) {
  std::string result;
  std::vector<size_t> blocks; // what the lines that open them have
  size_t level = 1;
  for (llvm::StringRef rest = text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    if (line.starts_with("}")) {
      level = blocks.back();
      blocks.pop_back();
    }
    result += std::string(2 * level, ' ') + line.str() + "\n";
    const bool isHead = line.starts_with("for ") || line.starts_with("if ");
    if (line.ends_with("{"))
      blocks.push_back(level);
    level = line.ends_with("{") || isHead ? level + 1 : blocks.empty() ? 1 : blocks.back() + 1;
  }
  return result;
}

/// A check as text.
class RoomCheck {
public:
  RoomCheck(const LibraryInterface &library, const GraphInterface &graph)
      : library(library), parameters(graphParameters(library, graph)) {
    for (const auto &[dim, name] : parameterNames(sizeParameters(library, graph)))
      names[dim] = "(uint64_t)" + name;
  }

  std::string text(const RoomInterface &room) {
    const std::string position = termText(*room.position);
    const bool isInLoops = reducesLoops(*room.position, room.loops);
    const std::string loops = loopsText(room.loops, isInLoops);
    const std::string before = isInLoops ? loops + statements : statements + loops;
    const std::string capacity = sizeText(room.capacity), rows = sizeText(room.rows);
    // As they are unsigned, negative positions are the greatest ones.
    std::string isFull = room.countsFromEnd ? position + " + " + capacity + " >= 2 * " + capacity
                                            : position + " > " + capacity + " - " + rows;
    if (room.rows.bounds().min < 1)
      isFull = rows + " != 0 && " + isFull;
    return indented("{\n" + before + "if (" + isFull + ")\nreturn " + upperCase(library.name) +
                    "_STATE_FULL;\n" + (isInLoops ? "}\n" : "") + "}\n");
  }

private:
  static std::string nameOf(size_t counter) { return "kgenrt_i" + std::to_string(counter); }

  std::string sizeText(const Dim &size) const {
    if (std::optional<int64_t> number = size.number())
      return *number < 0 ? "(0 - UINT64_C(" + std::to_string(-*number) + "))"
                         : "UINT64_C(" + std::to_string(*number) + ")";
    return "(" + kgen::sizeText(size, {names, "/"}) + ")";
  }

  std::string loopsText(const std::vector<ElementLoop> &loops, bool isBlock) const {
    std::string text;
    for (const ElementLoop &loop : loops) {
      const std::string name = nameOf(loop.counter);
      text += "for (uint64_t " + name + " = 0; " + name + " < " + sizeText(loop.count) + "; ++" +
              name + ")" + (isBlock && &loop == &loops.back() ? " {\n" : "\n");
    }
    return text;
  }

  std::string tensorText(size_t input) const {
    const Parameter &parameter = parameters[input];
    return parameter.state.empty()
               ? parameter.name
               : "(const unsigned char *)state + " + offsetText(library, parameter.state);
  }

  std::string termText(const ElementTerm &term) {
    if (term.kind == Kind::reduced)
      return reductionText(term);
    std::vector<std::string> operands; // one after the other: they add statements
    for (const ElementTermPtr &operand : term.operands)
      operands.push_back(termText(*operand));
    auto binary = [&](const char *sign) { return "(" + operands[0] + sign + operands[1] + ")"; };
    switch (term.kind) {
    case Kind::size:
      return sizeText(term.size);
    case Kind::counter:
      return nameOf(term.number);
    case Kind::element:
      return std::string(term.isNarrow ? "kgenrt_i32_at(" : "kgenrt_i64_at(") +
             tensorText(term.number) + ", " + operands[0] + ")";
    case Kind::listed:
      return listText(term, operands[0]);
    case Kind::sum:
      return binary(" + ");
    case Kind::difference:
      return binary(" - ");
    case Kind::product:
      return binary(" * ");
    case Kind::quotient:
      return binary(" / ");
    case Kind::remainder:
      return binary(" % ");
    case Kind::greater:
    case Kind::lesser:
      return combination(term.kind, operands[0], operands[1]);
    case Kind::narrowed:
      return "kgenrt_as_i32(" + operands[0] + ")";
    case Kind::reduced:
      break;
    }
    return "";
  }

  static std::string combination(Kind kind, const std::string &a, const std::string &b) {
    if (kind == Kind::sum)
      return a + " + " + b;
    return (kind == Kind::greater ? "kgenrt_max(" : "kgenrt_min(") + a + ", " + b + ")";
  }

  std::string listText(const ElementTerm &term, const std::string &index) {
    std::string name = "kgenrt_list" + std::to_string(made++), numbers;
    for (int64_t number : term.list)
      numbers += (numbers.empty() ? "" : ", ") + sizeText(number);
    statements += "static const uint64_t " + name + "[] = {" + numbers + "};\n";
    return name + "[" + index + "]";
  }

  /// A variable that is computed before.
  std::string reductionText(const ElementTerm &term) {
    std::string name = "kgenrt_m" + std::to_string(made++), before = std::move(statements);
    const char *first = term.combine == Kind::sum       ? "0"
                        : term.combine == Kind::greater ? "UINT64_C(1) << 63"
                                                        : "UINT64_MAX >> 1";
    statements.clear();
    const std::string body = combination(term.combine, name, termText(*term.operands[0]));
    const bool isBlock = !statements.empty();
    statements = before + "uint64_t " + name + " = " + first + ";\n" +
                 loopsText(term.loops, isBlock) + statements + name + " = " + body + ";\n" +
                 (isBlock ? "}\n" : "");
    return name;
  }

  const LibraryInterface &library;
  const std::vector<Parameter> parameters;
  SizeNames names;
  std::string statements;
  size_t made = 0;
};

void addKinds(const ElementTerm &term, std::set<std::pair<Kind, bool>> &kinds) {
  kinds.insert({term.kind, term.kind == Kind::element && term.isNarrow});
  if (term.kind == Kind::reduced)
    kinds.insert({term.combine, false});
  for (const ElementTermPtr &operand : term.operands)
    addKinds(*operand, kinds);
}

} // namespace

std::string roomFunctions(const LibraryInterface &library) {
  std::set<std::pair<Kind, bool>> kinds;
  for (const GraphInterface &graph : library.graphs)
    for (const RoomInterface &room : graph.rooms)
      addKinds(*room.position, kinds);
  const bool readsNarrow = kinds.count({Kind::element, true});
  std::string text;
  auto add = [&](bool isUsed, const char *function) {
    if (isUsed)
      text += fillTemplate(function, {});
  };
  add(kinds.count({Kind::element, false}), elements);
  add(readsNarrow || kinds.count({Kind::narrowed, false}), narrowed);
  add(readsNarrow, narrowElements);
  add(kinds.count({Kind::greater, false}), greater);
  add(kinds.count({Kind::lesser, false}), lesser);
  return text;
}

std::string roomChecks(const LibraryInterface &library, const GraphInterface &graph) {
  std::string text;
  for (const RoomInterface &room : graph.rooms) {
    std::string check = RoomCheck(library, graph).text(room);
    if (text.find(check) == std::string::npos) // caches share their positions
      text += check;
  }
  return text;
}

} // namespace kgen
