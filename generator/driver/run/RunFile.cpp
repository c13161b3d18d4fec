#include "driver/run/RunFile.h"

#include "codegen/ObjectCode.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "driver/compile/Compile.h"
#include "driver/crash/PassTrace.h"
#include "driver/load/BackendChecks.h"
#include "driver/run/BenchHost.h"
#include "driver/run/EntryFunction.h"
#include "driver/run/LoadedCode.h"
#include "driver/run/TensorBytes.h"
#include "support/InputFile.h"
#include "templates/Templates.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/IR/MLIRContext.h>

#include <llvm/ADT/StringExtras.h>

#include <fmt/format.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr const char *prefix = "kgen_";
constexpr const char *symbol = "kgen_run_entry";

/// A file of `kgen run` as a program.
struct Program {
  std::vector<EntryArgument> arguments;
  CompiledGraph code;
};

std::unique_ptr<llvm::MemoryBuffer> openFile(const RunOptions &options, Diagnostics &diagnostics) {
  auto file = readTextOrInput(options.path);
  if (file)
    return std::move(*file);
  diagnostics.error({options.path, 0, 0}, "cannot be read: " + llvm::toString(file.takeError()));
  return nullptr;
}

std::optional<Program> compile(const RunOptions &options, const TargetSpec &target,
                               Diagnostics &diagnostics) {
  MLIRContext context(pipelineDialects(), MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  tracePasses(context);
  context.loadDialect<KgenDialect, bufferization::BufferizationDialect>();
  std::unique_ptr<llvm::MemoryBuffer> text = openFile(options, diagnostics);
  if (!text)
    return std::nullopt;
  TemplateFile file(std::move(text));
  // Everything that is wrong is printed with its source line.
  SourceMgrDiagnosticHandler handler(file.shown, &context, llvm::errs());
  OwningOpRef<ModuleOp> module = file.parse(context);
  if (!module)
    return std::nullopt;
  (*module)->setAttr(targetAttrName, makeTargetAttr(target, &context));
  FailureOr<std::vector<EntryArgument>> arguments = makeEntry(*module, options.entry, symbol);
  if (failed(arguments))
    return std::nullopt;
  CompileOptions compileOptions;
  compileOptions.reference = options.reference;
  compileOptions.provider = providerFor(options.provider, target);
  compileOptions.prefix = prefix;
  compileOptions.lowersBench = true;
  Program program{std::move(*arguments), {}};
  std::string what = "'" + options.entry + "' for " + target.name.value;
  StagePasses passes;
  llvm::Error error = optimizeModule(*module, what, compileOptions, passes);
  if (!error) {
    program.code.workspaceBytes = workspaceOf(*module, symbol);
    error = emitModule(*module, target, what, compileOptions, program.code, passes);
  }
  if (!error)
    return program;
  diagnostics.error({options.path, 0, 0}, llvm::toString(std::move(error)));
  return std::nullopt;
}

llvm::Expected<LoadedCode> load(const Program &program, const std::string &triple) {
  FileSet files{{"objects/entry.o", program.code.code}};
  for (const WeightBlob &weight : program.code.weights) {
    llvm::Expected<std::string> object =
        emitData(weight.symbol, weight.bytes(), triple, CodeKind::object);
    if (!object)
      return object.takeError();
    files["objects/" + weight.symbol + ".o"] = std::move(*object);
  }
  return LoadedCode::load(files, BenchHost::functions());
}

/// Arguments of the function get seeded contents, memory of results does not.
std::vector<Buffer> makeBuffers(const Program &program, uint64_t seed) {
  std::vector<Buffer> buffers;
  for (const EntryArgument &argument : program.arguments) {
    buffers.emplace_back(argument.type.byteCount());
    if (!argument.isResult)
      fillRandom(argument.type, seed, -1, 2, buffers.back().data());
  }
  return buffers;
}

llvm::Error run(const Program &program, const RunOptions &options, LoadedCode &code,
                std::ostream &out) {
  std::vector<Buffer> buffers = makeBuffers(program, options.seed);
  Buffer workspace(program.code.workspaceBytes);
  std::vector<void *> pointers;
  for (Buffer &buffer : buffers)
    pointers.push_back(buffer.data());
  pointers.push_back(workspace.data());
  WorkTrace trace("function", options.entry);
  pointers.push_back(nullptr); // no executor: everything runs on this thread
  if (llvm::Error error = code.call(symbol, pointers))
    return error;
  for (size_t i = 0, results = 0; options.print && i < buffers.size(); ++i) {
    const EntryArgument &argument = program.arguments[i];
    out << (argument.isResult ? fmt::format("result {}: ", results++)
                              : fmt::format("argument {}: ", i))
        << tensorText(argument.type, buffers[i].data()) << "\n";
  }
  return llvm::Error::success();
}

} // namespace

RunStatus runFile(const RunOptions &options, std::ostream &out, Diagnostics &diagnostics) {
  std::optional<TargetSpec> target = findTarget(
      {options.target, {"--target " + options.target, 0, 0}},
      isTargetPath(options.target) ? "" : options.path, options.targetSearchPath, diagnostics);
  if (!target)
    return RunStatus::badInput;
  if (std::string missing = llvm::join(missingOnHost(target->featureNames()), ", ");
      !missing.empty()) {
    diagnostics.error({"--target " + options.target, 0, 0}, "this CPU cannot run code for '" +
                                                                target->name.value +
                                                                "': it lacks " + missing);
    return RunStatus::unsupportedCpu;
  }
  std::optional<Program> program = compile(options, *target, diagnostics);
  if (!program)
    return RunStatus::badInput;
  llvm::Expected<LoadedCode> code = load(*program, target->triple);
  BenchHost host(out);
  llvm::Error error = code ? run(*program, options, *code, out) : code.takeError();
  if (error) {
    diagnostics.error({options.path, 0, 0}, llvm::toString(std::move(error)));
    return RunStatus::badInput;
  }
  if (host.checks)
    out << (host.failures ? fmt::format("{} of {} checks failed", host.failures, host.checks)
                          : fmt::format("{} check{} hold{}", host.checks,
                                        host.checks == 1 ? "" : "s", host.checks == 1 ? "s" : ""))
        << "\n";
  return host.failures ? RunStatus::checkFailed : RunStatus::ok;
}

} // namespace kgen
