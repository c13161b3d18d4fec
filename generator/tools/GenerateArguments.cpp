#include "tools/GenerateArguments.h"

#include "tools/ModelArguments.h"
#include "tools/SharedArguments.h"

#include <map>

namespace kgen {
namespace {

const std::map<std::string, EmitKind> emitKinds{{"obj", EmitKind::object},
                                                {"asm", EmitKind::assembly},
                                                {"llvm", EmitKind::llvm},
                                                {"mlir", EmitKind::mlir}};

/// Splits "graph:target" into `options`. Returns an error message, or "".
std::string splitOnly(const std::string &text, GenerateOptions &options) {
  size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
    return "expected GRAPH:TARGET, for example forward:x86-64-v3, found '" + text + "'";
  options.onlyGraph = text.substr(0, colon);
  options.onlyTarget = text.substr(colon + 1);
  return "";
}

/// --link and --stubs.
void addExterns(CLI::App &sub, GenerateCommand &command) {
  addLink(sub, command.options.link);
  sub.add_flag("--stubs", command.stubs,
               "Write <library>_stubs.c, to begin writing extern functions from, and nothing else");
}

/// --check and --check-results; --always.
void addChecks(CLI::App &sub, GenerateCommand &command) {
  sub.add_flag("--check", command.check,
               "Write nothing and run nothing; exit 4 if the folder is not, byte by byte, what "
               "would be generated, or if another LLVM made it");
  sub.add_flag("--check-results", command.checkResults,
               "--check, but run the functions of the folder and compare what they compute; "
               "what this CPU lacks is compared by its bytes");
  sub.add_flag("--always", command.always,
               "Generate even if the folder is what this kgen would generate");
}

/// --timing, --verify-stages and --dump-stages.
void addLooksInside(CLI::App &sub, GenerateCommand &command) {
  addTiming(sub);
  sub.add_flag("--verify-stages", command.options.verifyStages,
               "Check the code between passes, and the contract of each stage; to find the "
               "pass that breaks it");
  CLI::Option *dump =
      sub.add_option("--dump-stages", command.dumpDirectory,
                     "A folder for the code after each stage, weights included, for kgen-opt:\n"
                     "<graph>.<target>/01-ingress.mlir and onward");
  sub.add_flag("!--no-dump-weights", command.options.dumpWeights,
               "Leave the weights out of it: to read, as kgen-opt needs them")
      ->needs(dump);
}

} // namespace

void addGenerate(CLI::App &app, GenerateCommand &command) {
  CLI::App *sub = app.add_subcommand("generate", "Generate the library of a spec");
  sub->add_option("SPEC", command.options.specPath,
                  "The library's YAML file, an ONNX model, or an MLIR file")
      ->required();
  sub->add_option("-o,--output", command.directory,
                  "The library's folder, replaced in one step (default: ./<library>)");
  sub->add_option("--emit", command.options.emit,
                  "obj: a library with object files (default); asm: the same as assembly text; "
                  "llvm, mlir: the code of each\n"
                  "graph and target at that level, <graph>.<target>.ll or .mlir, to be read")
      ->transform(CLI::CheckedTransformer(emitKinds).description("obj|asm|llvm|mlir"));
  addTargets(*sub, command.options.targets, command.options.targetSearchPath);
  sub->add_option("--architecture", command.options.architecture,
                  "Leave out targets of other architectures; default targets are those of this one")
      ->check(CLI::IsMember(architectureNames()));
  sub->add_option("--system", command.options.system,
                  "Leave out other operating systems; a spec that lists none is for this one")
      ->check(CLI::IsMember(systemNames()));
  addModelBindings(*sub, command.options.bindings);
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
  addChecks(*sub, command);
  addExterns(*sub, command);
  addReport(*sub);
  sub->add_flag("--reference", command.options.reference,
                "Plain loops instead of the optimized pipeline, to compare with");
  addProvider(*sub, command.options.provider);
  sub->add_flag("--python", command.options.python,
                "A Python module beside the header, <library>.py: the functions on numpy arrays");
  addLooksInside(*sub, command);
  sub->add_flag("--json", command.json, "The summary, or the errors, as JSON on standard output");
  sub->add_flag("-q,--quiet", command.quiet, "No summary and no progress");
}

void addImport(CLI::App &app, ImportCommand &command) {
  CLI::App *sub =
      app.add_subcommand("import", "Turn an ONNX model into a spec and a file with its weights");
  sub->add_option("MODEL", command.request.modelPath, "The model, an .onnx file")->required();
  sub->add_option("-o,--output", command.directory,
                  "The folder for both (default: ./<library>-spec)")
      ->type_name("DIR");
  sub->add_flag(
      "--force", command.force,
      "Replace files of the folder that are not what import writes, such as an edited spec");
  sub->add_option("--target,--targets", command.request.targets, "The targets of the spec, a,b")
      ->delimiter(',')
      ->type_name("LIST");
  sub->add_option_function<std::vector<std::string>>(
         "--state",
         [&command](const std::vector<std::string> &texts) {
           for (const std::string &text : texts) {
             size_t equals = text.find('=');
             if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
               throw CLI::ValidationError("--state", "expected INPUT=OUTPUT, found '" + text + "'");
             command.request.states.push_back({text.substr(0, equals), text.substr(equals + 1)});
           }
         },
         "An input and the output that is its value in the next call, as h0=hn: the library keeps "
         "it;\nmay be repeated")
      ->allow_extra_args(false)
      ->type_name("INPUT=OUTPUT");
  sub->add_flag("!--no-modules", command.request.modules,
                "Write out blocks that the graph repeats, which otherwise become modules");
  addModelBindings(*sub, command.request.bindings);
  addConfine(*sub);
  sub->add_flag("--json", command.json, "The result, or the errors, as JSON on standard output");
  sub->add_flag("-q,--quiet", command.quiet, "No summary");
}

} // namespace kgen
