// Expressions of templates, and of `$(...)` in specs.
#pragma once

#include "expressions/Lexer.h"
#include "expressions/Value.h"

namespace kgen::expressions {

struct Expression {
  enum class Kind {
    literal, ///< `value`
    name,    ///< `text`
    unary,   ///< `text` is - or !
    binary,  ///< `text` is the operator
    call,    ///< `text` is the function, without `template.` or `template::`
    index,   ///< operands[0][operands[1]]
    list,    ///< [a, b]
  };
  Kind kind = Kind::literal;
  const char *at = nullptr;
  llvm::StringRef text{};
  Value value{};
  std::vector<Expression> operands{};
  unsigned levels = 1; ///< of what it is made of, one in the other
};

/// Reads the expression that `lexer` begins with. Functions and the number of their arguments are
/// checked, names are not.
std::optional<Expression> parseExpression(Lexer &lexer, ExpressionError &error);

/// The names and facts that an expression is evaluated with.
struct Scope {
  const Environment &names;
  const TargetFacts *target = nullptr; ///< none: `target(...)` is an error
};

std::optional<Value> evaluate(const Expression &expression, const Scope &scope,
                              ExpressionError &error);
/// A condition: what is not a bool is an error.
std::optional<bool> evaluateCondition(const Expression &expression, const Scope &scope,
                                      ExpressionError &error);

/// Calls `visit` for each name of the expression.
void visitNames(const Expression &expression, llvm::function_ref<void(const Expression &)> visit);

/// "unknown value 'x' (did you mean ...?)" with a hint that lists what is known.
ExpressionError unknownValue(const char *at, llvm::StringRef name,
                             const std::vector<std::string> &known);

/// Levels of brackets and operators that an expression may have.
constexpr unsigned maxExpressionDepth = 100;
/// Elements of a list, with those of the lists in it, and bytes of their texts.
constexpr int64_t maxListSize = 4096, maxListBytes = 1 << 20;

// Functions (Functions.cpp).
/// Returns why there is no such function of so many arguments; nothing if there is one.
std::optional<std::string> checkFunction(llvm::StringRef name, size_t arguments);
/// True if a list has more than that.
bool isTooLarge(const Value &list);
std::optional<Value> callFunction(llvm::StringRef name, const char *at,
                                  const std::vector<Value> &arguments, const Scope &scope,
                                  ExpressionError &error);
/// The size of a shape, or the item of a list, at an index.
std::optional<Value> itemOf(const Value &shape, const Value &index, const char *at,
                            ExpressionError &error);

} // namespace kgen::expressions
