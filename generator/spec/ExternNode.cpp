// A node that calls a function from outside of the library.
#include "spec/SpecParts.h"
#include "spec/TypeText.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

namespace kgen {

using Kind = FieldRule::Kind;

constexpr int64_t maxExternWorkspace = int64_t(1) << 40;

std::string externNameProblem(const std::string &name) {
  std::string problem = nameProblem(name, NameUse::c);
  if (problem.empty() && llvm::StringRef(name).starts_with("kgen"))
    problem = "'kgen' begins names of the generator";
  for (llvm::StringRef kind : {"uk_gemm_", "uk_brgemm_", "uk_map_"})
    if (problem.empty() && llvm::StringRef(name).starts_with(kind))
      problem = "'" + kind.str() + "' begins names of micro-kernels";
  if (problem.empty() && name == "main")
    problem = "it is where programs begin";
  return problem;
}

static void readSymbol(const SpecReader &reader, const YamlNode &node, ExternCall &call) {
  auto text = reader.text(node, "the name of a C function for 'symbol'");
  if (!text)
    return;
  std::string problem = externNameProblem(text->value);
  if (problem.empty())
    call.symbol = *text;
  else
    reader.error(node.mark,
                 quoteText(text->value) + " cannot be the name of an extern function: " + problem);
}

/// {kept: "i32[100]"}: their order is that of the C parameters.
static void readExternOutputs(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                              NodeSpec &result) {
  if (!reader.isMap(node, "a map from the names of the results to their types for 'outputs'"))
    return;
  if (node.entries.empty())
    reader.error(node.mark, "a node needs at least one output");
  for (const YamlEntry &entry : node.entries) {
    auto name = readKeyName(reader, entry, "a node's result", NameUse::label);
    auto type = readStaticType(reader, entry.value, dims, "a result of an extern function");
    if (!name || !type)
      continue;
    result.outputs.push_back(*name);
    result.external->outputs.push_back(type->value);
  }
}

std::optional<NodeSpec> readExternNode(const SpecReader &reader, const YamlNode &node,
                                       const Dims &dims) {
  Fields fields(reader, node, "a node with op: extern",
                {{"name", Kind::optional, ""},
                 {"op", Kind::required, ""},
                 {"symbol", Kind::required, ""},
                 {"inputs", Kind::required, ""},
                 {"outputs", Kind::required, ""},
                 {"workspace", Kind::optional, ""},
                 {"run_on", Kind::optional, ""},
                 {"original", Kind::optional, ""}});
  NodeSpec result;
  result.external.emplace();
  ExternCall &call = *result.external;
  if (const YamlNode *op = fields.find("op"))
    result.op = {op->text, reader.at(op->mark)};
  if (const YamlNode *symbol = fields.find("symbol"))
    readSymbol(reader, *symbol, call);
  if (const YamlNode *inputs = fields.find("inputs"))
    readNodeInputs(reader, *inputs, result);
  for (const Located<std::string> &input : result.inputs)
    if (input.value.empty())
      reader.diagnostics.error(input.where, "inputs of an extern function cannot be skipped");
  if (const YamlNode *outputs = fields.find("outputs"))
    readExternOutputs(reader, *outputs, dims, result);
  if (const YamlNode *name = fields.find("name")) {
    if (auto read = readName(reader, *name, "a node", NameUse::label))
      result.name = *read;
  } else if (!result.outputs.empty()) {
    result.name = result.outputs.front();
  }
  if (const YamlNode *original = fields.find("original"))
    readOriginal(reader, *original, result);
  if (const YamlNode *device = fields.find("run_on"))
    readRunOn(reader, *device, result);
  if (const YamlNode *workspace = fields.find("workspace"))
    if (auto bytes = reader.byteSize(*workspace, "'workspace'")) {
      if (*bytes < 1 || *bytes > maxExternWorkspace)
        reader.expected(*workspace, "1 byte to 1 TiB for 'workspace'");
      call.workspaceBytes = *bytes;
    }
  for (auto [names, list] :
       {std::pair(&call.inputNames, &result.inputs), std::pair(&call.outputNames, &result.outputs)})
    for (const Located<std::string> &name : *list)
      names->push_back(name.value);
  return result;
}

} // namespace kgen
