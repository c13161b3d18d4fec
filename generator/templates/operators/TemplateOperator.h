// An operator that is made of the templates of one name.
#pragma once

#include "graph/Operator.h"
#include "templates/Templates.h"
#include "templates/language/Unify.h"

#include <memory>

namespace kgen {

struct TemplateSource {
  std::string path, text;

  SourceLoc locationOf(const char *at) const;
};

struct TemplateOverload {
  const TemplateSource *file;
  templates::Template header;
  SourceLoc reference{}; ///< where the template is declared that `reference` names
};

struct TemplateSources {
  std::vector<std::unique_ptr<TemplateSource>> files;
  std::vector<TemplateOverload> all;
};

/// The templates in front of all else, unless there are templates already. False after an error,
/// which is reported: MLIR's parser refuses one of them.
bool addTemplates(mlir::ModuleOp module, const TemplateSources &sources, Diagnostics &diagnostics);

class TemplateOperator {
public:
  TemplateOperator(std::string name, std::shared_ptr<const TemplateSources> sources)
      : name(std::move(name)), sources(std::move(sources)) {}

  std::vector<TensorType> infer(const InferenceContext &context) const;
  void lower(LoweringContext &context) const;
  /// The instance of a node, and what its header names in `reference`.
  std::optional<Counterpart> counterpart(const InferenceContext &context) const;

  std::string name;
  std::vector<const TemplateOverload *> overloads;

private:
  using Fit = std::pair<const TemplateOverload *, templates::Match>;
  /// The types of operands as terms, which point into `texts`, and attributes as texts.
  struct NodeCall {
    std::vector<std::unique_ptr<std::string>> texts;
    templates::CallShape shape;
  };

  /// The overload that a node takes, with its parameters; null after an error.
  const TemplateOverload *resolve(const InferenceContext &context, templates::Match &match) const;
  std::optional<std::vector<TensorType>> resultTypes(const InferenceContext &context,
                                                     const TemplateOverload &overload,
                                                     const templates::Environment &values,
                                                     const templates::Match &match) const;
  void reportNoFit(const InferenceContext &context, const templates::CallShape &call) const;
  NodeCall callOf(const InferenceContext &context) const;
  const templates::Parameter *findParameter(llvm::StringRef wanted) const;
  templates::CallShape withoutOthers(templates::CallShape call,
                                     const TemplateOverload &overload) const;
  bool isDefault(llvm::StringRef parameter, llvm::StringRef text) const;

  std::shared_ptr<const TemplateSources> sources;
};

} // namespace kgen
