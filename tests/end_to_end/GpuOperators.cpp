// Compiles operator cases for a kind of graphics cards: one library of all cases that have a form
// for it, and the program that runner.c is around the library's host code. Cases without such a
// form are counted by reason, and compared with what `kgen ops` says of the operator.
#include "OperatorCases.h"
#include "RunnerTable.h"

#include "driver/gpu/GpuCode.h"
#include "emit/Gpu.h"
#include "graph/Operator.h"
#include "lib/Share.h"
#include "ops/GpuForms.h"

#include <CLI/CLI.hpp>

#include <llvm/Support/Program.h>
#include <llvm/Support/xxhash.h>

#include <fstream>
#include <iostream>
#include <regex>
#include <set>

namespace fs = std::filesystem;
using namespace kgen;
using namespace kgen::tests;

namespace {

constexpr char libraryName[] = "kgen_cases";

struct Arguments {
  std::string target, compiler = "cc", runner;
  std::string cudaCode, clang = "clang-22"; ///< code for the tests' driver, by cuda_code.py
  size_t share = 1;                         ///< one of so many cases, others on other days
  size_t minimum = 1;                       ///< cases of all that must have a form
  bool some = false;                        ///< only operators of which some cases have a form
  fs::path output;
  std::vector<std::string> tables; ///< files, or folders that are searched
};

Arguments parseArguments(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Compiles operator cases for a kind of graphics cards into one program.");
  app.add_option("--target", arguments.target)->required();
  app.add_option("--share", arguments.share,
                 "one of so many cases, which day by day are others; all of them in the long tests")
      ->check(CLI::PositiveNumber);
  app.add_option("--minimum", arguments.minimum,
                 "fail if fewer cases have a form; a share of the cases needs its share of them");
  app.add_flag("--some", arguments.some,
               "only tables of operators that have a form in some cases (`kgen ops`)");
  app.add_option("--output", arguments.output, "folder for the program `runner` and its parts")
      ->required();
  app.add_option("--cc", arguments.compiler, "the C compiler");
  app.add_option("--runner", arguments.runner, "runner.c")->required();
  app.add_option("--cuda-code", arguments.cudaCode, "cuda_code.py, for targets that CUDA drives");
  app.add_option("--clang", arguments.clang, "the compiler that cuda_code.py calls");
  app.add_option("tables", arguments.tables)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error));
  }
  arguments.output = fs::absolute(arguments.output);
  return arguments;
}

std::vector<fs::path> tableFiles(const std::vector<std::string> &given) {
  std::vector<fs::path> files;
  for (const std::string &path : given) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto &entry : fs::recursive_directory_iterator(path))
      if (entry.path().extension() == ".yaml")
        files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void writeText(const fs::path &path, const std::string &text) {
  if (!(std::ofstream(path, std::ios::binary) << text).flush())
    throw std::runtime_error("cannot write " + path.string());
}

void runProgram(const std::string &name, const std::vector<std::string> &arguments) {
  std::vector<llvm::StringRef> command = {name};
  llvm::append_range(command, arguments);
  auto program = llvm::sys::findProgramByName(name);
  std::string message;
  if (!program ||
      llvm::sys::ExecuteAndWait(*program, command, std::nullopt, {}, 0, 0, &message) != 0)
    throw std::runtime_error(name + " failed " + message);
}

/// A case, how it is named, and its graph: called like the function that the runner calls.
struct Run {
  OperatorCase source;
  std::vector<size_t> weights;
  std::string name;
  Graph graph;
};

class GpuCases {
public:
  explicit GpuCases(const Arguments &arguments)
      : share(arguments.share), arguments(arguments), gpu(loadGpu(arguments.target)),
        options(optionsFor(arguments.output)), compilation(gpu, options),
        table(arguments.output, VariantInterface(), triple) {}

  /// Keeps the case if it has a form.
  void add(const OperatorCase &operatorCase) {
    const std::string name = operatorCase.op + " " + operatorCase.name;
    const uint64_t hash = llvm::xxh3_64bits(name);
    if (!share.has(hash) ||
        (arguments.some && gpuFormOf(operatorCase.op).extent != GpuForm::Extent::some))
      return;
    tables.insert(operatorCase.op);
    // In one of its ways: all operands as inputs, or the constants that it names.
    std::vector<size_t> weights = operatorCase.weights;
    if (size_t way = (hash + share.day) % (operatorCase.constants.size() + 1))
      llvm::append_range(weights, operatorCase.constants[way - 1]);
    Graph graph = caseGraph(operatorCase, weights);
    graph.name = "case_" + std::to_string(runs.size());
    Diagnostics diagnostics;
    const bool hasForm = compilation.add(graph, diagnostics);
    compare(graph, name, diagnostics);
    if (hasForm)
      runs.push_back({operatorCase, std::move(weights), name, std::move(graph)});
    else
      refuse(operatorCase.op, name, diagnostics);
  }

  void finish() {
    Diagnostics diagnostics;
    std::optional<GpuCode> finished = compilation.finish(diagnostics);
    if (!finished)
      throw std::runtime_error(diagnostics.str());
    GpuCode code = std::move(*finished);
    table.addWeights(code.weights);
    for (const Run &run : runs)
      table.addRun(run.name, symbolOf(run), run.source, run.weights, /*workspaceBytes=*/0);
    table.write();
    writeLibrary(std::move(code.interface));
    link();
  }

  /// Prints the cases without a form, and returns true if enough have one.
  bool report() {
    size_t refused = 0;
    for (const auto &[op, seen] : forms)
      if (share.isAll() && tables.count(op) && gpuFormOf(op).extent == GpuForm::Extent::some &&
          seen.size() != 2)
        fail(op, *seen.begin() ? "has a form in all cases" : "has a form in none");
    for (const auto &[reason, names] : reasons) {
      std::cout << names.size() << " without a form: " << reason << "\n";
      refused += names.size();
    }
    const size_t wanted = share.isAll()
                              ? arguments.minimum
                              : std::max<size_t>(1, arguments.minimum / share.parts * 2 / 3);
    std::cout << runs.size() << " cases compiled, " << refused << " without a form for "
              << arguments.target << ", " << failures << " failed\n"
              << share.str() << "\n";
    return failures == 0 && runs.size() >= wanted;
  }

private:
  static constexpr char triple[] = "x86_64-unknown-linux-gnu"; ///< of weights

  static GpuCompileOptions optionsFor(const fs::path &output) {
    GpuCompileOptions options;
    options.weightPrefix = std::string(libraryName) + "_weights_";
    options.dumpCode = [output](const std::string &language, const std::string &text) {
      writeText(output / ("kernels." + language), text);
    };
    return options;
  }

  static GpuSpec loadGpu(const std::string &name) {
    Diagnostics diagnostics;
    std::optional<GpuSpec> found = findGpu({name, {}}, "", {}, diagnostics);
    if (!found)
      throw std::runtime_error(diagnostics.str());
    return *found;
  }

  static std::string symbolOf(const Run &run) { return "kgen_" + run.graph.name; }

  static bool isRefusal(const Diagnostic &error) {
    return error.message.find("no form for graphics cards") != std::string::npos ||
           error.message.find("does not have yet") != std::string::npos;
  }

  void fail(const std::string &what, const std::string &why) {
    ++failures;
    std::cerr << what << ": " << why << "; `kgen ops` says something else (ops/GpuForms.def)\n";
  }

  /// Compares with what is said of the operators.
  void compare(const Graph &graph, const std::string &name, const Diagnostics &diagnostics) {
    for (const Node &node : graph.nodes) {
      if (node.op == nullptr)
        continue;
      const bool isRefused = llvm::any_of(diagnostics.errors(), [&](const Diagnostic &error) {
        return isRefusal(error) && error.message.find("node '" + node.name + "'") == 0;
      });
      forms[node.op->name].insert(!isRefused);
      const GpuForm::Extent extent = gpuFormOf(node.op->name).extent;
      if (isRefused && extent == GpuForm::Extent::all)
        fail(name, node.op->name + " has no form");
      if (!diagnostics.hasErrors() && extent == GpuForm::Extent::none)
        fail(name, node.op->name + " has a form");
    }
  }

  /// An error that says what has no form is a refusal; each other one is a failure.
  void refuse(const std::string &op, const std::string &name, const Diagnostics &diagnostics) {
    static const std::regex node("node '[^']*' |graph '[^']*':? ");
    for (const Diagnostic &error : diagnostics.errors()) {
      if (isRefusal(error) && &error == &diagnostics.errors().front())
        reasons[op + ": " + std::regex_replace(error.message, node, "")].push_back(name);
      if (isRefusal(error))
        continue;
      ++failures;
      std::cerr << name << ": " << error.message << "\n";
    }
  }

  /// Writes what drives the card, and a function for each case as the runner calls it.
  void writeLibrary(GpuTargetInterface target) {
    LibraryInterface library;
    library.name = libraryName;
    library.triple = triple;
    library.specHash = std::string(64, '0');
    std::string functions = "#include \"kgen_cases_gpu_calls.h\"\n";
    for (const Run &run : runs) {
      GraphInterface &graph = library.graphs.emplace_back();
      graph.name = run.graph.name;
      for (size_t input : run.graph.inputs)
        graph.inputs.push_back({run.graph.values[input].name, run.graph.values[input].type});
      for (size_t output : run.graph.outputs)
        graph.outputs.push_back({run.graph.values[output].name, run.graph.values[output].type});
      functions += "KGEN_CASE(" + symbolOf(run) + ", " + std::to_string(library.graphs.size() - 1) +
                   ", " + std::to_string(graph.inputs.size()) + ")\n";
    }
    library.gpus.push_back(std::move(target));
    writeText(arguments.output / "kgen_cases_gpu.h", emitGpuHeader(library));
    writeText(arguments.output / "kgen_cases_gpu.c", emitGpuSource(library));
    writeText(arguments.output / "cases.c", functions);
  }

  void link() const {
    const fs::path sources = fs::absolute(arguments.runner).parent_path();
    std::vector<std::string> command = {"-std=c11",
                                        "-O1",
                                        "-I" + sources.string(),
                                        "-I" + arguments.output.string(),
                                        arguments.runner,
                                        (arguments.output / "cases.c").string(),
                                        (arguments.output / "kgen_cases_gpu.c").string()};
    for (const fs::path &part : table.sources())
      command.push_back(part.string());
    llvm::append_range(command,
                       std::vector<std::string>{"-o", (arguments.output / "runner").string(),
                                                "-pthread", "-ldl", "-lm"});
    runProgram(arguments.compiler, command);
    if (gpu.language == GpuLanguage::ptx)
      runProgram("python3", {"-B", arguments.cudaCode, (arguments.output / "kernels.ll").string(),
                             (arguments.output / "kernels.ptx").string(), arguments.output.string(),
                             "--clang", arguments.clang});
  }

public:
  const kgen::test::Share share;

private:
  const Arguments &arguments;
  const GpuSpec gpu;
  const GpuCompileOptions options;
  GpuCompilation compilation;
  RunnerTable table;
  std::vector<Run> runs;
  std::map<std::string, std::vector<std::string>> reasons; ///< cases by why they have no form
  std::map<std::string, std::set<bool>> forms; ///< whether an operator's nodes have a form
  std::set<std::string> tables;                ///< what the tables are about
  size_t failures = 0;
};

} // namespace

int main(int argc, char **argv) {
  const Arguments arguments = parseArguments(argc, argv);
  try {
    fs::remove_all(arguments.output);
    fs::create_directories(arguments.output);
    GpuCases cases(arguments);
    for (const fs::path &file : tableFiles(arguments.tables))
      for (const OperatorCase &operatorCase : readCases(file))
        cases.add(operatorCase);
    cases.finish();
    return cases.report() ? 0 : 1;
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
