// kgen ops: what there is, as tables or JSON.
#include "explain/Table.h"
#include "graph/Operator.h"
#include "ops/GpuForms.h"
#include "ops/OperatorPages.h"
#include "ops/Registry.h"
#include "support/Json.h"
#include "templates/Templates.h"
#include "tools/Commands.h"

#include <llvm/ADT/StringExtras.h>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace kgen {
namespace {

struct DefaultText {
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(const std::string &v) const { return v; }
  template <typename T> std::string operator()(const std::vector<T> &v) const {
    return fmt::format("[{}]", fmt::join(v, ", "));
  }
};

std::string defaultText(const AttributeSchema &attribute) {
  if (attribute.defaultValue)
    return std::visit(DefaultText(), *attribute.defaultValue);
  return attribute.optional ? "none" : "required";
}

/// The allowed number of inputs or results: "2", "2-3", "1..".
std::string countText(size_t least, size_t most) {
  if (least == most)
    return std::to_string(least);
  return most == operatorUnlimited ? fmt::format("{}..", least) : fmt::format("{}-{}", least, most);
}

std::string inputsText(const Operator &op) { return countText(op.minInputs, op.maxInputs); }

std::string resultsText(const Operator &op) {
  size_t needed = op.outputs == operatorUnlimited ? 0 : op.outputs - op.optionalOutputs;
  return countText(std::max<size_t>(1, needed), op.outputs);
}

std::vector<std::string> typesOf(const Operator &op) {
  std::vector<std::string> types;
  for (ElementType type : op.types)
    types.emplace_back(toString(type));
  return types;
}

std::string typesText(const Operator &op) {
  return op.types.size() == allElementTypes().size() ? "all" : llvm::join(typesOf(op), " ");
}

/// True if the operand, counted from 0, may be left out.
bool isOptionalOperand(const Operator &op, size_t i) { return i >= op.minInputs; }
bool isOptionalResult(const Operator &op, size_t i) {
  return op.outputs != operatorUnlimited && i + op.optionalOutputs >= op.outputs && i > 0;
}

using IsOptional = bool (*)(const Operator &op, size_t i);

Json operandsJson(const Operator &op, const std::vector<OperandPage> &operands,
                  IsOptional isOptional) {
  Json list = Json::array();
  for (size_t i = 0; i < operands.size(); ++i)
    list.push_back({{"name", operands[i].name},
                    {"shape", operands[i].shape},
                    {"optional", isOptional(op, i)},
                    {"meaning", operands[i].meaning}});
  return list;
}

/// The form for graphics cards; nothing for an operator of a template, which has that of its code.
std::optional<GpuForm> gpuForm(const Operator &op) {
  return builtInOperators().find(op.name) ? std::optional(gpuFormOf(op.name)) : std::nullopt;
}

std::string gpuText(const Operator &op) {
  std::optional<GpuForm> form = gpuForm(op);
  return form ? toString(form->extent) : "by its code";
}

Json operatorJson(const Operator &op) {
  Json attributes = Json::array();
  for (const AttributeSchema &attribute : op.attributes)
    attributes.push_back({{"name", attribute.name},
                          {"value", kindName(attribute.kind)},
                          {"default", defaultText(attribute)},
                          {"meaning", attribute.doc}});
  Json json = {{"name", op.name},          {"summary", op.summary},
               {"inputs", inputsText(op)}, {"results", resultsText(op)},
               {"types", typesOf(op)},     {"symbolic dimensions", op.symbolicDims.summary},
               {"attributes", attributes}, {"graphics cards", gpuText(op)}};
  if (std::optional<GpuForm> form = gpuForm(op); form && !form->without.empty())
    json["not on graphics cards"] = form->without;
  if (const OperatorPage *page = findOperatorPage(op.name)) {
    json["operands"] = operandsJson(op, page->operands, isOptionalOperand);
    json["result list"] = operandsJson(op, page->results, isOptionalResult);
    json["example"] = page->example;
  }
  return json;
}

std::string listText(const std::vector<const Operator *> &operators) {
  Table table{"", {{"operator"}, {"inputs"}, {"types"}, {"cards"}, {"meaning"}}, {}};
  for (const Operator *op : operators)
    table.rows.push_back({op->name, inputsText(*op), typesText(*op), gpuText(*op), op->summary});
  return tableText(table) +
         "\ncards: whether graphics cards compute it (docs/GPU.md); some: not in all cases.\n"
         "`kgen ops NAME` says more of one, its operands, attributes and an example.\n";
}

std::string operandsText(const Operator &op, const char *what,
                         const std::vector<OperandPage> &operands, IsOptional isOptional) {
  Table table{"", {{what}, {"shape"}, {"meaning"}}, {}};
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string meaning = operands[i].meaning;
    if (isOptional(op, i))
      meaning = "optional" + std::string(meaning.empty() ? "" : ": ") + meaning;
    table.rows.push_back({operands[i].name, operands[i].shape, meaning});
  }
  return tableText(table) + "\n";
}

/// The full description of one operator.
std::string operatorText(const Operator &op) {
  const OperatorPage *page = findOperatorPage(op.name);
  std::optional<GpuForm> form = gpuForm(op);
  const std::string without = form && !form->without.empty() ? ", but not: " + form->without : "";
  std::string head = fmt::format("{}: {}\n  inputs   {}\n  results  {}\n  types    {}\n"
                                 "  symbolic dimensions  {}\n  graphics cards       {}\n",
                                 op.name, op.summary, inputsText(op), resultsText(op),
                                 typesText(op), op.symbolicDims.summary, gpuText(op) + without);
  std::string example;
  if (page) {
    head += "\n" + operandsText(op, "input", page->operands, isOptionalOperand) +
            operandsText(op, "result", page->results, isOptionalResult);
    example = "\nFor example\n\n";
    for (llvm::StringRef rest = page->example; !rest.empty();) {
      auto [line, others] = rest.split('\n');
      example += "    " + line.str() + "\n";
      rest = others;
    }
  }
  Table table{head, {{"attribute"}, {"value"}, {"default"}, {"meaning"}}, {}};
  for (const AttributeSchema &attribute : op.attributes)
    table.rows.push_back(
        {attribute.name, kindName(attribute.kind), defaultText(attribute), attribute.doc});
  return (table.rows.empty() ? table.title : tableText(table)) + example;
}

} // namespace

int listOperators(const std::vector<std::string> &names,
                  const std::vector<std::string> &templateFiles, bool json) {
  std::vector<Located<std::string>> files;
  for (const std::string &file : templateFiles)
    files.push_back({file, {"--templates", 0, 0}});
  Diagnostics diagnostics;
  std::shared_ptr<const TemplateSources> sources = readTemplates(files, diagnostics);
  if (diagnostics.hasErrors()) {
    std::cerr << diagnostics.str();
    return exitUsage;
  }
  std::vector<Operator> own = sources ? templateOperators(sources) : std::vector<Operator>();
  std::shared_ptr<const OperatorTable> table = operatorsWith(sources);
  std::vector<const Operator *> operators;
  for (const std::string &name : names) {
    operators.push_back(table->find(name));
    if (!operators.back()) {
      std::cerr << "kgen: there is no operator '" << name << "'" << didYouMean(name, table->names())
                << "\n`kgen ops` lists the operators.\n";
      return exitUsage;
    }
  }
  if (names.empty())
    for (const Operator &op : files.empty() ? table->all() : own)
      operators.push_back(&op);
  Json list = Json::array();
  std::vector<std::string> texts;
  for (const Operator *op : operators) {
    list.push_back(operatorJson(*op));
    texts.push_back(operatorText(*op));
  }
  std::cout << (json            ? formatJson(list)
                : names.empty() ? listText(operators)
                                : llvm::join(texts, "\n"));
  return exitOk;
}

} // namespace kgen
