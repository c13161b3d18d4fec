// kgen simulate: what a schedule moves, holds and takes on a machine.
#include "emit/Folder.h"
#include "tools/Arguments.h"
#include "tools/ModelArguments.h"
#include "tools/SharedArguments.h"
#include "tools/SimulateArguments.h"

#include <iostream>

namespace kgen {

static constexpr const char *simulateFooter = R"(
A graph of a spec has the schedules that it names or that match; other products get one by formula. So do functions on tensors
of a .mlir file. Any other .mlir file has a bufferized function in upstream's dialects: scf.forall on #gpu.block and #gpu.thread, memrefs in the memory spaces 0 (L3), 1
(L2) and 2 (L1), copies, and linalg on what is in L1. A second function with the same arguments and without such loops is the
reference: with --data both run on seeded inputs, and their results are compared.

Faults of the schedule are errors with the operation, the loop and the step: a race, a read of what nobody wrote, a copy over
what is not used yet, an operand outside of L1, too small a memory. The exit code is then 1; it is 4 if results differ.
docs/Simulate.md says what is modelled.
)";

void addSimulate(CLI::App &app, SimulateCommand &command) {
  SimulateOptions &options = command.options;
  CLI::App *sub = app.add_subcommand(
      "simulate", "Run a scheduled function on the model of a machine: traffic, memory, cycles");
  sub->add_option("FILE", options.path,
                  "A spec, an ONNX model, or a .mlir file with a scheduled function")
      ->required();
  sub->add_option("--graph", options.graph, "The graph of a spec (default: the only one)")
      ->type_name("NAME");
  sub->add_option("--machine", options.machine,
                  "The machine (name or file); `kgen targets` lists those built in")
      ->required()
      ->type_name("NAME|FILE");
  sub->add_option("--target-path", options.targetSearchPath,
                  "A folder with target files; may be repeated")
      ->allow_extra_args(false);
  addSizesAndValues(*sub, options.bindings);
  addConfine(*sub);
  addReport(*sub);
  sub->add_option("--function", options.function,
                  "The function (default: the one with loops over blocks or cores)")
      ->type_name("NAME");
  sub->add_option("--reference", options.reference,
                  "What to compare with (default: another function with the same arguments)")
      ->type_name("NAME");
  sub->add_flag("--data", options.data,
                "Compute on seeded inputs, and compare the results with the reference's");
  sub->add_option("--seed", options.seed, "Of the inputs (default: 1)")->needs("--data");
  sub->add_flag("--json", command.json, "As JSON on standard output");
  sub->add_option("--html", command.html,
                  "Write one page with the tables and a drawn timeline of the engines")
      ->check(checkPage, "")
      ->type_name("FILE");
  sub->footer(simulateFooter);
}

int SimulateCommand::run() {
  options.timeline = !html.empty();
  Diagnostics diagnostics;
  std::unique_ptr<Simulation> result = simulateFile(options, diagnostics);
  if (result && options.data && !result->isCompared())
    diagnostics.warning({options.path, 0, 0}, "there is nothing to compare the results with",
                        "--reference names a function with the same arguments");
  if (result && !html.empty())
    if (llvm::Error error = replaceFile(html, result->html()))
      diagnostics.error({"kgen", 0, 0}, llvm::toString(std::move(error)));
  if (result && !json)
    std::cout << result->text() << std::flush;
  if (result && json) // faults do not make the figures less interesting
    std::cout << result->json(diagnostics);
  else
    report(diagnostics, json);
  if (diagnostics.hasErrors())
    return exitUserError;
  return result->isRight() ? exitOk : exitDifference;
}

} // namespace kgen
