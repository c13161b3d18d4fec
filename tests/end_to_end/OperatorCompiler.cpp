// Compiles operator cases for one target into one program: objects, the data file and the table
// that runner.c runs.
#include "CaseModule.h"
#include "OperatorCases.h"
#include "RunnerTable.h"

#include "driver/compile/Compile.h"
#include "driver/load/Systems.h"
#include "lib/Share.h"
#include "lib/TestPasses.h"
#include "target/TargetSpec.h"

#include <CLI/CLI.hpp>

#include <llvm/Support/Program.h>
#include <llvm/Support/xxhash.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace fs = std::filesystem;
using namespace kgen;
using namespace kgen::tests;

namespace {

struct Arguments {
  std::string target, system = "linux", compiler = "cc", runner;
  bool reference = false;
  bool withoutByHand = false;
  bool verifyStages = false; ///< MLIR's verifier between passes, contracts after stages
  std::string provider = "auto";
  int64_t taskWork = CompileOptions().taskWork, winogradRows = 0;
  std::optional<int64_t> symbolicAxis; ///< whose size functions are given
  std::optional<size_t> round;         ///< each case in one of its ways, which the number rotates
  size_t share = 1;                    ///< one of so many cases, others on other days
  size_t minimum = 1;                  ///< runs that must be compiled of all cases
  std::vector<std::string> types;      ///< of which a case has an operand; empty: any
  std::string emulation;               ///< C file with functions that emulate AMX instructions
  fs::path output;
  std::vector<std::string> tables; ///< files, or folders that are searched
};

Arguments parseArguments(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Compiles operator cases for one target into one program.");
  app.add_option("--target", arguments.target)->required();
  app.add_option("--system", arguments.system)->check(CLI::IsMember(systemNames()));
  app.add_flag("--reference", arguments.reference, "plain loops instead of the optimized pipeline");
  app.add_flag("--verify-stages", arguments.verifyStages,
               "MLIR's verifier between passes, and the contract of each stage after it; always in "
               "the long tests");
  app.add_option("--provider", arguments.provider,
                 "who makes all micro-kernels; cases that it refuses are left out");
  app.add_option("--task-work", arguments.taskWork, "scalar operations that make a task worth it");
  app.add_option("--winograd-rows", arguments.winogradRows,
                 "Winograd's tiles wherever a case allows them, in blocks of so many rows");
  app.add_flag("--without-by-hand", arguments.withoutByHand,
               "leave out the small cases that are checked by hand");
  app.add_option("--types", arguments.types, "only cases with an operand of one of these types")
      ->delimiter(',');
  app.add_option("--once", arguments.round,
                 "each case in one of its ways only: all operands as inputs, or the constants that "
                 "it names. Programs of other numbers take other ways; not in the long tests");
  app.add_option("--symbolic", arguments.symbolicAxis,
                 "the first input's size of this dimension (-1: the last one) is given at run "
                 "time, in all inputs that have it; cases whose operator takes numbers there are "
                 "left out");
  app.add_option("--share", arguments.share,
                 "one of so many cases, which day by day are others (KGEN_TEST_DAY: days since "
                 "1970); all of them in the long tests")
      ->check(CLI::PositiveNumber);
  app.add_option("--minimum", arguments.minimum,
                 "fail if fewer runs are compiled; a share of the cases needs its share of them");
  app.add_option("--emulate-tiles", arguments.emulation,
                 "functions instead of AMX instructions; this C file defines them");
  app.add_option("--output", arguments.output, "folder for the program `runner` and its parts")
      ->required();
  app.add_option("--cc", arguments.compiler, "the C compiler");
  app.add_option("--runner", arguments.runner, "runner.c")->required();
  app.add_option("tables", arguments.tables)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error));
  }
  arguments.runner = fs::absolute(arguments.runner).string();
  if (std::getenv("KGEN_LONG_TESTS"))
    arguments.round.reset();
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

TargetSpec loadTarget(const Arguments &arguments) {
  Diagnostics diagnostics;
  auto target = findTarget({arguments.target, {}}, "", {}, diagnostics);
  if (!target)
    throw std::runtime_error(diagnostics.str());
  return targetOn(*systemNamed(arguments.system), *target);
}

/// Returns what the runner asks the CPU for: all that the target requires, AMX only if it is used.
VariantInterface requirements(const TargetSpec &target, bool emulateTiles) {
  VariantInterface variant;
  variant.target = target.name.value;
  for (const std::string &feature : target.featureNames())
    if (!emulateTiles || !llvm::StringRef(feature).starts_with("amx-"))
      variant.requiredFeatures.push_back(feature);
  return variant;
}

/// Cases that wait for their module to be compiled.
struct Run {
  std::string name, symbol;
  std::shared_ptr<const OperatorCase> source;
  std::vector<size_t> weights;
  std::optional<SymbolicCase> symbolic{}; ///< instead of numbers
};

class Compiler {
public:
  Compiler(const Arguments &arguments)
      : share(arguments.share), arguments(arguments), target(loadTarget(arguments)),
        compiler(target, options),
        table(arguments.output, requirements(target, !arguments.emulation.empty()), target.triple) {
    options.reference = arguments.reference;
    options.provider = arguments.provider;
    options.taskWork = arguments.taskWork;
    options.winogradRows = arguments.winogradRows;
    options.verifyStages = arguments.verifyStages;
    if (!arguments.emulation.empty())
      options.addTestPasses = [](mlir::OpPassManager &pm) { pm.addPass(createEmulateAmxPass()); };
  }

  void add(const OperatorCase &operatorCase) {
    if ((operatorCase.isByHand && arguments.withoutByHand) || !hasWantedType(operatorCase) ||
        !share.has(llvm::xxh3_64bits(operatorCase.op + " " + operatorCase.name)))
      return;
    auto source = std::make_shared<const OperatorCase>(operatorCase);
    std::vector<std::vector<size_t>> ways(1); // which inputs are constants: none of them, or
    if (!arguments.reference)                 // loops over weights are those over inputs
      llvm::append_range(ways, operatorCase.constants);
    if (arguments.round) {
      // Whichever other cases there are, so that programs of other rounds take the other ways.
      uint64_t first = llvm::xxh3_64bits(operatorCase.name) % ways.size();
      ways = {ways[(*arguments.round + first) % ways.size()]};
    }
    for (const std::vector<size_t> &way : ways)
      addRun(source, way);
  }

  /// Compiles what still waits and links the program.
  void finish() {
    compile(waiting);
    waiting.clear();
    table.write();
    link();
  }

  size_t runs() const { return table.size(); }
  /// Returns how many runs the share of the cases must have: names are not spread evenly.
  size_t minimum() const {
    return share.isAll() ? arguments.minimum
                         : std::max<size_t>(1, arguments.minimum / share.parts * 2 / 3);
  }
  const kgen::test::Share share;
  size_t failures = 0, refusals = 0;

private:
  bool hasWantedType(const OperatorCase &operatorCase) const {
    return arguments.types.empty() ||
           llvm::any_of(operatorCase.inputs, [&](const CaseInput &input) {
             return !input.skipped && input.sameAs < 0 &&
                    llvm::is_contained(arguments.types, toString(input.tensor.type.element));
           });
  }

  void addRun(std::shared_ptr<const OperatorCase> source, llvm::ArrayRef<size_t> constants) {
    std::string name = source->op + " " + source->name;
    for (auto [position, input] : llvm::enumerate(constants))
      name += (position == 0 ? " weights " : ",") + std::to_string(input);
    std::vector<size_t> weights = source->weights;
    llvm::append_range(weights, constants);
    std::optional<SymbolicCase> symbolic;
    if (arguments.symbolicAxis) {
      symbolic = symbolicCaseGraph(*source, weights, *arguments.symbolicAxis);
      if (!symbolic)
        return;
      name += " n=" + std::to_string(symbolic->size);
    }
    waiting.push_back({name, "kgen_case_" + std::to_string(added++), source, weights, symbolic});
    // A module of its own for each takes longer. A provider refuses whole modules.
    size_t together = arguments.provider == CompileOptions().provider ? 16 : 1;
    if (waiting.size() < together)
      return;
    compile(waiting);
    waiting.clear();
  }

  /// One module of all of them; if it fails, one of each.
  void compile(llvm::ArrayRef<Run> runs) {
    if (runs.empty())
      return;
    std::vector<CaseFunction> functions;
    for (const Run &run : runs)
      if (run.symbolic)
        functions.push_back({run.symbolic->graph, run.symbol, {{"n", run.symbolic->size}}});
      else
        functions.push_back({caseGraph(*run.source, run.weights), run.symbol});
    llvm::Expected<CompiledCases> compiled = compiler.compile(functions);
    if (compiled) {
      table.addObject(runs.front().symbol, *compiled);
      for (auto [run, workspace] : llvm::zip_equal(runs, compiled->workspaceBytes))
        table.addRun(run.name, run.symbol, *run.source, run.weights, workspace,
                     run.symbolic ? std::vector<int64_t>{run.symbolic->size}
                                  : std::vector<int64_t>());
      return;
    }
    llvm::Error error = compiled.takeError();
    if (runs.size() > 1) {
      llvm::consumeError(std::move(error));
      for (const Run &run : runs)
        compile(run);
      return;
    }
    ++(error.isA<RequestError>() ? refusals : failures);
    std::cerr << runs.front().name << ": " << llvm::toString(std::move(error)) << "\n";
  }

  /// Options of the compiler for a program, or for a module that exports the cases' functions.
  std::vector<std::string> linkOptions() const {
    if (arguments.system == "windows")
      return {"-static",
              "-D__USE_MINGW_ANSI_STDIO=1",
              "-I" + executors().string(),
              (executors() / "kgen_windows.c").string(),
              "-o",
              (arguments.output / "runner.exe").string()};
    if (!table.isForEngine())
      return {"-static", "-pthread", "-o", (arguments.output / "runner").string()};
    std::vector<std::string> options = {"--target=wasm32",
                                        "-nostdlib",
                                        "-Wl,--no-entry",
                                        "-Wl,--export=__heap_base",
                                        "-Wl,-z,stack-size=1048576",
                                        "-o",
                                        (arguments.output / "runner.wasm").string()};
    // Clang of one version does not look for the linker of another one.
    if (auto linker = llvm::sys::findProgramByName("wasm-ld"))
      options.push_back("-fuse-ld=" + *linker);
    for (const std::string &symbol : table.symbols())
      options.push_back("-Wl,--export=" + symbol);
    return options;
  }

  /// Beside the folder of runner.c.
  fs::path executors() const {
    return fs::path(arguments.runner).parent_path().parent_path().parent_path() / "runtime" /
           "executors";
  }

  void link() const {
    std::vector<std::string> command = {arguments.compiler,
                                        "-std=c11",
                                        "-O1",
                                        "-Wall",
                                        "-Wextra",
                                        arguments.runner,
                                        "-I" + fs::path(arguments.runner).parent_path().string()};
    llvm::append_range(command, linkOptions());
    if (!arguments.emulation.empty())
      command.push_back(arguments.emulation);
    for (const fs::path &part : table.sources())
      command.push_back(part.string());
    if (!table.isForEngine())
      command.push_back("-lm");
    // Many objects: by way of a response file.
    fs::path response = arguments.output / "link.rsp";
    std::ofstream(response) << [&] {
      std::string text;
      for (size_t i = 1; i < command.size(); ++i)
        text += "\"" + command[i] + "\"\n";
      return text;
    }();
    auto program = llvm::sys::findProgramByName(arguments.compiler);
    std::string argument = "@" + response.string(), message;
    if (!program || llvm::sys::ExecuteAndWait(*program, {arguments.compiler, argument},
                                              std::nullopt, {}, 0, 0, &message))
      throw std::runtime_error("linking failed " + message);
  }

  const Arguments &arguments;
  TargetSpec target;
  CompileOptions options;
  CaseCompiler compiler;
  std::vector<Run> waiting;
  size_t added = 0;
  RunnerTable table;
};

} // namespace

int main(int argc, char **argv) {
  Arguments arguments = parseArguments(argc, argv);
  try {
    fs::remove_all(arguments.output);
    fs::create_directories(arguments.output);
    Compiler compiler(arguments);
    for (const fs::path &file : tableFiles(arguments.tables))
      for (const OperatorCase &operatorCase : readCases(file))
        compiler.add(operatorCase);
    compiler.finish();
    std::cout << compiler.runs() << " runs compiled, " << compiler.refusals << " refused, "
              << compiler.failures << " failed\n";
    std::cout << compiler.share.str() << "\n";
    return compiler.failures == 0 && compiler.runs() >= compiler.minimum() ? 0 : 1;
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
