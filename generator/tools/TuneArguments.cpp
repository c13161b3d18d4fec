#include "tools/TuneArguments.h"

#include "tools/Arguments.h"
#include "tools/ModelArguments.h"
#include "tools/SharedArguments.h"

namespace kgen {
namespace {

constexpr const char *tuneFooter = R"(
kgen's targets are meant to be good as they are; this finds what is left for certain shapes on a certain CPU. Candidates come
in a fixed order: whole plans for each type of contraction, instructions, providers, and then register tiles (mr, nr), rows
(mc) and depth (kc) of blocks and blocked layouts one after the other, at last, where --heuristics says so, trade-offs of code
generation, until nothing gets faster or the time is over. Each one's results are compared with those of plain loops before it is timed, alternating with the best one so far; it wins if it is
1 % faster in a second, longer run, too, in the geometric mean over all functions and all --size. The winners are written as a complete target; from then on everything depends on that
file only. Where nothing is faster, nothing is written.
)";

} // namespace

void addTune(CLI::App &app, TuneCommand &command) {
  TuneOptions &options = command.options;
  CLI::App *sub = app.add_subcommand(
      "tune", "Try other register tiles, blocks, instructions and providers for a library on this "
              "CPU, and write targets with the fastest");
  sub->add_option("SPEC", options.specPath,
                  "The library's YAML file, an ONNX model, or an MLIR file")
      ->required();
  addGraphs(*sub, options.graphs);
  addTargets(*sub, options.targets, options.targetSearchPath);
  addModelBindings(*sub, options.bindings);
  addLink(*sub, options.link);
  addReport(*sub);
  addSizes(*sub, options.sizes);
  sub->add_option(
         "--machine", command.machine,
         "Tune the parameters of schedules for this machine (name or file) instead, by the "
         "cycles of `kgen simulate`; nothing is written")
      ->type_name("NAME|FILE")
      ->excludes("--target");
  sub->add_flag("--heuristics", options.heuristics,
                "Try the trade-offs of code generation, too (`kgen targets --heuristics`), each "
                "halved and doubled")
      ->excludes("--machine");
  sub->add_option("--time", options.seconds,
                  "At most so many seconds for each target (default: 120)")
      ->check(checkSeconds)
      ->type_name("SECONDS");
  sub->add_option("--output", options.output,
                  "The folder for <target>.yaml (default: beside the spec, where kgen looks for "
                  "targets first;\nfor a target that is a file, where it is)")
      ->type_name("DIR");
  sub->add_flag("--force", options.force, "Replace files that are there already");
  addJson(*sub, command.json);
  sub->footer(tuneFooter);
}

} // namespace kgen
