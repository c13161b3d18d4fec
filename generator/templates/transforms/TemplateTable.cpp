#include "templates/transforms/TemplateTable.h"

#include "templates/dialect/TargetFacts.h"

using namespace mlir;

namespace kgen::templates {

TemplateTable::TemplateTable(ModuleOp module) : facts(factsOf(targetOf(module))) {
  for (FuncOp op : module.getOps<FuncOp>()) {
    std::vector<ExpressionError> errors; // none: the verifier has seen it
    std::optional<Template> header = parseTemplate(op.getText(), errors);
    if (!header)
      continue;
    std::string aliases = op.getAliases().value_or("").str() + "\n" + header->aliases.str();
    templates.push_back({op, std::move(*header), std::move(aliases)});
    byName[templates.back().header.name.str()].push_back(&templates.back());
  }
}

ArrayRef<DefinedTemplate *> TemplateTable::find(StringRef name) const {
  auto found = byName.find(name);
  return found == byName.end() ? ArrayRef<DefinedTemplate *>() : ArrayRef(found->second);
}

std::vector<std::string> TemplateTable::names() const {
  std::vector<std::string> names;
  for (const auto &[name, templates] : byName)
    names.push_back(name);
  return names;
}

const TypeTerm &TemplateTable::termOf(Type type) {
  auto [entry, isNew] = terms.try_emplace(type);
  if (isNew) {
    std::string &text = texts.emplace_back();
    llvm::raw_string_ostream(text) << type;
    Lexer lexer{text};
    ExpressionError error;
    std::optional<TypeTerm> term = parseTypeTerm(lexer, {}, error);
    if (!term || lexer.peek()) // the type of a function
      term = TypeTerm{text, text, {}, nullptr, {}};
    entry->second = std::move(*term);
  }
  return entry->second;
}

} // namespace kgen::templates
