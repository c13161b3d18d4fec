// Common parts of tests of templates: a template with its text.
#pragma once

#include "templates/language/Expand.h"
#include "templates/language/Unify.h"

#include <memory>

namespace kgen::templates {

struct TextTemplate {
  std::unique_ptr<std::string> text;
  std::vector<ExpressionError> errors;
  std::optional<Template> parsed;

  explicit TextTemplate(std::string source)
      : text(std::make_unique<std::string>(std::move(source))),
        parsed(parseTemplate(*text, errors)) {}

  /// "line:column: message" for each error.
  std::string errorText() const {
    std::string all;
    for (const ExpressionError &error : errors) {
      llvm::StringRef before(text->data(), error.at - text->data());
      all += (all.empty() ? "" : "\n") + std::to_string(before.count('\n') + 1) + ":" +
             std::to_string(before.size() - (before.rfind('\n') + 1) + 1) + ": " + error.message;
    }
    return all;
  }
};

/// `{"tensor<4x8xf32>", ...}` as a call, with `<...>`.
struct TextCall {
  std::vector<std::unique_ptr<std::string>> texts;
  CallShape shape;

  explicit TextCall(const std::vector<std::string> &operands,
                    std::map<std::string, std::string, std::less<>> given = {}) {
    shape.given = std::move(given);
    for (const std::string &operand : operands) {
      texts.push_back(std::make_unique<std::string>(operand));
      Lexer lexer{*texts.back()};
      ExpressionError error;
      shape.operands.push_back(parseTypeTerm(lexer, {}, error).value());
    }
  }
};

} // namespace kgen::templates
