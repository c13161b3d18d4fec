// The `kgen` command: arguments only; each command is a file of its own.
#include "driver/crash/CrashReport.h"
#include "driver/load/Load.h"
#include "support/Components.h"
#include "tools/Arguments.h"
#include "tools/Commands.h"
#include "tools/ExplainArguments.h"
#include "tools/GenerateArguments.h"
#include "tools/ModelArguments.h"
#include "tools/SharedArguments.h"
#include "tools/SimulateArguments.h"
#include "tools/TuneArguments.h"
#include "tools/UsageErrors.h"
#include "tools/VerifyArguments.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <system_error>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace kgen;

namespace {

constexpr const char *about =
    "Turns ONNX models, and graphs written in YAML, into a plain C static "
    "library: object files for several CPU\n"
    "levels, a header and a dispatcher that picks the best one with "
    "cpuid. Nothing is compiled, allocated or looked\n"
    "up at run time.";

constexpr const char *examples =
    R"(  kgen import net.onnx --dim batch=1     a spec to read and edit, and its weights, in the folder net-spec/
  kgen check mlp.yaml --print-graph      what kgen understands of a spec
  kgen generate mlp.yaml -o mlp          the library as the folder mlp/: a CMake project with mlp.h, mlp.c and objects
  kgen explain mlp.yaml --html mlp.html  what became of every node, drawn
  kgen generate mlp.yaml -o mlp --check  whether the folder is what kgen would generate now
  kgen bench mlp.yaml --plot mlp.svg     how fast each function is here, drawn below the machine's limits
  kgen verify mlp.yaml --against mlp.npz  whether it computes what NumPy, for example, has computed
  kgen tune mlp.yaml                     faster choices for this CPU, as targets beside the spec
  kgen simulate gemm.mlir --machine array-2x2  what a schedule moves and takes on an array of cores
)";

constexpr const char *exitCodes =
    R"(Exit codes: 0 done, 1 an error in the input or a file that cannot be read or written, 2 wrong arguments, 3 a defect of
kgen, 4 --check found a difference, or a function computes something wrong (bench, verify).
)";

constexpr const char *benchFooter = R"(
Before anything is measured, the results of each function are compared with those of plain loops on seeded inputs, and those
of several threads, to the last bit, with those of one. What is wrong is named, not measured, and the exit code is 4.

A line says: the median of the readings and half the distance between their quartiles; GFLOPS (scalar operations of the
graph, a multiply-add counts twice); the fraction of the peak of the instruction that the code's contractions use, measured
alternating with the function on as many threads; and bytes of inputs, packed weights and outputs by time. Times are the
thread's processor time for one thread; the wall clock's for several threads, which are a pthreadpool's, and for cold calls
of less than 20 us.

With --steps, the function is compiled once more with a clock between the steps that `kgen explain` lists, and run again: the
median of each step's times, by the wall clock, its share of all steps' time, and the speed of its contractions. Steps
that share tasks or a loop are measured together.

Each reading begins with the same state: seeded floats, and integers as `init` says, or, for a state of one integer, --size.
Integers of 32 bits and more begin each call.

Code for graphics cards is compiled by the C compiler ($CC, else cc) and called in a process of its own. "copied" is a call with
the copies of tensors to the device and back; "on device", on CUDA, one on tensors in its memory, until it is done.

With --check nothing is measured. --run-with and --cc take --check: times of an emulator say nothing about the CPU that it
plays. The compiler links a program of the library, which the command runs once for each call.
)";

void addCheck(CLI::App &app, CheckCommand &command) {
  CLI::App *sub =
      app.add_subcommand("check", "Check a spec, its weights and targets without compiling");
  sub->add_option("SPEC", command.specPath,
                  "The library's YAML file, an ONNX model, or an MLIR file")
      ->required();
  sub->add_option("--target-path", command.targetSearchPath,
                  "A folder with target files; may be repeated")
      ->allow_extra_args(false);
  addGraphs(*sub, command.graphs);
  addModelBindings(*sub, command.bindings);
  addLink(*sub, command.link);
  addConfine(*sub);
  addReport(*sub);
  addTiming(*sub);
  sub->add_flag("--print-graph", command.printGraph, "Print the graphs with all inferred types");
  sub->add_flag("--json", command.json, "The result as JSON on standard output");
  sub->add_flag("-q,--quiet", command.quiet, "Errors and warnings only");
  sub->parse_complete_callback([sub, &command] { command.modelOptions = modelOptionsText(*sub); });
}

/// Says what is measured, and how.
void addMeasuring(CLI::App &sub, BenchCommand &command) {
  BenchOptions &options = command.options;
  sub.add_option("--time", options.seconds, "Seconds for each line of the result (default: 0.5)")
      ->check(checkSeconds)
      ->type_name("SECONDS");
  auto *hot = sub.add_flag_callback(
      "--hot", [&options] { options.cold = false; },
      "Only with hot caches: the same memory again and again");
  sub.add_flag_callback(
         "--cold", [&options] { options.hot = false; },
         "Only with cold caches: before each call, all lines of inputs, weights, outputs and "
         "workspace are flushed (clflush)")
      ->excludes(hot);
  sub.add_flag("--steps", options.steps,
               "The time of each step of `kgen explain`, too, with hot caches")
      ->excludes("--cold");
  sub.add_flag(
         "--latency", options.latency,
         "p50, p99, p99.9 and the worst of 100,000 single calls (or 20 seconds of them), with hot "
         "caches")
      ->excludes("--cold");
  sub.add_option(
         "--against", command.against,
         "What an earlier `kgen bench --json FILE` wrote: how many times as fast each line is now")
      ->type_name("FILE");
  sub.add_option("--plot", command.plot, "Draw a roofline as SVG")
      ->check(checkSvg, "")
      ->type_name("FILE");
}

void addBench(CLI::App &app, BenchCommand &command) {
  BenchOptions &options = command.options;
  CLI::App *sub = app.add_subcommand(
      "bench", "Measure every function of a library in every variant that this CPU supports, after "
               "checking its results");
  sub->add_option("SPEC", options.specPath,
                  "The library's YAML file, an ONNX model, or an MLIR file")
      ->required();
  addGraphs(*sub, options.graphs);
  addTargets(*sub, options.targets, options.targetSearchPath);
  addModelBindings(*sub, options.bindings);
  addSizes(*sub, options.sizes);
  addLink(*sub, options.link);
  options.threads = defaultThreads();
  sub->add_option_function<std::string>(
         "--threads",
         [&options](const std::string &text) {
           std::string error = parseThreads(text, options.threads);
           if (!error.empty())
             throw CLI::ValidationError("--threads", error);
         },
         "Numbers of threads, as 2, 1,2,4 or 1..4 (default: 1 and all processors)")
      ->type_name("LIST");
  addMeasuring(*sub, command);
  auto *check = sub->add_flag("--check", options.check,
                              "Compare results with those of plain loops, and measure nothing");
  for (const char *measuring :
       {"--time", "--hot", "--cold", "--steps", "--latency", "--against", "--plot"})
    check->excludes(measuring);
  addForeign(*sub, command.foreign);
  sub->get_option("--run-with")->needs(check);
  addProvider(*sub, options.provider);
  addReport(*sub);
  addJson(*sub, command.json);
  sub->footer(benchFooter);
}

struct OperatorsCommand {
  std::vector<std::string> names, templateFiles;
};

void addOperators(CLI::App &app, OperatorsCommand &command, bool &json) {
  CLI::App *sub = app.add_subcommand("ops", "List the operators that a graph's nodes can use");
  sub->add_option("--templates", command.templateFiles, "Those of a file with templates")
      ->allow_extra_args(false);
  sub->add_option("NAME", command.names, "Only these, with their attributes");
  sub->add_flag("--json", json, "As JSON");
}

struct TargetsCommand {
  std::vector<std::string> searchPath;
  bool heuristics = false;

  int run(bool json) const {
    return heuristics ? listHeuristics(json) : listTargets(searchPath, json);
  }
};

void addTargets(CLI::App &app, TargetsCommand &command, bool &json) {
  CLI::App *sub = app.add_subcommand(
      "targets",
      "List the targets: CPU levels that a library can be generated for, and machines for "
      "`kgen simulate`");
  sub->add_option("--target-path", command.searchPath,
                  "A folder with more target files; may be repeated");
  sub->add_flag("--heuristics", command.heuristics,
                "List what a target may state beside what it must, with defaults");
  sub->add_flag("--json", json, "As JSON");
}

std::string versionText() {
  std::string text = "kgen " KGEN_VERSION " (LLVM " LLVM_VERSION_STRING ")";
  for (const Component *component : {&templatesComponent(), &machinesComponent()})
    if (!component->isThere)
      text += std::string(", without ") + component->name;
  return text;
}

int run(int argc, char **argv) {
  CLI::App app(about, "kgen");
  app.set_version_flag("--version", versionText());
  app.set_help_all_flag("--help-all", "Help of all commands");
  app.require_subcommand(1);
  GenerateCommand generate;
  ImportCommand import;
  addImport(app, import);
  CheckCommand check;
  bool json = false;
  addGenerate(app, generate);
  addCheck(app, check);
  ExplainCommand explain;
  addExplain(app, explain);
  BenchCommand bench;
  addBench(app, bench);
  TuneCommand tune;
  addTune(app, tune);
  VerifyCommand verify;
  addVerify(app, verify);
  SimulateCommand simulate;
  addSimulate(app, simulate);
  TargetsCommand targets;
  addTargets(app, targets, json);
  OperatorsCommand operators;
  addOperators(app, operators, json);
  addExamples(app, examples, exitCodes);
  if (std::string error = checkCommand(app, argc, argv); !error.empty()) {
    std::cerr << "kgen: " << error << "\nRun with --help for more information.\n";
    return exitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError &) {
    std::cerr << "kgen: " << unexpectedArguments(app) << "\n";
    return exitUsage;
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? exitOk : exitUsage;
  }
  const std::pair<const char *, std::function<int()>> commands[] = {
      {"generate", [&] { return generate.run(); }},  {"import", [&] { return import.run(); }},
      {"check", [&] { return check.run(); }},        {"explain", [&] { return explain.run(); }},
      {"bench", [&] { return bench.run(); }},        {"tune", [&] { return tune.run(); }},
      {"verify", [&] { return verify.run(); }},      {"simulate", [&] { return simulate.run(); }},
      {"targets", [&] { return targets.run(json); }}};
  for (const auto &[name, runCommand] : commands)
    if (app.got_subcommand(name))
      return runCommand();
  return listOperators(operators.names, operators.templateFiles, json);
}

/// Flushes standard output; prints an error and returns false if that fails.
bool flushOutput() {
  errno = 0;
  if (std::cout.flush() && std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  std::cerr << "kgen: error: cannot write to standard output"
            << (errno != 0 ? std::string(": ") + std::strerror(errno) : "") << "\n";
  return false;
}

} // namespace

/// The memory of each weight goes back to the system when it is freed. glibc otherwise keeps those
/// below 32 MB once it has seen a large one freed, in as many pieces as there are threads.
static void returnLargeBlocks() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

#ifdef KGEN_TEST_PASSES
namespace kgen::tests {
void addPassesOfEnvironment(); // tests/lib
}
#endif

int main(int argc, char **argv) {
  handleCrashes(
      "kgen", exitInternalError,
      "This is a defect of kgen: please report it with the file that the same command writes "
      "with --report FILE");
#ifdef KGEN_TEST_PASSES
  tests::addPassesOfEnvironment();
#endif
  returnLargeBlocks();
  try {
    int code = run(argc, argv);
    return flushOutput() || code != exitOk ? code : exitUserError;
  } catch (const std::system_error &error) { // of files, standard output among them
    std::cerr << "kgen: error: " << error.what() << "\n";
    return exitUserError;
  } catch (const std::exception &error) {
    std::cerr << "kgen: internal error: " << error.what() << "\n";
    return exitInternalError;
  }
}
