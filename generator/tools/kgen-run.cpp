// kgen-run: compiles a function of a .mlir file in this process and runs it.
#include "driver/crash/CrashReport.h"
#include "driver/run/RunFile.h"
#include "tools/Arguments.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace kgen;

namespace {

constexpr const char *about = "Compiles a function of a .mlir file (linalg on tensors, TOSA, tpp, "
                              "scf, arith, ...) for a target in this process, runs it on this\n"
                              "CPU, and reports what its bench operations check and measure "
                              "(docs/Dialects.md).";

constexpr const char *footer = R"(
Arguments, tensors or memrefs of static shape, are filled with random numbers: floats in [-1, 1), integers in [-8, 8).

Exit codes: 0 every check holds, 1 a check failed, 2 wrong arguments or an input that cannot be compiled, 3 this CPU cannot
run the target's code.
)";

void addOptions(CLI::App &app, RunOptions &options) {
  app.add_option("FILE", options.path, "The .mlir file")->required();
  app.add_option("--target", options.target, "The target (name or file)")->required();
  app.add_option("--target-path", options.targetSearchPath,
                 "A folder with target files; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--entry", options.entry, "The function to run (default: main)");
  app.add_option("--seed", options.seed, "Of the arguments' contents (default: 1)");
  app.add_flag("--print", options.print, "Print arguments and results after the run");
  app.add_option_function<std::string>("--report", setReportFile,
                                       "If it crashes: write the code before the pass that failed")
      ->check(checkReport, "")
      ->type_name("FILE");
  app.add_flag("--reference", options.reference,
               "Plain loops instead of the optimized pipeline, to compare with");
  app.add_option("--provider", options.provider, "Who makes the micro-kernels (default: auto)")
      ->check(checkProvider, providerList("|"));
}

int exitCode(RunStatus status) {
  switch (status) {
  case RunStatus::ok:
    return 0;
  case RunStatus::checkFailed:
    return 1;
  case RunStatus::badInput:
    return 2;
  case RunStatus::unsupportedCpu:
    return 3;
  }
  return 2;
}

int run(int argc, char **argv) {
  CLI::App app(about, "kgen-run");
  app.footer(footer);
  RunOptions options;
  addOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Diagnostics diagnostics;
  RunStatus status = runFile(options, std::cout, diagnostics);
  std::cout.flush();
  std::cerr << diagnostics.str();
  return exitCode(status);
}

} // namespace

int main(int argc, char **argv) {
  handleCrashes(
      "kgen-run", 2,
      "This is a defect of kgen, unless the function reads or writes what is not its own: "
      "please report it with\nthe file that the same command writes with --report FILE");
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::cerr << "kgen-run: internal error: " << error.what() << "\n";
    return 2;
  }
}
