// From a line of MLIR to machine code: the pass under test, upstream's lowering, LLVM, ORC.
#include "Compile.h"
#include "backend/x86/Passes.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/lower/Passes.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <mlir/Conversion/Passes.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/InitAllExtensions.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Export.h>
#include <stdexcept>

using namespace mlir;

namespace kgen::test {

static void require(bool condition, const std::string &what) {
  if (!condition)
    throw std::runtime_error(what);
}

template <typename T> static T take(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

static size_t elementCount(const std::string &shape) {
  size_t count = 1, at = 0;
  while (at < shape.size()) {
    size_t used = 0;
    count *= std::stoul(shape.substr(at), &used);
    at += used + 1;
  }
  return count;
}

static std::string typeOf(const std::string &shape, const std::string &element) {
  return shape.empty() ? element : "vector<" + shape + "x" + element + ">";
}

/// Of operand k at %i. Vectors of more dimensions are reshaped on the way.
static std::string loadOf(const Kernel &kernel, size_t k, const std::string &memory) {
  std::string number = k == 0 ? "" : std::to_string(k), at = "%i" + number, text;
  std::string flat = typeOf(std::to_string(elementCount(kernel.shape)), kernel.element);
  if (k != 0)
    text = "%o" + number + " = arith.constant " + std::to_string(k * blockSize) + " : index\n" +
           at + " = arith.addi %i, %o" + number + " : index\n";
  if (kernel.shape.empty())
    return text + "%x" + number + " = memref.load %in[" + at + "] : " + memory + "\n";
  return text + "%f" + number + " = vector.load %in[" + at + "] : " + memory + ", " + flat +
         "\n%x" + number + " = vector.shape_cast %f" + number + " : " + flat + " to " +
         typeOf(kernel.shape, kernel.element) + "\n";
}

/// The kernel's text with types for {T} and {i32}.
static std::string withTypes(const Kernel &kernel) {
  std::string text = kernel.body;
  for (size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    std::string element = text.substr(open + 1, text.find('}', open) - open - 1);
    text.replace(open, element.size() + 2,
                 typeOf(kernel.shape, element == "T" ? kernel.element : element));
  }
  return text + "\n";
}

/// A loop over the block that loads vectors, applies the operation and stores the result.
static std::string sourceOf(const Kernel &k) {
  size_t count = elementCount(k.shape);
  auto memoryOf = [&](size_t blocks) {
    return "memref<" + std::to_string(blocks * blockSize) + "x" + k.element + ">";
  };
  std::string memory = memoryOf(k.operands), outMemory = memoryOf(1);
  std::string flat = typeOf(std::to_string(count), k.element), type = typeOf(k.shape, k.element);
  std::string loads;
  for (size_t i = 0; i < k.operands; ++i)
    loads += loadOf(k, i, memory);
  std::string store = "memref.store %y, %out[%i] : " + outMemory + "\n";
  if (!k.shape.empty())
    store = "%g = vector.shape_cast %y : " + type + " to " + flat +
            "\nvector.store %g, %out[%i] : " + outMemory + ", " + flat + "\n";
  std::string body = "%y = " + k.operation + " %x " + k.attributes + " : " + type + "\n";
  return "func.func @kernel(%in: " + memory + ", %out: " + outMemory + ") {\n" +
         "%zero = arith.constant 0 : index\n%step = arith.constant " + std::to_string(count) +
         " : index\n%end = arith.constant " + std::to_string(blockSize / count * count) +
         " : index\nscf.for %i = %zero to %end step %step {\n" + loads +
         (k.body.empty() ? body : withTypes(k)) + store + "}\nreturn\n}\n";
}

/// Returns what the pass under test wants to know of a target.
static TargetAttr attributeFor(MLIRContext &context, const std::string &cpu) {
  constexpr int64_t vectorBits = 128, registers = 16, l1 = 32 << 10, l2 = 1 << 20;
  DictionaryAttr none = DictionaryAttr::get(&context);
  StringRef features = cpu == "x86-64-v4" ? "+fma,+avx2,+avx512f,+avx512dq"
                       : hasFma(cpu)      ? "+fma,+avx2"
                                          : "";
  return TargetAttr::get(&context, cpu, "x86_64-unknown-linux-gnu", features, "", vectorBits,
                         registers, l1, l2, none, none, none, none);
}

static OwningOpRef<ModuleOp> lowered(MLIRContext &context, const Kernel &kernel) {
  auto module = parseSourceString<ModuleOp>(sourceOf(kernel), &context);
  require(bool(module), "does not parse: " + sourceOf(kernel));
  (*module)->setAttr(targetAttrName, attributeFor(context, kernel.cpu));
  PassManager passes(&context);
  passes.addPass(createExpandMathPass());
  passes.addPass(createLowerToX86Pass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(functions));
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  require(succeeded(passes.run(*module)), kernel.operation + " does not lower");
  return module;
}

static std::unique_ptr<llvm::TargetMachine> machineFor(const std::string &cpu) {
  std::string error;
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  require(target != nullptr, error);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

static std::vector<char> objectOf(const Kernel &kernel) {
  DialectRegistry registry;
  registry.insert<KgenDialect, arith::ArithDialect, math::MathDialect, func::FuncDialect,
                  memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect, ub::UBDialect>();
  registerAllExtensions(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<KgenDialect>();
  OwningOpRef<ModuleOp> source = lowered(context, kernel);

  llvm::LLVMContext llvmContext;
  auto module = translateModuleToLLVMIR(*source, llvmContext, "kernel");
  require(module != nullptr, "no LLVM IR for " + kernel.operation);
  auto machine = machineFor(kernel.cpu);
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *module) {
    function.addFnAttr("target-cpu", kernel.cpu);
    function.addFnAttr("prefer-vector-width", "512");
  }
  optimize(*module, *machine);

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  require(!machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile),
          "no object code for " + kernel.cpu);
  passes.run(*module);
  return {bytes.begin(), bytes.end()};
}

static std::vector<std::string> undefinedIn(llvm::MemoryBufferRef buffer) {
  auto object = take(llvm::object::ObjectFile::createObjectFile(buffer));
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef &symbol : object->symbols()) {
    uint32_t flags = take(symbol.getFlags());
    bool named = !(flags & llvm::object::SymbolRef::SF_FormatSpecific);
    if (named && (flags & llvm::object::SymbolRef::SF_Undefined))
      names.push_back(take(symbol.getName()).str());
  }
  return names;
}

static void initializeOnce() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  require(done, "LLVM's X86 target");
}

struct Compiled::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Compiled::Compiled(const Kernel &kernel) : code(std::make_unique<Code>()) {
  initializeOnce();
  elements = blockSize / elementCount(kernel.shape) * elementCount(kernel.shape);
  bytes = objectOf(kernel);
  llvm::StringRef text(bytes.data(), bytes.size());
  undefined = undefinedIn({text, "kernel"});
  code->jit = take(llvm::orc::LLJITBuilder().create());
  auto error = code->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(text, "kernel"));
  require(!error, llvm::toString(std::move(error)));
  entry = take(code->jit->lookup("kernel")).toPtr<void *>();
}

Compiled::~Compiled() = default;

bool hasFma(const std::string &cpu) { return cpu != "x86-64-v2"; }

std::vector<std::string> runnableTargets() {
  std::vector<std::string> targets;
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))
    targets.push_back("x86-64-v2");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    targets.push_back("x86-64-v3");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    targets.push_back("x86-64-v4");
  return targets;
}

} // namespace kgen::test
