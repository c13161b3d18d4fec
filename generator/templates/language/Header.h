// A template: its header and its body.
#pragma once

#include "templates/language/Body.h"

namespace kgen::templates {

// Limits on headers.
constexpr size_t maxParameters = 32, maxSetMembers = 256, maxTextBytes = size_t(1) << 20;

struct Parameter {
  llvm::StringRef name;
  llvm::StringRef constraint; ///< "any_type_of<f32, bf16>"
  Value::Kind kind = Value::Kind::type;
  bool takesDynamic = false; ///< `any_dim`, and `any_shape`, which may have `?`
  std::vector<Value> set;    ///< empty: any
  std::optional<Value> otherwise;

  bool allows(const Value &value) const;
  /// The value as this parameter has it: `i8` is `u8` where only that is in the set, a whole number
  /// is a real one.
  std::optional<Value> converted(const Value &value) const;
  /// "1, 8, 64", cut off after some.
  std::string setText() const;
};

/// `%x : tensor<MxNxT>`.
struct Argument {
  llvm::StringRef name;
  TypeTerm type;
};

/// `requires K % 2 == 0, "pairs"`.
struct Requirement {
  Expression condition;
  llvm::StringRef text; ///< the condition, as it is written
  std::string message;  ///< the author's, or ""
};

/// `m = M` of `kernel ukernel.gemm {...}`.
struct KernelAttribute {
  llvm::StringRef name;
  Expression value;
};

struct Template {
  llvm::StringRef text, name;
  llvm::StringRef aliases;   ///< of `aliases {#map = ...}`
  llvm::StringRef signature; ///< "(%x : tensor<MxNxT>)"
  llvm::StringRef resultText;
  std::vector<Parameter> parameters;
  std::vector<Argument> arguments;
  std::vector<Requirement> requirements;
  llvm::StringRef reference;      ///< of `reference @name`: computes the same plainly
  llvm::StringRef replaces;       ///< of `replaces @name`: takes the place of such code
  std::optional<Expression> cost; ///< of `cost M * N`: cycles of a call
  std::optional<std::vector<KernelAttribute>> kernel; ///< of `kernel ukernel.gemm {m = M, ...}`
  std::vector<Environment> examples;                  ///< of `examples {K = 6}`
  std::set<std::string, std::less<>> decided;         ///< names that template.result gives values
  Block signatureBlock, results, body;

  const Parameter *find(llvm::StringRef name) const;
};

/// The template that a text is; its places are pointers into the text, which must stay. All that is
/// wrong is added to `errors`, and then there is none.
std::optional<Template> parseTemplate(llvm::StringRef text, std::vector<ExpressionError> &errors);

} // namespace kgen::templates
