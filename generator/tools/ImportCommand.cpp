// kgen import: a model becomes a spec and its weights.
#include "driver/load/Import.h"
#include "emit/Folder.h"
#include "emit/TemporaryFiles.h"
#include "explain/Tables.h"
#include "support/InputFile.h"
#include "support/Json.h"
#include "tools/Commands.h"

#include <llvm/Support/Path.h>

#include <fmt/format.h>

#include <filesystem>
#include <iostream>

namespace kgen {

/// The weights first: a spec without them would be of no use.
static llvm::Error writeFiles(const std::string &directory, const FileSet &files) {
  if (llvm::Error error = createFolder(directory))
    return error;
  for (const auto &[path, contents] : files)
    if (llvm::Error error = replaceFile(directory + "/" + path, contents))
      return error;
  return llvm::Error::success();
}

/// True if the file is as an import wrote it.
static bool isUnchanged(const std::filesystem::path &weights, const std::string &library) {
  std::optional<std::string> there = contentsOf(weights);
  return there && weightsName(library, *there) == weights.filename().string();
}

/// Removes weights that earlier imports wrote and that no spec in the folder names any more. What
/// was changed since, or cannot be read or removed, stays.
static void removeOldWeights(const std::string &directory, const std::string &library) {
  std::vector<std::filesystem::path> weights;
  std::string specs;
  std::error_code code;
  for (std::filesystem::directory_iterator it(directory, code), end; !code && it != end;
       it.increment(code)) {
    const std::filesystem::path &path = it->path();
    if (isWeightsName(path.filename().string(), library))
      weights.push_back(path);
    else if (path.extension() == ".yaml" || path.extension() == ".yml") {
      auto text = readInputFile(path.string(), maxTextBytes);
      if (!text)
        return llvm::consumeError(text.takeError());
      specs += (*text)->getBuffer();
    }
  }
  for (const std::filesystem::path &path : weights)
    if (!code && specs.find(path.filename().string()) == std::string::npos &&
        isUnchanged(path, library))
      std::filesystem::remove(path, code);
}

/// Returns why the files cannot be written: something else stands there; "" if they can.
static std::string problemOf(const std::string &directory, const FileSet &files) {
  std::error_code code;
  for (std::filesystem::directory_iterator it(directory, code), end; !code && it != end;
       it.increment(code)) {
    const std::string name = it->path().filename().string();
    if (llvm::StringRef(name).ends_with(".manifest.json"))
      return "'" + directory + "' holds the library '" +
             llvm::StringRef(name).drop_back(llvm::StringRef(".manifest.json").size()).str() +
             "' that `kgen generate` wrote: -o says another folder";
  }
  for (const auto &[name, contents] : files) {
    const std::string path = directory + "/" + name;
    if (std::filesystem::exists(path, code) && !hasContents(path, contents))
      return "'" + directory + "/" + name +
             "' is there, and is not what import would write, or was edited since: --force "
             "replaces it, -o says another folder";
  }
  return "";
}

static Json modulesJson(const ImportedSpec &spec) {
  Json json = Json::object();
  for (const auto &[name, uses] : spec.modules)
    json[name] = uses;
  return json;
}

/// A folder for the library that is none of something else.
static std::string nextFolder(const std::string &directory, const std::string &library) {
  std::filesystem::path spec = std::filesystem::path(directory).lexically_normal();
  bool isTaken = spec == std::filesystem::path(library) || std::filesystem::exists(library);
  return isTaken ? library + "-lib" : library;
}

int ImportCommand::run() {
  Diagnostics diagnostics;
  std::optional<ImportedSpec> spec = importSpec(request, diagnostics);
  if (!spec) {
    report(diagnostics, json);
    return exitUserError;
  }
  if (directory.empty())
    directory = spec->library + "-spec";
  if (std::string problem = force ? "" : problemOf(directory, spec->files); !problem.empty())
    diagnostics.error({request.modelPath, 0, 0}, problem);
  else if (llvm::Error error = writeFiles(directory, spec->files))
    diagnostics.error({request.modelPath, 0, 0}, llvm::toString(std::move(error)));
  else
    removeOldWeights(directory, spec->library);
  report(diagnostics, json);
  if (diagnostics.hasErrors())
    return exitUserError;
  std::string path = directory + "/" + spec->library + ".yaml";
  if (json) {
    std::cout << formatJson({{"spec", path},
                             {"nodes", spec->nodes},
                             {"weight_bytes", spec->weightBytes},
                             {"inputs", spec->inputs},
                             {"outputs", spec->outputs},
                             {"states", spec->states},
                             {"modules", modulesJson(*spec)}});
    return exitOk;
  }
  if (quiet)
    return exitOk;
  fmt::print("{}: {} node{}, weights {}\n", path, spec->nodes, spec->nodes == 1 ? "" : "s",
             bytesText(spec->weightBytes));
  for (const std::string &input : spec->inputs)
    fmt::print("  takes  {}\n", input);
  for (const std::string &output : spec->outputs)
    fmt::print("  gives  {}\n", output);
  for (const std::string &state : spec->states)
    fmt::print("  keeps  {}\n", state);
  for (const auto &[name, uses] : spec->modules)
    fmt::print("  module {} is used {} times\n", name, uses);
  fmt::print("next: kgen generate {} -o {}\n", path, nextFolder(directory, spec->library));
  return exitOk;
}

} // namespace kgen
