// kgen generate: progress, the folder, the summary.
#include "driver/crash/CrashReport.h"
#include "driver/generate/Artefacts.h"
#include "driver/load/LibraryInterface.h"
#include "driver/load/Load.h"
#include "driver/load/Sizes.h"
#include "driver/verify/CompareResults.h"
#include "emit/Folder.h"
#include "explain/Tables.h"
#include "pipeline/RenamedStages.h"
#include "support/Json.h"
#include "support/Timing.h"
#include "tools/Commands.h"
#include "tools/TimingReport.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

namespace kgen {
namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int64_t totalBytes(const FileSet &files) {
  int64_t total = 0;
  for (const auto &[path, contents] : files)
    total += contents.size();
  return total;
}

void printSummary(const GenerateResult &result, const std::string &directory, double seconds) {
  Table table{"",
              {{"function"},
               {"variant"},
               {"code", true},
               {"instructions", true},
               {"workspace", true},
               {"time", true}},
              {}};
  for (const Part &part : result.parts)
    table.rows.push_back({part.graph + atText(part.sizes), part.target, bytesText(part.textBytes),
                          std::to_string(part.instructions), bytesText(part.workspaceBytes),
                          fmt::format("{:.2f} s", part.seconds)});
  fmt::print("{}", tableText(table));
  fmt::print("{}: {} function{}, {} variant{}, packed weights {}, {} files with {} in {:.2f} s\n",
             directory, result.library.graphs.size(), result.library.graphs.size() == 1 ? "" : "s",
             result.library.variants.size(), result.library.variants.size() == 1 ? "" : "s",
             bytesText(result.weightBytes), result.files.size(),
             bytesText(totalBytes(result.files)), seconds);
}

void printJson(const GenerateResult &result, const std::string &directory, double seconds) {
  Json parts = Json::array();
  for (const Part &part : result.parts) {
    parts.push_back({{"function", part.graph}, {"variant", part.target}});
    Json &entry = parts.back();
    if (!part.sizes.empty())
      entry["sizes"] = part.sizes;
    entry["code_bytes"] = part.textBytes;
    entry["instructions"] = part.instructions;
    entry["workspace_bytes"] = part.workspaceBytes;
    entry["seconds"] = part.seconds;
  }
  Json json = {{"library", result.library.name},       {"directory", directory},
               {"spec_hash", result.library.specHash}, {"parts", parts},
               {"weight_bytes", result.weightBytes},   {"files", result.files.size()},
               {"bytes", totalBytes(result.files)},    {"seconds", seconds}};
  addTimingTo(json);
  std::cout << formatJson(json);
}

int fail(const std::string &message, ExitCode code, bool json) {
  Diagnostics diagnostics;
  diagnostics.error({"kgen", 0, 0}, message);
  report(diagnostics, json);
  return code;
}

/// A make rule: the target depends on the inputs. Spaces, '#' and '$' are escaped as make
/// and Ninja expect.
std::string depfileText(const std::string &target, const std::vector<std::string> &inputs) {
  auto escape = [](const std::string &path) {
    std::string text;
    for (char c : path) {
      if (c == ' ' || c == '#')
        text += '\\';
      if (c == '$')
        text += '$';
      text += c;
    }
    return text;
  };
  std::string text = escape(target) + ":";
  for (const std::string &input : inputs)
    text += " \\\n  " + escape(input);
  return text + "\n";
}

/// An error if the file is one that was read.
llvm::Error checkDepfile(const std::string &depfile, const GenerateResult &result) {
  for (const std::string &input : result.inputFiles)
    if (!depfile.empty() && llvm::sys::fs::equivalent(depfile, input))
      return llvm::createStringError("--depfile: '" + depfile +
                                     "' is read by this command; expected another name");
  return llvm::Error::success();
}

llvm::Error writeDepfile(const GenerateCommand &command, const GenerateResult &result) {
  const GenerateOptions &options = command.options;
  std::string target =
      command.directory + "/" +
      (options.onlyGraph.empty()
           ? result.library.name + ".manifest.json"
           : result.partFolder + partMetadataPath(options.onlyGraph, options.onlyTarget));
  return replaceFile(command.depfile, depfileText(target, result.inputFiles));
}

/// The library, of which all errors and warnings were reported.
std::optional<LoadedLibrary> loadAndReport(const GenerateOptions &options, bool json) {
  Diagnostics diagnostics;
  std::optional<LoadedLibrary> library = loadLibrary(
      options.specPath, options.targets, options.targetSearchPath, options.bindings, diagnostics,
      architectureNamed(options.architecture), systemNamed(options.system));
  report(diagnostics, json);
  return library;
}

int listTheParts(const GenerateOptions &options, bool json) {
  std::optional<LoadedLibrary> library = loadAndReport(options, json);
  if (!library)
    return exitUserError;
  for (const Graph &graph : library->graphs)
    for (const TargetSpec &target : library->targets)
      fmt::print("{}:{}\n", graph.name, target.name.value);
  return exitOk;
}

/// A file for the extern functions, in the current folder, where there is none yet.
int writeStubs(const GenerateOptions &options, bool json, bool quiet) {
  std::optional<LoadedLibrary> library = loadAndReport(options, json);
  if (!library)
    return exitUserError;
  LibraryInterface interface = uncompiledInterface(*library);
  if (interface.externs.empty())
    return fail(options.specPath + " has no nodes with op: extern, which --stubs is for",
                exitUserError, json);
  std::string path = interface.name + "_stubs.c";
  if (llvm::sys::fs::exists(path))
    return fail("'" + path +
                    "' is there already, and --stubs never overwrites it: rename it, or "
                    "write what it lacks by the prototypes in " +
                    interface.name + ".h",
                exitUserError, json);
  if (llvm::Error error = replaceFile(path, emitStubs(interface)))
    return fail(llvm::toString(std::move(error)), exitUserError, json);
  if (!quiet)
    fmt::print("{}: {} function{} to write\n", path, interface.externs.size(),
               interface.externs.size() == 1 ? "" : "s");
  return exitOk;
}

llvm::Error writeFile(const std::string &path, const FileContents &contents) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (llvm::Error error = createFolder(folder.str()))
    return error;
  return replaceFile(path, contents);
}

/// Writes files that are not a whole library into the folder one by one.
llvm::Error writeEach(const std::string &directory, const FileSet &files) {
  for (const auto &[path, contents] : files)
    if (llvm::Error error = writeFile(directory + "/" + path, contents))
      return error;
  return llvm::Error::success();
}

llvm::Error write(const std::string &directory, const GenerateResult &result) {
  TimedScope timed(TimedScope::stage, "write");
  bool whole = result.files.count(result.library.name + ".manifest.json");
  return whole ? replaceFolder(directory, result.files) : writeEach(directory, result.files);
}

/// The library, or what was asked for of it, and its depfile.
llvm::Error writeAll(const GenerateCommand &command, const GenerateResult &result) {
  if (llvm::Error error = checkDepfile(command.depfile, result))
    return error;
  if (llvm::Error error = write(command.directory, result))
    return error;
  return command.depfile.empty() ? llvm::Error::success() : writeDepfile(command, result);
}

/// Compares a folder with what kgen generates now: byte by byte, or by the results of its
/// functions.
int compare(const std::string &directory, const GenerateResult &result, bool byResults,
            bool quiet) {
  const std::string &library = result.library.name;
  std::string llvm = llvmVersionOf(directory, library);
  FolderComparison comparison;
  if (byResults && result.files.count(library + ".manifest.json"))
    comparison = compareByResults(directory, result);
  else if (!byResults && !llvm.empty() && llvm != LLVM_VERSION_STRING)
    comparison.differences = {library + ".manifest.json: made by LLVM " + llvm +
                              ", and this is LLVM " LLVM_VERSION_STRING
                              ", whose bytes differ: generate the folder again, or run its "
                              "functions and compare their results with --check-results"};
  else
    comparison.differences = compareFolder(directory, result.files);
  for (const std::string &difference : comparison.differences)
    std::cerr << directory << "/" << difference << "\n";
  if (!comparison.differences.empty())
    return exitDifference;
  for (const std::string &note : comparison.notes)
    if (!quiet)
      fmt::print("{}: {}\n", directory, note);
  if (!quiet)
    fmt::print("{}: up to date\n", directory);
  return exitOk;
}

/// True if this kgen would generate the same files again: `directory` has the same spec hash and
/// was written after this program was built.
bool isCurrent(const std::string &directory, const LibraryInterface &library) {
  std::string program =
      llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&isCurrent));
  std::error_code code;
  std::filesystem::file_time_type built = std::filesystem::last_write_time(program, code);
  return !code && isUpToDate(directory.empty() ? library.name : directory, library, built);
}

int sayUpToDate(const std::string &directory, bool json, bool quiet) {
  if (json)
    std::cout << formatJson({{"directory", directory}, {"up_to_date", true}});
  else if (!quiet)
    fmt::print("{}: up to date\n", directory);
  return exitOk;
}

/// Writes the code of each stage into a folder, and makes links with the names that these files had
/// before stages were renamed.
class StageFiles {
public:
  StageFiles(std::string directory, bool quiet) : directory(std::move(directory)), quiet(quiet) {}

  void write(const std::string &path, const std::string &text) {
    if (llvm::Error failure = writeFile(directory + "/" + path, text))
      error = llvm::toString(std::move(failure));
    else if (llvm::StringRef(path).ends_with(".mlir"))
      link(std::filesystem::path(path));
  }

  std::string error; ///< what went wrong, or ""

private:
  void link(const std::filesystem::path &path) {
    std::string stage = path.stem().string().substr(3); // after the number
    std::string old = oldNames[path.parent_path().string()].next(stage);
    if (old.empty() || old == path.filename())
      return;
    std::filesystem::path link = directory / path.parent_path() / old;
    std::error_code ignored; // without links there are still the files
    std::filesystem::remove(link, ignored);
    std::filesystem::create_symlink(path.filename(), link, ignored);
    warn(old.substr(3, old.size() - sizeof("00-.mlir") + 1));
  }

  void warn(llvm::StringRef oldStage) {
    const RenamedStage *renamed = findRenamedStage(oldStage);
    if (renamed && !quiet && warned.insert(oldStage.str()).second)
      std::cerr << "kgen: warning: --dump-stages: the stage " << renamed->warning()
                << "; the file with the old name is a link\n";
  }

  std::string directory;
  bool quiet;
  std::set<std::string> warned;
  std::map<std::string, OldDumpNames> oldNames; ///< by folder
};

} // namespace

int GenerateCommand::run() {
  if (listParts)
    return listTheParts(options, json);
  if (stubs)
    return writeStubs(options, json, quiet);
  options.runs = checkResults || !options.link.empty();
  options.keepsBudgets = options.gpus = true;
  Clock::time_point start = Clock::now();
  Progress progress(/*after=*/1);
  if (!quiet)
    options.progress = [&](size_t done, size_t total, const std::string &what) {
      progress.show(fmt::format("[{}/{}] {}", done, total, what));
    };
  StageFiles stageFiles(dumpDirectory, quiet);
  if (!dumpDirectory.empty()) {
    if (llvm::Error error = createFolder(dumpDirectory))
      return fail("--dump-stages: " + llvm::toString(std::move(error)), exitUserError, json);
    options.dumpStage = [&](const std::string &path, const std::string &text) {
      stageFiles.write(path, text);
    };
  }
  // A build system that asks for a depfile compares time stamps itself.
  bool writesLibrary = !check && !checkResults && dumpDirectory.empty();
  if (!always && writesLibrary && depfile.empty() && options.partsDirectory.empty())
    options.isUpToDate = [&](const LibraryInterface &library) {
      return isCurrent(directory, library);
    };
  Diagnostics diagnostics;
  GenerateResult result;
  std::optional<StageProgress> stages(std::in_place, quiet ? nullptr : &progress);
  setCrashPromise("The output folder is as it was.");
  GenerateStatus status = generateLibrary(options, result, diagnostics);
  setCrashPromise(nullptr);
  stages.reset();
  progress.finish();
  if (directory.empty())
    directory = result.library.name;
  report(diagnostics, json);
  if (status == GenerateStatus::upToDate) {
    removeUnfinished(directory);
    return sayUpToDate(directory, json, quiet);
  }
  if (status != GenerateStatus::ok)
    return status == GenerateStatus::userError ? exitUserError : exitInternalError;
  if (!stageFiles.error.empty())
    return fail(stageFiles.error, exitUserError, json);
  if (check || checkResults) {
    int code = compare(directory, result, checkResults, quiet);
    printTiming(std::cout);
    return code;
  }
  if (llvm::Error error = writeAll(*this, result))
    return fail(llvm::toString(std::move(error)), exitUserError, json);
  if (json || !quiet)
    (json ? printJson : printSummary)(result, directory, secondsSince(start));
  if (!json)
    printTiming(std::cout);
  return exitOk;
}

} // namespace kgen
