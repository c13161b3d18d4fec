// A template's body, taken apart once: text, and what is decided when it is instantiated.
#pragma once

#include "expressions/Expression.h"
#include "expressions/TypeTerm.h"

#include <memory>
#include <set>

namespace kgen::templates {

using namespace expressions; // the language of templates has them

struct Control;

/// A part of a text.
struct Piece {
  enum class Kind {
    verbatim,
    name,       ///< a word that may be a parameter
    id,         ///< `%x`, which unrolled loops rename
    size,       ///< of a shaped type, with its `x`: a name, or `expression`
    expression, ///< `$(...)`
    argument,   ///< of a call's `<...>`: the expression's value in the words of calls
    control,
  };
  Kind kind = Kind::verbatim;
  llvm::StringRef text{};
  std::optional<Expression> expression{};
  std::shared_ptr<Control> control{};
};

struct Block {
  std::vector<Piece> pieces;
  bool terminates = false; ///< ends in a terminator of another dialect
  bool yields = false;     ///< ends in template.yield
};

/// A branch of a choice; no values: `default`, `else`.
struct Branch {
  std::vector<Expression> values;
  Block block;
};

/// An operation of templates.
struct Control {
  enum class Kind { choice, conditions, loop, let, constant, empty, assertion, error, result };
  Kind kind = Kind::choice;
  const char *at = nullptr;
  std::vector<llvm::StringRef> results; ///< the names in front of `=`
  Block types;                          ///< after `->`; of `empty`, the result's type
  std::vector<Branch> branches;         ///< of choices; a loop's body
  std::optional<Expression> subject;    ///< of a switch; the value of others
  llvm::StringRef name;                 ///< of `let`, of `result`, a loop's variable
  std::string message;                  ///< of `assert` and `error`
  llvm::StringRef condition;            ///< of `assert`, as it is written
  // Of `empty`.
  llvm::StringRef like; ///< the operand, which has the sizes
  Block operandType;
  // Of `constant`.
  llvm::StringRef element;
  bool isDense = false;
  // Of loops.
  std::optional<Expression> from, to, step;
  std::vector<llvm::StringRef> arguments, initial;
};

/// The header's part of what a parser of bodies knows.
struct BodyScope {
  std::set<std::string, std::less<>> names; ///< parameters, and what `let` defined so far
  std::set<std::string, std::less<>> sizes; ///< of these, what may be a size or a shape
  /// Members of finite sets of parameters.
  std::map<std::string, std::vector<Value>, std::less<>> sets;
};

/// Reports everything that is wrong with the text to `errors`.
Block parseBlock(llvm::StringRef text, BodyScope scope, std::vector<ExpressionError> &errors);

} // namespace kgen::templates
