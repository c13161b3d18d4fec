// Headers of templates, but for their parameters and clauses.
#include "templates/language/HeaderParser.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::templates {

using llvm::StringRef;

const Parameter *Template::find(StringRef wanted) const {
  auto found = llvm::find_if(parameters, [&](const Parameter &p) { return p.name == wanted; });
  return found == parameters.end() ? nullptr : &*found;
}

bool HeaderParser::fail(const char *at, std::string message, std::string hint) {
  errors.push_back({at, std::move(message), std::move(hint)});
  return false;
}

bool HeaderParser::expect(StringRef token, StringRef behind) {
  return lexer.eat(token) || fail(lexer.place(), "expected '" + token.str() + "' " + behind.str() +
                                                     ", found " + quoted(lexer.peek()));
}

std::optional<Template> HeaderParser::parse() {
  size_t before = errors.size();
  if (result.text.size() > maxTextBytes) {
    fail(result.text.data(), "the template is longer than 1 MiB");
    return std::nullopt;
  }
  if (!aliases() || !parameters())
    return std::nullopt;
  Token name = lexer.peek();
  if (!name.hasSigil('@')) {
    fail(lexer.place(), "expected '@' and the template's name, found " + quoted(name));
    return std::nullopt;
  }
  lexer.next();
  result.name = name.text.drop_front().trim('"');
  if (!arguments() || !clauses() || !bodyBlocks() || errors.size() > before)
    return std::nullopt;
  return std::move(result);
}

/// Aliases of the file that the template was written in.
bool HeaderParser::aliases() {
  if (!lexer.eat("aliases"))
    return true;
  std::optional<StringRef> text = lexer.peek().is("{") ? lexer.brackets() : std::nullopt;
  if (!text)
    return fail(lexer.place(), "expected aliases in braces, found " + quoted(lexer.peek()));
  result.aliases = *text;
  return true;
}

/// `(%a : type, %b : type)`.
bool HeaderParser::arguments() {
  auto isSize = [scope = scopeOfParameters()](StringRef word) {
    return scope.sizes.count(word) != 0;
  };
  const char *begin = lexer.place();
  if (!expect("(", "and the arguments"))
    return false;
  while (!lexer.eat(")")) {
    if (!result.arguments.empty() && !expect(",", "or ')' behind an argument"))
      return false;
    Token name = lexer.next();
    if (!name.hasSigil('%'))
      return fail(name.text.data(), "expected '%name : type' or ')', found " + quoted(name));
    if (!expect(":", "and a type"))
      return false;
    ExpressionError error;
    std::optional<TypeTerm> type = parseTypeTerm(lexer, isSize, error);
    if (!type) {
      errors.push_back(std::move(error));
      return false;
    }
    result.arguments.push_back({name.text, std::move(*type)});
  }
  result.signature = between(begin, lexer.rest.begin());
  return true;
}

BodyScope HeaderParser::scopeOfParameters() const {
  BodyScope scope;
  for (const Parameter &p : result.parameters) {
    scope.names.insert(p.name.str());
    if (p.kind == Value::Kind::number || p.kind == Value::Kind::shape)
      scope.sizes.insert(p.name.str());
    if (!p.set.empty())
      scope.sets[p.name.str()] = p.set;
  }
  return scope;
}

/// The names after `template.result` in a body.
static std::set<std::string, std::less<>> decidedNames(StringRef body) {
  std::set<std::string, std::less<>> names;
  Lexer lexer{body};
  while (Token token = lexer.next())
    if (token.is("template.result") && isParameterName(lexer.peek().text))
      names.insert(lexer.peek().text.str());
  return names;
}

bool HeaderParser::bodyBlocks() {
  if (!lexer.peek().is("{"))
    return fail(lexer.place(), "expected a body in braces, found " + quoted(lexer.peek()));
  const char *begin = lexer.place();
  std::optional<StringRef> body = lexer.brackets();
  if (!body)
    return fail(begin, "the body is not closed");
  if (lexer.peek())
    return fail(lexer.place(), "expected nothing behind the body, found " + quoted(lexer.peek()));
  BodyScope scope = scopeOfParameters();
  result.decided = decidedNames(*body);
  result.signatureBlock = parseBlock(result.signature, scope, errors);
  result.body = parseBlock(*body, scope, errors);
  for (const std::string &name : result.decided) {
    scope.names.insert(name);
    scope.sizes.insert(name);
  }
  result.results = parseBlock(result.resultText, scope, errors);
  return true;
}

std::optional<Template> parseTemplate(StringRef text, std::vector<ExpressionError> &errors) {
  return HeaderParser(text, errors).parse();
}

} // namespace kgen::templates
