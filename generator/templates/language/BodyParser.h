// The parser of bodies: Body.cpp reads text, Control.cpp operations of templates.
#pragma once

#include "templates/language/Body.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen::templates {

class BodyParser {
public:
  BodyParser(BodyScope scope, std::vector<ExpressionError> &errors)
      : scope(std::move(scope)), errors(errors) {}

  Block parse(llvm::StringRef text);

private:
  void fail(const char *at, std::string message, std::string hint = "");
  static bool isControl(Token token);
  /// The operation whose results `token` begins, `lexer` being after it; else `token`.
  Token operationAt(Lexer &lexer, Token token, std::vector<llvm::StringRef> &results);
  bool isTooMuch(Token token);
  void plain(Lexer &lexer, Token token, Block &block);
  void sizes(Lexer &lexer, Block &block);
  void call(Lexer &lexer, Block &block);
  std::optional<Expression> expression(Lexer &lexer);
  Block braces(Lexer &lexer, bool &valid);

  /// Reads an operation of templates, whose name was read, into `block`.
  void control(Lexer &lexer, Token op, std::vector<llvm::StringRef> results, Block &block,
               bool isTopLevel);
  bool readControl(Lexer &lexer, Token op, Control &control);
  bool conditions(Lexer &lexer, Control &control);
  bool choice(Lexer &lexer, Control &control);
  bool choiceBranch(Lexer &lexer, Control &control);
  void checkCases(const Control &control);
  bool loop(Lexer &lexer, Control &control);
  bool loopArguments(Lexer &lexer, Control &control);
  bool definition(Lexer &lexer, Control &control);
  bool constant(Lexer &lexer, Control &control);
  bool type(Lexer &lexer, Block &block);
  bool empty(Lexer &lexer, Control &control);
  bool message(Lexer &lexer, Control &control);
  void resultTypes(Lexer &lexer, Control &control);

  BodyScope scope;
  std::vector<ExpressionError> &errors;
  unsigned depth = 0;               ///< of blocks
  unsigned nesting = 0;             ///< of brackets in text for MLIR's parser, which recurses
  const char *notResults = nullptr; ///< in front of it, no names of results begin
};

} // namespace kgen::templates
