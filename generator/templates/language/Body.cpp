// Takes bodies apart: text and its sizes, names and calls.
#include "templates/language/BodyParser.h"

#include "support/MlirText.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::templates {

using llvm::StringRef;

namespace {

/// Brackets within each other in an instance's text.
constexpr unsigned maxNesting = 200;
/// Errors that are reported of one template.
constexpr size_t maxErrors = 100;

/// Terminators besides those that end in `.yield`.
bool isTerminator(Token token) {
  static constexpr StringRef names[] = {"return",     "func.return",   "cf.br",
                                        "cf.cond_br", "scf.condition", "scf.forall.in_parallel"};
  return token.kind == Token::Kind::word &&
         (llvm::is_contained(names, token.text) || token.text.ends_with(".yield"));
}

} // namespace

Block BodyParser::parse(StringRef text) {
  Block block;
  Lexer lexer{text};
  const char *done = text.begin();
  int depth = 0;
  while (true) {
    Token token = lexer.next();
    text = between(done, token.text.begin());
    if (!text.empty())
      block.pieces.push_back({Piece::Kind::verbatim, text});
    if (!token || isTooMuch(token))
      return block;
    depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    std::vector<StringRef> results;
    Token op = operationAt(lexer, token, results);
    if (isControl(op)) {
      block.yields |= depth == 0 && op.is("template.yield");
      control(lexer, op, std::move(results), block, depth == 0);
    } else {
      block.terminates |= depth == 0 && isTerminator(token);
      plain(lexer, token, block);
    }
    done = lexer.rest.begin();
  }
}

Token BodyParser::operationAt(Lexer &lexer, Token token, std::vector<StringRef> &results) {
  if (!token.hasSigil('%') || token.text.begin() < notResults)
    return token;
  Lexer ahead = lexer;
  results = {token.text};
  while (ahead.eat(","))
    results.push_back(ahead.next().text);
  Token op = ahead.eat("=") ? ahead.next() : Token();
  if (isControl(op) && !op.is("template.constant")) {
    lexer = ahead;
    return op;
  }
  results.clear();
  notResults = ahead.rest.begin();
  return token;
}

/// Brackets within each other, or errors; nothing more is read then.
bool BodyParser::isTooMuch(Token token) {
  if (token.kind == Token::Kind::punctuation) {
    nesting += StringRef("([{<").contains(token.text);
    nesting -= nesting && StringRef(")]}>").contains(token.text);
  }
  if (nesting > maxNesting)
    fail(token.text.data(),
         "more than " + std::to_string(maxNesting) + " brackets are open within each other");
  if (token.kind == Token::Kind::number && token.text.size() >= tooManyDigits &&
      llvm::all_of(token.text, llvm::isDigit))
    fail(token.text.data(), "expected a number of 64 bits");
  return nesting > maxNesting || errors.size() >= maxErrors;
}

bool BodyParser::isControl(Token token) {
  return token.kind == Token::Kind::word && token.text.starts_with("template.") &&
         !token.is("template.call");
}

void BodyParser::fail(const char *at, std::string message, std::string hint) {
  errors.push_back({at, std::move(message), std::move(hint)});
}

/// A token that is no operation of templates.
void BodyParser::plain(Lexer &lexer, Token token, Block &block) {
  auto add = [&](Piece::Kind kind, StringRef text) { block.pieces.push_back({kind, text}); };
  if (beginsSizes(token, lexer)) {
    lexer.next();
    ++nesting;
    add(Piece::Kind::verbatim, between(token.text.begin(), lexer.rest.begin()));
    sizes(lexer, block);
  } else if (token.is("template.call")) {
    add(Piece::Kind::verbatim, token.text);
    call(lexer, block);
  } else if (token.is("$(")) {
    if (std::optional<Expression> value = expression(lexer))
      block.pieces.push_back({Piece::Kind::expression, token.text, std::move(value)});
    if (!lexer.eat(")"))
      fail(lexer.place(), "expected ')' behind '$(', found " + quoted(lexer.peek()));
  } else if (token.hasSigil('%')) {
    add(Piece::Kind::id, token.text);
  } else {
    add(token.kind == Token::Kind::word && isParameterName(token.text) ? Piece::Kind::name
                                                                       : Piece::Kind::verbatim,
        token.text);
  }
}

/// The sizes of a shaped type, whose `<` has been read.
void BodyParser::sizes(Lexer &lexer, Block &block) {
  auto isSize = [&](StringRef word) { return scope.sizes.count(word) != 0; };
  while (true) {
    const char *begin = lexer.rest.begin();
    std::optional<StringRef> dim = parseSizeOfType(lexer, isSize);
    if (!dim)
      break;
    if (Lexer inner{*dim}; inner.eat("$(")) {
      if (std::optional<Expression> value = expression(inner))
        block.pieces.push_back({Piece::Kind::size, *dim, std::move(value)});
    } else if (isSize(*dim)) {
      block.pieces.push_back({Piece::Kind::size, *dim});
    } else {
      block.pieces.push_back({Piece::Kind::verbatim, between(begin, lexer.rest.begin())});
    }
  }
  // No type of MLIR begins with a capital letter: what is left is a name that is not known.
  Token element = lexer.peek();
  if (element.kind == Token::Kind::word && llvm::isUpper(element.text.front()) &&
      !scope.names.count(element.text)) {
    ExpressionError error =
        unknownValue(element.text.data(), element.text, {scope.names.begin(), scope.names.end()});
    error.message += " in a type";
    errors.push_back(std::move(error));
  }
}

/// `@name<K = 3, T = f32>` after template.call.
void BodyParser::call(Lexer &lexer, Block &block) {
  const char *begin = lexer.rest.begin();
  auto verbatim = [&] {
    block.pieces.push_back({Piece::Kind::verbatim, between(begin, lexer.rest.begin())});
  };
  if (!lexer.peek().hasSigil('@')) {
    fail(lexer.place(), "expected '@' and a template's name, found " + quoted(lexer.peek()));
    return;
  }
  lexer.next();
  if (!lexer.rest.starts_with("<")) {
    verbatim();
    return;
  }
  do {
    lexer.next(); // < or ,
    if (!isParameterName(lexer.peek().text)) {
      fail(lexer.place(), "expected a parameter's name, found " + quoted(lexer.peek()));
      break;
    }
    lexer.next();
    if (!lexer.eat("=")) {
      fail(lexer.place(), "expected '=', found " + quoted(lexer.peek()));
      break;
    }
    verbatim();
    begin = lexer.rest.begin();
    StringRef value = lexer.until([](Token t) { return t.is(",") || t.is(">"); });
    Lexer inside{value};
    if (std::optional<Expression> e = expression(inside)) {
      block.pieces.push_back({Piece::Kind::argument, value.ltrim(), std::move(e)});
      if (inside.peek())
        lexer.rest = between(inside.place(), lexer.rest.end());
    }
    begin = lexer.rest.begin();
  } while (lexer.peek().is(","));
  if (!lexer.eat(">"))
    fail(lexer.place(), "expected ',' or '>', found " + quoted(lexer.peek()));
  verbatim();
}

/// An expression whose names are known.
std::optional<Expression> BodyParser::expression(Lexer &lexer) {
  ExpressionError error;
  std::optional<Expression> result = parseExpression(lexer, error);
  if (!result) {
    errors.push_back(std::move(error));
    return std::nullopt;
  }
  visitNames(*result, [&](const Expression &name) {
    if (!scope.names.count(name.text) && !isScalarType(name.text))
      errors.push_back(unknownValue(name.at, name.text, {scope.names.begin(), scope.names.end()}));
  });
  return result;
}

/// Returns what stands in braces; the scope is that of the block alone.
Block BodyParser::braces(Lexer &lexer, bool &valid) {
  if (!lexer.peek().is("{")) {
    fail(lexer.place(), "expected a block in braces, found " + quoted(lexer.peek()));
    valid = false;
    return {};
  }
  std::optional<StringRef> text = lexer.brackets();
  if (!text) {
    fail(lexer.place(), "the block is not closed");
    valid = false;
    return {};
  }
  BodyScope outer = scope;
  unsigned outerNesting = nesting++;
  Block block = parse(*text);
  nesting = outerNesting;
  scope = std::move(outer);
  return block;
}

Block parseBlock(StringRef text, BodyScope scope, std::vector<ExpressionError> &errors) {
  return BodyParser(std::move(scope), errors).parse(text);
}

} // namespace kgen::templates
