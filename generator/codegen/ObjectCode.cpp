#include "codegen/ObjectCode.h"

#include "backend/Backend.h"
#include "codegen/LlvmErrors.h"
#include "codegen/ObjectFormat.h"
#include "support/Timing.h"
#include "target/Target.h"

#include <mlir/Interfaces/FunctionInterfaces.h>
#include <mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Export.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace kgen {

void initializeTargets() {
  for (const Backend *backend : backends())
    backend->initializeLlvm();
}

namespace {

/// Those of each object, and of a target.
std::string codeFeatures(const Backend &backend, const std::string &features) {
  std::string all = backend.baselineFeatures().str();
  return all + (all.empty() || features.empty() ? "" : ",") + features;
}

Expected<std::unique_ptr<TargetMachine>> makeMachine(const std::string &tripleText,
                                                     const std::string &features) {
  initializeTargets();
  Triple triple(tripleText);
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  const Backend *backend = backendOf(tripleText);
  if (!target || !backend)
    return createStringError("target triple '" + tripleText + "': " + message);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, backend->baselineCpu(), codeFeatures(*backend, features), TargetOptions(),
      relocationModel(tripleText), std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("no code generator for '" + tripleText + "'");
  return machine;
}

/// Sets the properties that each module has, with code or with data.
void describe(Module &module, const TargetMachine &machine, const std::string &triple) {
  module.setTargetTriple(Triple(triple));
  module.setDataLayout(machine.createDataLayout());
  for (const char *flag : backendOf(triple)->moduleFlags())
    module.addModuleFlag(Module::Min, flag, 1);
}

/// Sets visibility, the CPU features and the scheduling model of all functions, and the attributes
/// that the back end wants.
void prepare(Module &module, const TargetMachine &machine, const TargetSpec &target) {
  std::string features = codeFeatures(*backendOf(target.triple), llvmFeatures(target));
  std::vector<const char *> attributes = backendOf(target.triple)->functionAttributes();
  const StringRef probe = backendOf(target.triple)->stackProbe(target.triple);
  if (!probe.empty())
    module.appendModuleInlineAsm(probe);
  for (Function &function : module) {
    if (!function.hasLocalLinkage() && !function.isIntrinsic() && !function.isDeclaration())
      function.setVisibility(GlobalValue::HiddenVisibility);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", features);
    if (!target.tune.empty())
      function.addFnAttr("tune-cpu", target.tune);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr(Attribute::NoUnwind);
    for (const char *attribute : attributes)
      function.addFnAttr(attribute);
    if (!probe.empty())
      function.addFnAttr("probe-stack", "kgen_probe_stack");
    if (avoidsJumpTables(target.triple))
      function.addFnAttr("no-jump-tables", "true");
    if (function.hasLocalLinkage()) // micro-kernels have registers of their own
      function.addFnAttr(Attribute::NoInline);
    const bool isTask = function.hasAddressTaken();
    if (!function.hasLocalLinkage() || isTask || needsUnwindTables(target.triple))
      function.setUWTableKind(UWTableKind::Async); // entries and tasks: debuggers and exceptions
  }
  for (GlobalVariable &global : module.globals())
    if (!global.hasLocalLinkage()) {
      global.setVisibility(GlobalValue::HiddenVisibility);
      global.setDSOLocal(true);
    }
}

/// O3 without vectorization and loop unrolling: the generator has done both.
void optimize(Module &module, TargetMachine &machine) {
  TimedScope timed(TimedScope::pass, "LLVM's optimizer");
  PipelineTuningOptions tuning;
  tuning.SLPVectorization = tuning.LoopVectorization = tuning.LoopInterleaving =
      tuning.LoopUnrolling = false;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}

/// Copies of lengths that are known at run time become calls of memcpy instead of memmove, which
/// generated code must not call. Bufferization keeps what a copy reads and what it writes disjoint;
/// LLVM cannot tell that of two views of the workspace.
void replaceMemmoves(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *move = dyn_cast<MemMoveInst>(&instruction);
      if (!move || isa<ConstantInt>(move->getLength()))
        continue;
      IRBuilder<> b(move);
      b.CreateMemCpy(move->getRawDest(), move->getDestAlign(), move->getRawSource(),
                     move->getSourceAlign(), move->getLength(), move->isVolatile());
      move->eraseFromParent();
    }
}

/// `errors` are those of the module's context so far.
Expected<std::string> print(Module &module, TargetMachine &machine, CodeKind kind,
                            const LlvmErrors &errors) {
  if (kind == CodeKind::llvm) {
    std::string text;
    raw_string_ostream(text) << module;
    return text;
  }
  TimedScope timed(TimedScope::pass, "LLVM's code generator");
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  auto file =
      kind == CodeKind::object ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, os, nullptr, file))
    return createStringError("the code generator cannot write this kind of file");
  passes.run(module);
  if (Error error = errors.take())
    return std::move(error);
  std::string text(bytes.begin(), bytes.end());
  if (kind == CodeKind::object)
    return text;
  return backendOf(module.getTargetTriple().str())
      ->assemblerText(std::move(text), machine.getTargetFeatureString());
}

/// Removes what other dialects say of arguments, such as bounds of sizes: LLVM IR has no place for
/// it.
void dropOtherArgAttrs(mlir::ModuleOp module) {
  module.walk([](mlir::FunctionOpInterface function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (mlir::NamedAttribute attribute : to_vector(function.getArgAttrs(i)))
        if (attribute.getNameDialect() != function->getDialect())
          function.removeArgAttr(i, attribute.getName());
  });
}

/// Makes the text of a module.
Error addText(Module &module, TargetMachine &machine, const LlvmErrors &errors, CodeText &text) {
  Expected<std::string> printed = print(module, machine, text.kind, errors);
  if (!printed)
    return printed.takeError();
  text.text = std::move(*printed);
  return Error::success();
}

Error readCosts(StringRef object, const StackFrames &frames, CodeCosts &costs) {
  Expected<StringMap<int64_t>> sizes = functionTextBytes(object);
  if (!sizes)
    return sizes.takeError();
  for (const auto &one : *sizes)
    costs.functions.push_back(
        {one.getKey().str(), one.getValue(), frames.frames().lookup(one.getKey())});
  llvm::sort(costs.functions, [](const auto &a, const auto &b) { return a.symbol < b.symbol; });
  costs.stackBytes = frames.deepest();
  return Error::success();
}

/// Asks for aligned frames of functions that spill so many vectors. True if there are any that have
/// not been asked for.
bool alignFrames(Module &module, const StringMap<SplitSpills> &spills, int64_t minSpills) {
  bool any = false;
  for (const auto &spill : spills) {
    Function &function = *module.getFunction(spill.getKey());
    if (spill.getValue().count < std::max<int64_t>(minSpills, 1) || function.getFnStackAlign())
      continue;
    Align alignment(spill.getValue().largestBytes);
    function.addFnAttr(Attribute::getWithStackAlignment(module.getContext(), alignment));
    any = true;
  }
  return any;
}

/// Makes an object. The code generator aligns a frame only if it is told so before it allocates
/// registers, and it is known afterwards which functions spill vectors: then the object is made
/// once more. `module` becomes one that text can be made of.
Expected<std::string> printAligned(std::unique_ptr<Module> &module, TargetMachine &machine,
                                   const TargetSpec &target, LlvmErrors &errors, CodeCosts *costs) {
  // The code generator changes its module.
  std::unique_ptr<Module> changed = std::move(module);
  module = CloneModule(*changed);
  StackFrames frames(*changed, errors);
  Expected<std::string> object = print(*changed, machine, CodeKind::object, errors);
  if (!object)
    return object;
  if (alignFrames(*module, frames.splitSpills(), target.heuristics.minAlignedSpills))
    return printAligned(module, machine, target, errors, costs);
  if (costs)
    if (Error error = readCosts(*object, frames, *costs))
      return std::move(error);
  return object;
}

} // namespace

Expected<std::string> emitCode(mlir::ModuleOp source, const TargetSpec &target, CodeCosts *costs,
                               CodeText *text) {
  dropOtherArgAttrs(source);
  mlir::registerBuiltinDialectTranslation(*source.getContext());
  mlir::registerLLVMDialectTranslation(*source.getContext());
  Expected<std::unique_ptr<TargetMachine>> machine =
      makeMachine(target.triple, llvmFeatures(target));
  if (!machine)
    return machine.takeError();
  LlvmErrors errors;
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<LlvmErrorHandler>(errors));
  std::unique_ptr<Module> module;
  {
    TimedScope timed(TimedScope::pass, "translation to LLVM IR");
    module = mlir::translateModuleToLLVMIR(source, context, "kgen");
  }
  if (!module)
    return createStringError("the module cannot be translated to LLVM IR");
  describe(*module, **machine, target.triple);
  prepare(*module, **machine, target);
  optimize(*module, **machine);
  replaceMemmoves(*module);
  Expected<std::string> object = printAligned(module, **machine, target, errors, costs);
  if (object && text)
    if (Error error = addText(*module, **machine, errors, *text))
      return std::move(error);
  return object;
}

/// Prints what `fill` adds to an empty module for any CPU of `triple`.
static Expected<std::string> printModule(const std::string &triple, CodeKind kind,
                                         function_ref<void(Module &)> fill) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(triple, "");
  if (!machine)
    return machine.takeError();
  LlvmErrors errors;
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<LlvmErrorHandler>(errors));
  Module module("kgen", context);
  describe(module, **machine, triple);
  fill(module);
  return print(module, **machine, kind, errors);
}

/// The text becomes module-level assembly, which LLVM's integrated assembler reads.
Expected<std::string> assemble(StringRef text, const std::string &triple) {
  return printModule(triple, CodeKind::object,
                     [&](Module &module) { module.setModuleInlineAsm(text); });
}

Expected<std::string> emitData(StringRef name, ArrayRef<char> bytes, const std::string &triple,
                               CodeKind kind) {
  return printModule(triple, kind, [&](Module &module) {
    Constant *value = ConstantDataArray::getRaw(StringRef(bytes.data(), bytes.size()), bytes.size(),
                                                Type::getInt8Ty(module.getContext()));
    auto *global = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                      GlobalValue::ExternalLinkage, value, name);
    global->setVisibility(GlobalValue::HiddenVisibility);
    global->setAlignment(Align(64));
  });
}

Expected<int64_t> textBytes(StringRef object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "object"));
  if (!file)
    return file.takeError();
  int64_t bytes = 0;
  for (const object::SectionRef &section : (*file)->sections())
    if (section.isText())
      bytes += section.getSize();
  return bytes;
}

} // namespace kgen
