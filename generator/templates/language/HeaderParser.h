// Parses headers of templates.
#pragma once

#include "templates/language/Header.h"

namespace kgen::templates {

class HeaderParser {
public:
  HeaderParser(llvm::StringRef text, std::vector<ExpressionError> &errors)
      : lexer{text}, errors(errors) {
    result.text = text;
  }

  std::optional<Template> parse();

private:
  bool fail(const char *at, std::string message, std::string hint = "");
  bool expect(llvm::StringRef token, llvm::StringRef behind);
  bool aliases();
  bool parameters();
  bool parameter();
  bool constraint(Parameter &parameter);
  bool set(Parameter &parameter, llvm::StringRef text);
  bool range(Parameter &parameter, llvm::StringRef text);
  bool defaultValue(Parameter &parameter);
  bool arguments();
  bool clauses();
  bool otherTemplate(llvm::StringRef &name);
  std::optional<Expression> expression();
  bool kernel();
  bool requirement();
  bool examples();
  bool bodyBlocks();
  BodyScope scopeOfParameters() const;

  Lexer lexer;
  std::vector<ExpressionError> &errors;
  Template result;
};

} // namespace kgen::templates
