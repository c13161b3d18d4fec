#include "tools/SharedArguments.h"

#include "driver/crash/CrashReport.h"
#include "driver/load/BackendChecks.h"
#include "driver/load/Load.h"
#include "support/Confinement.h"
#include "support/Timing.h"
#include "tools/Arguments.h"

namespace kgen {

void addTargets(CLI::App &sub, std::vector<std::string> &targets,
                std::vector<std::string> &searchPath) {
  sub.add_option("--target", targets,
                 "A target (name or file) instead of the spec's; may be repeated")
      ->allow_extra_args(false);
  sub.add_option("--target-path", searchPath, "A folder with target files; may be repeated")
      ->allow_extra_args(false);
  addConfine(sub);
}

void addConfine(CLI::App &sub) {
  sub.add_option_function<std::string>(
         "--confine",
         [](const std::string &folder) {
           if (!confineReads(folder))
             throw CLI::ValidationError("--confine", "'" + folder + "' is not a folder");
         },
         "Read no file outside of this folder, links resolved, whatever specs and models name")
      ->type_name("FOLDER");
}

void addGraphs(CLI::App &sub, std::vector<std::string> &graphs) {
  sub.add_option("--graph", graphs,
                 "Only this graph, or those that match a pattern such as 'conv_*'; may be repeated")
      ->allow_extra_args(false);
}

void addJson(CLI::App &sub, std::string &path) {
  sub.add_option("--json", path,
                 "Write the result as JSON; -: to standard output, instead of the table")
      ->check(checkJson, "")
      ->type_name("FILE|-");
}

void addLink(CLI::App &sub, std::vector<std::string> &files) {
  sub.add_option(
         "--link", files,
         "A .c, .o or .so file that defines functions which nodes with op: extern call; may be "
         "repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void addForeign(CLI::App &sub, ForeignTools &tools) {
  auto *runWith = sub.add_option("--run-with", tools.runWith,
                                 "Run code for another CPU by this command, an emulator for "
                                 "example: 'qemu-aarch64 -cpu max'")
                      ->type_name("COMMAND");
  auto *compiler = sub.add_option("--cc", tools.compiler,
                                  "The C compiler that links programs for --run-with: "
                                  "aarch64-linux-gnu-gcc")
                       ->type_name("COMPILER")
                       ->needs(runWith);
  runWith->needs(compiler);
}

bool openMachine(const ForeignTools &tools, const std::vector<std::string> &link,
                 std::shared_ptr<const ForeignMachine> &machine, Diagnostics &diagnostics) {
  if (tools.compiler.empty())
    return true;
  machine = ForeignMachine::open(tools, link, diagnostics);
  return machine != nullptr;
}

void addReport(CLI::App &sub) {
  sub.add_option_function<std::string>("--report", setReportFile,
                                       "If kgen crashes or fails by a defect: write what repeats "
                                       "it, the code before the pass that "
                                       "failed,\nwithout the weights")
      ->check(checkReport, "")
      ->type_name("FILE");
}

void addTiming(CLI::App &sub) {
  sub.add_flag_callback(
      "--timing", startTiming,
      "Wall and CPU seconds by graph, target, stage and pass, at the end; with --json, \"timing\"");
}

void addProvider(CLI::App &sub, std::string &provider) {
  sub.add_option("--provider", provider,
                 "Who makes the micro-kernels; an error where the only provider refuses.\n" +
                     providerSummaries())
      ->check(checkProvider, providerList("|"));
}

} // namespace kgen
