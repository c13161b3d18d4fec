#include "driver/load/ModelSpec.h"

#include "ingress/mlir/Import.h"
#include "spec/DimExpression.h"
#include "spec/Names.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Path.h>

#include <set>

namespace kgen {

bool isOnnxPath(const std::string &path) { return llvm::StringRef(path).ends_with(".onnx"); }
bool isMlirPath(const std::string &path) { return llvm::StringRef(path).ends_with(".mlir"); }
bool isModelPath(const std::string &path) { return isOnnxPath(path) || isMlirPath(path); }

ModelBindings withNamedSizes(const ModelBindings &bindings, Diagnostics &diagnostics) {
  ModelBindings result = bindings;
  for (const auto &[place, text] : bindings.dimNames) {
    const SourceLoc where{"--dim " + place + "=" + text, 0, 0};
    bool haveSizes = true;
    for (const std::string &name : namesOfSizes(text))
      if (!bindings.dims.count(name)) {
        diagnostics.error(where, "'" + name + "' has no size",
                          "say it with --dim " + name + "=N, or --dim " + name + "=1..64");
        haveSizes = false;
      }
    if (!haveSizes)
      continue;
    expressions::ExpressionError error;
    if (std::optional<Dim> size = sizeOfText(text, bindings.dims, error))
      result.dims.insert_or_assign(place, *size);
    else
      diagnostics.error(where, error.message, error.hint);
  }
  return result;
}

void refuseBindings(const std::string &path, const ModelBindings &bindings,
                    Diagnostics &diagnostics) {
  const bool isMlir = isMlirPath(path), isOnnx = isOnnxPath(path), isSpec = !isMlir && !isOnnx;
  auto refuse = [&](const char *message, const char *hint = "") {
    diagnostics.error({path, 0, 0}, message, hint);
  };
  if (isSpec && !bindings.library.empty())
    refuse("--library is for models, and this is a spec", "its key 'library' is the name");
  if (isSpec && !bindings.dimNames.empty())
    refuse("--dim INPUT:AXIS=NAME is for models, and this is a spec",
           "types of its inputs have the names of its 'dims'");
  if (!isMlir && !bindings.functions.empty())
    refuse(isSpec ? "--function is for MLIR files, and this is a spec"
                  : "--function is for MLIR files, and this is an ONNX model",
           isSpec ? "a graph with 'mlir' names it as 'function'" : "");
  if (!isOnnx && (!bindings.inputs.empty() || !bindings.outputs.empty()))
    refuse("--inputs and --outputs are for ONNX models, and this is none",
           isSpec ? "its graphs say what their inputs and outputs are" : "");
  if (!isOnnx && !bindings.externs.empty())
    refuse("--extern is for ONNX models, and this is none",
           isSpec ? "a node with 'op: extern' calls a function" : "");
  bool hasValues = !bindings.values.empty() || !bindings.valueFiles.empty();
  if (isMlir && hasValues)
    refuse("--value is for ONNX models, and this is MLIR");
  if (isSpec && hasValues)
    refuse("--value is for models, and this is a spec", "a graph with 'onnx' has them as 'values'");
}

std::optional<LibrarySpec> specOfModel(const std::string &path, const ModelBindings &bindings,
                                       MlirFiles &files, Diagnostics &diagnostics) {
  LibrarySpec spec;
  SourceLoc where{path, 0, 0};
  spec.path = path;
  bool isGiven = !bindings.library.empty();
  std::string name = isGiven ? bindings.library : cIdentifierOf(llvm::sys::path::stem(path));
  std::string problem = nameProblem(name, NameUse::c);
  if (problem.empty())
    problem = libraryNameProblem(name);
  if (!problem.empty())
    diagnostics.error(isGiven ? SourceLoc{"--library", 0, 0} : where,
                      "'" + name + "' cannot be the name of a library: " + problem,
                      isGiven ? "" : "say another with --library NAME");
  spec.library = {name, where};
  ModelSource source{{llvm::sys::path::filename(path).str(), where}, bindings};
  std::vector<std::string> functions{"run"};
  if (isMlirPath(path)) {
    source.kind = ModelSource::Kind::mlir;
    std::optional<std::vector<std::string>> found = bindings.functions;
    if (found->empty())
      found = files.functions(path, diagnostics);
    if (!found)
      return std::nullopt;
    functions = *found;
  }
  std::set<std::string> seen;
  for (const std::string &function : functions) {
    if (!seen.insert(function).second)
      continue;
    GraphSpec graph;
    graph.name = {isMlirPath(path) ? cIdentifierOf(function) : function, where};
    graph.model = source;
    if (isMlirPath(path))
      graph.model->function = {function, where};
    spec.graphs.push_back(std::move(graph));
  }
  if (problem.empty())
    checkCNames(spec, diagnostics);
  return problem.empty() ? std::optional(std::move(spec)) : std::nullopt;
}

} // namespace kgen
