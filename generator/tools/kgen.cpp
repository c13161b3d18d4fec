// The `kgen` command: arguments only; each command is a file of its own.
#include "tools/Arguments.h"
#include "tools/Commands.h"

#include <llvm/Config/llvm-config.h>

#include <CLI/CLI.hpp>

#include <iostream>

using namespace kgen;

namespace {

constexpr const char *about = "Turns model graphs written in YAML into a plain C static library: "
                              "object files for several CPU levels, a header\n"
                              "and a dispatcher that picks the best one with cpuid. Nothing is "
                              "compiled, allocated or looked up at run time.";

constexpr const char *footer = R"(
Example:
  kgen check mlp.yaml --print-graph      what kgen understands of a spec
  kgen generate mlp.yaml -o mlp          the library as the folder mlp/: a CMake project with mlp.h, mlp.c and objects
  kgen explain mlp.yaml --html mlp.html  what became of every node, drawn
  kgen generate mlp.yaml -o mlp --check  whether the folder is what kgen would generate now

Exit codes: 0 done, 1 an error in the input, 2 wrong arguments, 3 a defect of kgen, 4 --check found a difference.
)";

const std::map<std::string, EmitKind> emitKinds{{"obj", EmitKind::object},
                                                {"asm", EmitKind::assembly},
                                                {"llvm", EmitKind::llvm},
                                                {"mlir", EmitKind::mlir}};

/// "graph:target" into its halves.
std::string splitOnly(const std::string &text, GenerateOptions &options) {
  size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
    return "expected GRAPH:TARGET, for example forward:x86-64-v3, found '" + text + "'";
  options.onlyGraph = text.substr(0, colon);
  options.onlyTarget = text.substr(colon + 1);
  return "";
}

void addGenerate(CLI::App &app, GenerateCommand &command) {
  CLI::App *sub = app.add_subcommand("generate", "Generate the library of a spec");
  sub->add_option("SPEC", command.options.specPath, "The library's YAML file")->required();
  sub->add_option("-o,--output", command.directory,
                  "The library's folder, replaced in one step (default: ./<library>)");
  sub->add_option("--emit", command.options.emit,
                  "obj: a library with object files (default); asm: the same as assembly text; "
                  "llvm, mlir: the code of each\n"
                  "graph and target at that level, <graph>.<target>.ll or .mlir, to be read")
      ->transform(CLI::CheckedTransformer(emitKinds).description("obj|asm|llvm|mlir"));
  sub->add_option("--target", command.options.targets,
                  "A target (name or file) instead of the spec's; may be repeated")
      ->allow_extra_args(false);
  sub->add_option("--target-path", command.options.targetSearchPath,
                  "A folder with target files; may be repeated")
      ->allow_extra_args(false);
  sub->add_option_function<std::string>(
         "--only",
         [&command](const std::string &text) {
           std::string error = splitOnly(text, command.options);
           if (!error.empty())
             throw CLI::ValidationError("--only", error);
         },
         "GRAPH:TARGET: compile just this part, into <output>/objects/, for --parts")
      ->type_name("GRAPH:TARGET");
  sub->add_option("--parts", command.options.partsDirectory,
                  "A folder with all parts (made by --only): assemble the library from them "
                  "instead of compiling");
  sub->add_flag("--list-parts", command.listParts,
                "Print a line graph:target for each part, and do nothing else");
  sub->add_option("-j,--jobs", command.options.jobs,
                  "Parts to compile at the same time (default: the number of cores)");
  sub->add_option("--depfile", command.depfile,
                  "Write a Makefile fragment that names all files that were read");
  sub->add_flag("--check", command.check,
                "Write nothing; exit 4 if the folder is not what would be generated (if another "
                "LLVM made it: does not compute the same)");
  sub->add_flag("--check-results", command.checkResults,
                "--check, and compare what the functions compute, not the bytes of their code");
  sub->add_flag("--always", command.always,
                "Generate even if the folder is what this kgen would generate");
  sub->add_flag("--reference", command.options.reference,
                "Plain loops instead of the optimised pipeline, to compare with");
  sub->add_option(
         "--provider", command.options.provider,
         "Who makes the micro-kernels. auto: the cheapest for each (default); vector: kgen's "
         "own vector code; xsmm: machine\n"
         "code from libxsmm, for AVX2 and AVX-512. An error where the only provider refuses")
      ->check(checkProvider, "auto|vector|xsmm");
  sub->add_option("--dump-stages", command.dumpDirectory,
                  "A folder for the code at each level, weights included, for kgen-opt:\n"
                  "<graph>.<target>/01-ingress.mlir and onward");
  sub->add_flag("--json", command.json, "The summary, or the errors, as JSON on standard output");
  sub->add_flag("-q,--quiet", command.quiet, "No summary and no progress");
}

void addCheck(CLI::App &app, CheckCommand &command) {
  CLI::App *sub =
      app.add_subcommand("check", "Check a spec, its weights and targets without compiling");
  sub->add_option("SPEC", command.specPath, "The library's YAML file")->required();
  sub->add_option("--target-path", command.targetSearchPath,
                  "A folder with target files; may be repeated")
      ->allow_extra_args(false);
  sub->add_flag("--print-graph", command.printGraph, "Print the graphs with all inferred types");
  sub->add_flag("--json", command.json, "The result as JSON on standard output");
}

void addExplain(CLI::App &app, ExplainCommand &command) {
  CLI::App *sub = app.add_subcommand(
      "explain", "What becomes of every node: fusion, tiling, micro-kernels, memory, and why");
  sub->add_option("SPEC", command.options.specPath, "The library's YAML file")->required();
  sub->add_option("--target", command.options.targets,
                  "A target (name or file) instead of the spec's; may be repeated")
      ->allow_extra_args(false);
  sub->add_option("--target-path", command.options.targetSearchPath,
                  "A folder with target files; may be repeated")
      ->allow_extra_args(false);
  sub->add_flag("--json", command.json, "As JSON on standard output");
  sub->add_option("--html", command.html, "Write one page with everything drawn, instead of text");
}

int run(int argc, char **argv) {
  CLI::App app(about, "kgen");
  app.footer(footer);
  app.set_version_flag("--version", "kgen " KGEN_VERSION " (LLVM " LLVM_VERSION_STRING ")");
  app.set_help_all_flag("--help-all", "Help of all commands");
  app.require_subcommand(1);
  GenerateCommand generate;
  CheckCommand check;
  std::vector<std::string> searchPath;
  bool json = false;
  addGenerate(app, generate);
  addCheck(app, check);
  ExplainCommand explain;
  addExplain(app, explain);
  CLI::App *targets = app.add_subcommand(
      "targets", "List the targets: CPU levels that a library can be generated for");
  targets->add_option("--target-path", searchPath,
                      "A folder with more target files; may be repeated");
  targets->add_flag("--json", json, "As JSON");
  CLI::App *operators =
      app.add_subcommand("ops", "List the operators that a graph's nodes can use");
  operators->add_flag("--json", json, "As JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? exitOk : exitUsage;
  }
  if (app.got_subcommand("generate"))
    return generate.run();
  if (app.got_subcommand("check"))
    return check.run();
  if (app.got_subcommand("explain"))
    return explain.run();
  return app.got_subcommand(targets) ? listTargets(searchPath, json) : listOperators(json);
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::cerr << "kgen: internal error: " << error.what() << "\n";
    return exitInternalError;
  }
}
