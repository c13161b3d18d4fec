// kgen import: a model becomes a spec and its weights.
#include "driver/Import.h"
#include "emit/Folder.h"
#include "explain/Tables.h"
#include "tools/Commands.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>

namespace kgen {

/// The weights first: a spec without them would be of no use.
static llvm::Error writeFiles(const std::string &directory, const FileSet &files) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return llvm::createStringError("cannot create the folder '" + directory +
                                   "': " + error.message());
  for (const auto &[path, contents] : files)
    if (llvm::Error error = replaceFile(directory + "/" + path, contents))
      return error;
  return llvm::Error::success();
}

static nlohmann::ordered_json modulesJson(const ImportedSpec &spec) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto &[name, uses] : spec.modules)
    json[name] = uses;
  return json;
}

int ImportCommand::run() {
  Diagnostics diagnostics;
  std::optional<ImportedSpec> spec = importSpec(request, diagnostics);
  if (!spec) {
    report(diagnostics, json);
    return exitUserError;
  }
  if (directory.empty())
    directory = spec->library;
  if (llvm::Error error = writeFiles(directory, spec->files))
    diagnostics.error({request.modelPath, 0, 0}, llvm::toString(std::move(error)));
  report(diagnostics, json);
  if (diagnostics.hasErrors())
    return exitUserError;
  std::string path = directory + "/" + spec->library + ".yaml";
  if (json) {
    std::cout << nlohmann::ordered_json{{"spec", path},
                                        {"nodes", spec->nodes},
                                        {"weight_bytes", spec->weightBytes},
                                        {"inputs", spec->inputs},
                                        {"outputs", spec->outputs},
                                        {"modules", modulesJson(*spec)}}
                     .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
              << "\n";
    return exitOk;
  }
  if (quiet)
    return exitOk;
  fmt::print("{}: {} nodes, weights {}\n", path, spec->nodes, bytesText(spec->weightBytes));
  for (const std::string &input : spec->inputs)
    fmt::print("  takes  {}\n", input);
  for (const std::string &output : spec->outputs)
    fmt::print("  gives  {}\n", output);
  for (const auto &[name, uses] : spec->modules)
    fmt::print("  module {} is used {} times\n", name, uses);
  fmt::print("next: kgen generate {} -o lib\n", path);
  return exitOk;
}

} // namespace kgen
