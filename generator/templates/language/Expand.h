// The text of an instance: parameters replaced, compile-time control flow done.
#pragma once

#include "templates/language/Header.h"

namespace kgen::templates {

struct ExpansionLimits {
  unsigned copies = 4096; ///< of unrolled loops, in one instance
  size_t bytes = maxTextBytes;
};

class Expander {
public:
  /// `specTypes`: types stay in the words of specs, `u8`, for who infers types.
  Expander(Environment names, const TargetFacts *target, ExpansionLimits limits = {},
           bool specTypes = false)
      : names(std::move(names)), target(target), limits(limits), specTypes(specTypes) {}

  bool expand(const Block &block); ///< appends to `text`; false: `error` says why not
  void append(llvm::StringRef plain) { text += plain; }
  void append(const Expander &other);

  /// Returns where a place of `text`, in lines and columns from 1, came from; null if nobody wrote
  /// it.
  const char *sourceOf(size_t line, size_t column) const;

  std::string text;
  Environment decided; ///< by template.result
  ExpressionError error;

private:
  void emit(llvm::StringRef plain, const char *source);
  void verbatim(llvm::StringRef part);
  bool fail(const char *at, std::string message, bool isLimit = false);
  bool piece(const Piece &piece);
  bool size(const Piece &piece);
  bool control(const Control &control);
  bool conditions(const Control &control);
  bool choice(const Control &control);
  bool chosen(const Control &control, const Branch *branch);
  bool loop(const Control &control);
  bool loopBounds(const Control &control, int64_t &from, int64_t &to, int64_t &step);
  bool constant(const Control &control);
  bool empty(const Control &control);
  bool assertion(const Control &control);
  bool branch(const Block &block, const Block &types, const std::vector<std::string> &results,
              const char *at);
  std::optional<Value> value(const Expression &e) { return evaluate(e, {names, target}, error); }
  std::string textOf(const Value &value) const { return specTypes ? value.shown() : value.str(); }
  std::string nameOf(llvm::StringRef id) const;

  /// From `begin` on, `text` came from `source`: letter by letter, or all of it from that place.
  struct Origin {
    size_t begin;
    const char *source;
    bool isVerbatim;
  };
  std::vector<Origin> origins;
  mutable std::vector<size_t> lineStarts; ///< made by the first question
  Environment names;
  const TargetFacts *target;
  ExpansionLimits limits;
  bool specTypes;
  std::map<llvm::StringRef, std::string> renamed; ///< results and arguments of unrolled loops
  unsigned copies = 0;
};

/// The function that an instance is, called `@instance`; or the expander whose `error` says why
/// there is none.
Expander expandInstance(const Template &of, const Environment &values, const TargetFacts *target,
                        ExpansionLimits limits = {});
/// The types of an instance's results, "tensor<4x8xf32>", in the words of specs.
std::optional<std::vector<std::string>> resultTypesOf(const Template &of, const Environment &values,
                                                      const TargetFacts *target,
                                                      ExpressionError &error);

} // namespace kgen::templates
