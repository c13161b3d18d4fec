#include "templates/language/Quote.h"

#include "expressions/Lexer.h"

#include <llvm/ADT/StringExtras.h>

#include <map>
#include <set>
#include <vector>

namespace kgen::templates {

using namespace expressions;

using llvm::StringRef;

namespace {

class Quoter {
public:
  explicit Quoter(StringRef file) : file(file) {}

  std::string run() {
    collectAliases();
    Lexer lexer{file};
    const char *done = file.begin();
    while (Token token = lexer.next()) {
      if (!token.is("template.func") || isQuoted(lexer))
        continue;
      const char *begin = lexer.rest.begin();
      if (!skipTemplate(lexer))
        break; // MLIR's parser will say that it expects a string
      StringRef text = between(begin, lexer.rest.begin());
      result += between(done, begin);
      std::string aliases = aliasesOf(text);
      if (!aliases.empty())
        result += " aliases " + quote(aliases);
      // MLIR's parser reports what it does not expect as "after the string": that is the template's
      // last line.
      result.append(text.count('\n'), '\n');
      result += " " + quote(text);
      done = lexer.rest.begin();
    }
    return result += between(done, file.end());
  }

  std::vector<StringRef> texts() const {
    std::vector<StringRef> all;
    Lexer lexer{file};
    while (Token token = lexer.next()) {
      if (!token.is("template.func"))
        continue;
      const char *begin = lexer.rest.begin();
      if (!skipTemplate(lexer))
        return all.push_back(lexer.rest), all; // its parser will say what is not closed
      all.push_back(between(begin, lexer.rest.begin()));
    }
    return all;
  }

private:
  static bool isQuoted(Lexer behind) {
    behind.eat("aliases");
    return behind.peek().kind == Token::Kind::string;
  }

  static bool skipTemplate(Lexer &lexer) {
    if (lexer.eat("aliases") && !lexer.brackets())
      return false;
    if (lexer.peek().is("{") && !lexer.brackets())
      return false;
    while (Token token = lexer.peek()) {
      if (token.is("{")) // the body
        return lexer.brackets().has_value();
      bool hasBraces = token.is("examples") || token.is("ukernel.gemm");
      lexer.next();
      if (hasBraces && (!lexer.peek().is("{") || !lexer.brackets()))
        return false;
      if (token.is("(") || token.is("[")) {
        lexer.rest = between(token.text.begin(), lexer.rest.end());
        if (!lexer.brackets())
          return false;
      }
    }
    return false;
  }

  /// `#map = ...` and `!T = ...` at the beginnings of lines.
  void collectAliases() {
    Lexer lexer{file};
    while (Token token = lexer.next()) {
      if (token.is("template.func")) { // one that was printed has its own
        if (lexer.eat("aliases"))
          lexer.brackets();
        continue;
      }
      bool isAlias = token.hasSigil('#') || token.hasSigil('!');
      bool atLine = token.text.begin() == file.begin() || token.text.begin()[-1] == '\n';
      Lexer ahead = lexer;
      if (!isAlias || !atLine || !ahead.eat("="))
        continue;
      lexer = ahead;
      skipDefinition(lexer);
      aliases[token.text.str()] = between(token.text.begin(), lexer.rest.begin()).rtrim();
      order.push_back(token.text.str());
    }
  }

  /// To the end of the line on which all brackets are closed.
  static void skipDefinition(Lexer &lexer) {
    int depth = 0;
    bool isEmpty = true;
    while (Token token = lexer.peek()) {
      bool newLine = between(lexer.rest.begin(), token.text.begin()).contains('\n');
      if (newLine && depth <= 0 && !isEmpty)
        return;
      isEmpty = false;
      if (token.kind == Token::Kind::punctuation)
        depth += StringRef("([{<$(").contains(token.text) ? 1
                 : StringRef(")]}>").contains(token.text) ? -1
                                                          : 0;
      lexer.next();
    }
  }

  /// Those that a text uses, and those that these use, in the file's order.
  std::string aliasesOf(StringRef text) const {
    std::set<std::string> used;
    std::vector<StringRef> work{text};
    while (!work.empty()) {
      Lexer lexer{work.back()};
      work.pop_back();
      while (Token token = lexer.next()) {
        auto found = aliases.find(token.text.str());
        if (found != aliases.end() && used.insert(found->first).second)
          work.push_back(found->second);
      }
    }
    std::string all;
    for (const std::string &name : order)
      if (used.count(name))
        all += (all.empty() ? "" : "\n") + aliases.at(name).str();
    return all;
  }

  static std::string quote(StringRef text) {
    std::string quoted = "\"";
    for (unsigned char c : text) {
      if (c == '"' || c == '\\' || !llvm::isPrint(c))
        quoted += {'\\', llvm::hexdigit(c >> 4), llvm::hexdigit(c & 15)};
      else
        quoted += char(c);
    }
    return quoted + '"';
  }

  StringRef file;
  std::string result;
  std::map<std::string, StringRef> aliases;
  std::vector<std::string> order;
};

} // namespace

bool hasTemplates(StringRef file) { return findWord(file, "template.func"); }

std::vector<StringRef> templateTexts(StringRef file) { return Quoter(file).texts(); }

std::string quoteTemplates(StringRef file) { return Quoter(file).run(); }

} // namespace kgen::templates
