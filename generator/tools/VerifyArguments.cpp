#include "tools/VerifyArguments.h"

#include "tools/Arguments.h"
#include "tools/ModelArguments.h"
#include "tools/SharedArguments.h"

#include <llvm/ADT/StringRef.h>

namespace kgen {
namespace {

constexpr const char *verifyFooter = R"(
The graph runs on the inputs in PATH: of a spec in plain loops ("reference") and in every variant that this CPU supports, of a
generated library in its variants; and on the graphics cards of this machine among the targets, in a program that the C compiler
($CC, else cc) makes. PATH is a .npz file with an array for each input and output, by name, or a folder with
input_0.npy, input_1.npy, ..., output_0.npy, ... in the graph's order. NumPy has no bf16: arrays of f32 are rounded to it.

An element is right if it differs by at most atol + rtol * |expected|; with --ulp, by at most N units in the last place (ulp) or
by atol. The defaults, of the coarsest type of floats in which the graph computes or the output is:

  f32   rtol 1e-3  atol 1e-7, as in ONNX's tests      f64   rtol 1e-7  atol 1e-15
  f16   rtol 1e-2  atol 1e-3                          bf16  rtol 4e-2  atol 1e-2

Integers must be equal, or differ by at most --atol; truth values must be equal. NaN equals NaN, an infinity the one of the
same sign, -0 equals 0. The exit code is 0 if all results are right, and 4 if not.

With --run-with and --cc, code for another CPU runs elsewhere, plain loops as well: the compiler links a program of the library,
which the command runs once for each function. Targets are those that the compiler's architecture has.

--all-nodes compiles the graph once more with the results of all nodes as outputs, and compares those that PATH has by
their names with it, the others with those of plain loops. Less is fused in such a function than in the library's. Unless
--atol is given, it is, for these results only, larger by rtol times a typical magnitude of the result (its lower quartile).

--frames calls each function on one frame after another. All arrays have a leading axis of calls, but for those of states, by
whose names PATH may say what is before the first call; otherwise they begin as the library begins them. Outputs that PATH
lacks, and states, are compared with what plain loops carry on. With --all-nodes, the first frame and node that differ are named.
)";

void addTolerances(CLI::App &sub, ToleranceOptions &tolerance) {
  auto add = [&sub](const char *name, std::optional<double> &value, const char *what) {
    return sub
        .add_option_function<double>(
            name, [&value](double given) { value = given; }, what)
        ->check(checkTolerance)
        ->type_name("NUMBER");
  };
  CLI::Option *relative =
      add("--rtol", tolerance.relative, "What floats may differ by, relative to what is expected");
  add("--atol", tolerance.absolute, "What elements may differ by, besides");
  sub.add_option_function<std::string>(
         "--ulp",
         [&tolerance](const std::string &text) {
           uint64_t ulps = 0;
           if (llvm::StringRef(text).getAsInteger(10, ulps))
             throw CLI::ValidationError("--ulp",
                                        "expected a whole number from 0 on, found '" + text + "'");
           tolerance.ulps = ulps;
         },
         "What floats may differ by, in units in the last place, instead of --rtol")
      ->type_name("N")
      ->excludes(relative);
}

} // namespace

void addVerify(CLI::App &app, VerifyCommand &command) {
  VerifyOptions &options = command.options;
  CLI::App *sub = app.add_subcommand(
      "verify", "Run a graph on given inputs and compare its results with given ones");
  sub->add_option(
         "SPEC|LIBRARY", options.path,
         "The library's YAML file, an ONNX model, or a folder that `kgen generate` has\nwritten")
      ->required();
  sub->add_option("--against", options.against,
                  "Inputs and expected outputs: a .npz file, or a folder of .npy or .pb files")
      ->required()
      ->type_name("PATH");
  sub->add_option("--graph", options.graph, "The graph, if the library has several")
      ->type_name("NAME");
  addTargets(*sub, options.targets, options.targetSearchPath);
  addModelBindings(*sub, options.bindings);
  addLink(*sub, options.link);
  addForeign(*sub, command.foreign);
  addReport(*sub);
  addTiming(*sub);
  addProvider(*sub, options.provider);
  sub->add_flag("--all-nodes", options.allNodes,
                "Compare the results of all nodes, too, and name the first that differs");
  sub->add_flag("--frames", options.frames,
                "Arrays have a leading axis of calls: state is carried on from one to the next");
  addTolerances(*sub, options.tolerance);
  addJson(*sub, command.json);
  sub->footer(verifyFooter);
}

} // namespace kgen
