#include "codegen/PtxCode.h"

#include <mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Export.h>

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

using namespace llvm;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace kgen {
namespace {

constexpr char tripleText[] = "nvptx64-nvidia-cuda";
/// Compute capability 8.0 and PTX 7.0, which every later card and driver (from 450 on) takes.
constexpr char cpuText[] = "sm_80", featuresText[] = "+ptx70";

Expected<std::unique_ptr<TargetMachine>> makeMachine() {
  static const bool isDone = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)isDone;
  std::string message;
  Triple triple(tripleText);
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError("no code generator for '" + std::string(tripleText) + "': " + message);
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, cpuText, featuresText, TargetOptions(), std::nullopt,
                                  std::nullopt, CodeGenOptLevel::Aggressive));
}

void optimizeForPtx(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  ModulePassManager passes = builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  // Neighbours in memory are vectors in the IR, too, which the tests' driver runs.
  passes.addPass(createModuleToFunctionPassAdaptor(LoadStoreVectorizerPass()));
  passes.run(module, modules);
}

} // namespace

Expected<std::unique_ptr<Module>> ptxModule(mlir::gpu::GPUModuleOp kernels, LLVMContext &context) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  kernels.getContext()->appendDialectRegistry(registry);
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(kernels, context);
  if (!module)
    return createStringError("the kernels cannot be translated to LLVM IR");
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine();
  if (!machine)
    return machine.takeError();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  return module;
}

Expected<std::string> ptxText(Module &module, std::string *ir) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine();
  if (!machine)
    return machine.takeError();
  optimizeForPtx(module, **machine);
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      return createStringError("kernels would call the function '" + function.getName() +
                               "', which no driver has");
  if (ir)
    raw_string_ostream(*ir) << module;
  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError("LLVM cannot write PTX");
  passes.run(module);
  return text.str().str();
}

} // namespace kgen
