#include "ingress/mlir/FileText.h"

#include "expressions/Lexer.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

using llvm::StringRef;

namespace kgen {
namespace {

using expressions::between;
using expressions::Lexer;
using expressions::Token;

struct Item {
  enum class Kind { operation, function, module, alias, resources };
  Kind kind = Kind::operation;
  StringRef name; ///< of a symbol without '@', or of an alias with its sigil; may be empty
  StringRef text;
  StringRef body; ///< what stands in its last braces; null: it has none
};

/// Reads what stands side by side.
class ItemReader {
public:
  explicit ItemReader(StringRef text) : lexer{text} {}

  std::vector<Item> read() {
    std::vector<Item> items;
    while (Token token = lexer.peek())
      items.push_back(isAlias(token)  ? readAlias()
                      : token.is("{") ? readResources()
                                      : readOperation());
    return items;
  }

private:
  bool isAlias(Token token) const {
    Lexer ahead = lexer;
    ahead.next();
    return (token.hasSigil('#') || token.hasSigil('!')) && ahead.eat("=");
  }

  /// "func.func", "module", "%0 =", "\"dialect.operation\"(".
  bool beginsOperation(Token token) const {
    if (token.kind == Token::Kind::word)
      return token.text.contains('.') || token.text == "module" || token.text == "func";
    Lexer ahead = lexer;
    ahead.next();
    return (token.hasSigil('%') && ahead.eat("=")) ||
           (token.kind == Token::Kind::string && ahead.eat("("));
  }

  static int depthOf(Token token) {
    if (token.kind != Token::Kind::punctuation)
      return 0;
    if (StringRef("([{<").contains(token.text) || token.is("$("))
      return 1;
    return StringRef(")]}>").contains(token.text) ? -1 : 0;
  }

  /// To the end of the line on which all brackets are closed.
  Item readAlias() {
    const char *begin = lexer.place();
    StringRef name = lexer.next().text;
    lexer.next(); // =
    int depth = 0;
    for (bool isFirst = true; Token token = lexer.peek(); isFirst = false) {
      bool isNewLine = between(lexer.rest.begin(), token.text.begin()).contains('\n');
      if (isNewLine && depth <= 0 && !isFirst)
        break;
      depth += depthOf(token);
      lexer.next();
    }
    return {Item::Kind::alias, name, between(begin, lexer.rest.begin()), {}};
  }

  /// `{-# ... #-}`, or brackets that belong to nothing.
  Item readResources() {
    const char *begin = lexer.place();
    size_t end = lexer.rest.find("#-}");
    if (!isResources(lexer.peek()) || end == StringRef::npos) {
      lexer.brackets();
      return {Item::Kind::operation, {}, between(begin, lexer.rest.begin()), {}};
    }
    lexer.rest = lexer.rest.drop_front(end + 3);
    return {Item::Kind::resources, {}, between(begin, lexer.rest.begin()), {}};
  }

  /// To the next thing outside of brackets.
  Item readOperation() {
    Item item;
    const char *begin = lexer.place();
    Token first = lexer.next();
    if (first.is("module") || first.is("builtin.module"))
      item.kind = Item::Kind::module;
    bool isFunction = first.is("func.func") || first.is("func");
    for (Token last = first; Token token = lexer.peek(); last = token) {
      if (isAlias(token) || beginsOperation(token) || isResources(token))
        break;
      if (token.hasSigil('@') && item.name.empty())
        item.name = token.text.drop_front().trim('"');
      bool isOpen = depthOf(token) > 0 && !token.is("<");
      if (!isOpen) {
        lexer.next();
        continue;
      }
      std::optional<StringRef> inner = lexer.brackets();
      if (token.is("{") && !last.is("attributes"))
        item.body = inner.value_or(lexer.rest);
    }
    item.text = between(begin, lexer.rest.begin());
    if (isFunction)
      item.kind = Item::Kind::function;
    if (first.kind == Token::Kind::string)
      readGeneric(first, item);
    return item;
  }

  bool isResources(Token token) const {
    return between(token.text.begin(), lexer.rest.end()).starts_with("{-#");
  }

  /// `"func.func"() <{sym_name = "f", ...}> ({ ... })`.
  static void readGeneric(Token operation, Item &item) {
    auto [before, behind] = item.text.split("sym_name = \"");
    item.name = behind.take_until([](char c) { return c == '"'; });
    if (operation.text == "\"func.func\"")
      item.kind = Item::Kind::function;
  }

  Lexer lexer;
};

/// Returns what stands in the file, or in the only module of it; aliases and resources stand around
/// it.
std::vector<Item> itemsOf(StringRef file) {
  std::vector<Item> items = ItemReader(file).read(), inner;
  Item *module = nullptr;
  for (Item &item : items) {
    bool isAround = item.kind == Item::Kind::alias || item.kind == Item::Kind::resources;
    if (!isAround && (module || item.kind != Item::Kind::module || !item.body.data()))
      return items;
    if (!isAround)
      module = &item;
  }
  if (!module)
    return items;
  inner = itemsOf(module->body);
  for (Item &item : items)
    if (&item != module)
      inner.push_back(item);
  return inner;
}

/// The symbols and aliases that a text names.
llvm::StringSet<> namesIn(StringRef text) {
  llvm::StringSet<> names;
  Lexer lexer{text};
  while (Token token = lexer.next()) {
    if (token.hasSigil('@'))
      names.insert(token.text.drop_front().trim('"'));
    else if (token.hasSigil('#') || token.hasSigil('!'))
      names.insert(token.text.take_until([](char c) { return c == '.'; }));
  }
  return names;
}

} // namespace

std::vector<std::string> functionsInText(StringRef file) {
  std::vector<std::string> names;
  for (const Item &item : itemsOf(file))
    if (item.kind == Item::Kind::function && item.body.data() && !item.name.empty())
      names.push_back(item.name.str());
  return names;
}

std::optional<CutText> cutFunction(StringRef file, StringRef function) {
  std::vector<Item> items = itemsOf(file);
  llvm::StringMap<const Item *> byName;
  for (const Item &item : items)
    if (!item.name.empty() && item.kind != Item::Kind::module)
      byName.insert({item.name, &item});
  auto chosen = byName.find(function);
  if (chosen == byName.end() || chosen->second->kind != Item::Kind::function)
    return std::nullopt;
  llvm::StringSet<> kept;
  std::vector<const Item *> open{chosen->second};
  kept.insert(function);
  CutText cut;
  cut.text.reserve(file.size());
  for (char c : file)
    cut.text += c == '\n' ? '\n' : ' ';
  auto keep = [&](const Item &item) {
    std::copy(item.text.begin(), item.text.end(),
              cut.text.begin() + (item.text.begin() - file.begin()));
  };
  while (!open.empty()) {
    const Item *item = open.back();
    open.pop_back();
    keep(*item);
    for (const auto &name : namesIn(item->text))
      if (auto found = byName.find(name.getKey()); found != byName.end())
        if (kept.insert(name.getKey()).second)
          open.push_back(found->second);
  }
  for (const Item &item : items)
    if (item.kind == Item::Kind::resources)
      keep(item);
    else if (item.kind == Item::Kind::function && item.body.data() && !kept.contains(item.name))
      cut.others.push_back(item.name.str());
  return cut;
}

} // namespace kgen
