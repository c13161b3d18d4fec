// Words of MLIR's syntax, as far as templates look at them. Places are pointers into the text.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace kgen::expressions {

struct ExpressionError {
  const char *at = nullptr;
  std::string message{};
  std::string hint{};
  bool fromAuthor = false; ///< of template.error or template.assert: meant for the caller
  bool isLimit = false;    ///< nothing else is worth saying
};

struct Token {
  enum class Kind {
    end,
    word,        ///< also with dots: `linalg.matmul`, `template::is_same`
    number,      ///< 3, 1.0e-5
    string,      ///< with its quotes
    sigil,       ///< %x, @f, #map, !T, ^bb0
    punctuation, ///< one character, or one of -> == != <= >= && || $(
  };
  Kind kind = Kind::end;
  llvm::StringRef text;

  bool is(llvm::StringRef wanted) const {
    return text == wanted && (kind == Kind::punctuation || kind == Kind::word);
  }
  bool hasSigil(char c) const { return kind == Kind::sigil && text.front() == c; }
  explicit operator bool() const { return kind != Kind::end; }
};

/// Reads from the front of a text.
struct Lexer {
  llvm::StringRef rest;

  Token next();
  Token peek() const { return Lexer{rest}.next(); }
  /// Reads the next token if it is this one.
  bool eat(llvm::StringRef wanted);
  /// Returns what stands between the bracket that is next and the one that closes it; nothing if it
  /// is not closed.
  std::optional<llvm::StringRef> brackets();
  /// Returns what stands in front of the `>` that closes what is open here. Brackets and strings
  /// are skipped.
  std::optional<llvm::StringRef> angles();
  /// Up to the first token that `stop` accepts, outside of brackets.
  llvm::StringRef until(llvm::function_ref<bool(Token)> stop);
  const char *place() const { return peek().text.data(); }
};

/// The first token of a text that is this word; null if there is none.
const char *findWord(llvm::StringRef text, llvm::StringRef word);
/// From a place in a text to another.
llvm::StringRef between(const char *begin, const char *end);
/// "'x'", or what to say at the end of a text.
std::string quoted(Token token);
/// Letters of a name of templates.
constexpr size_t maxNameLength = 100;
/// True if templates may call something so: a capital letter, then letters, digits and _.
bool isParameterName(llvm::StringRef word);

} // namespace kgen::expressions
