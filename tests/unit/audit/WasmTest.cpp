// The audit of objects for WebAssembly: symbols, sizes, and instructions beyond a target's
// features.
#include "backend/Backend.h"
#include "codegen/Audit.h"
#include "codegen/ObjectCode.h"
#include "codegen/ObjectFormat.h"

#include <catch2/catch.hpp>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Target/TargetMachine.h>

using namespace kgen;
using Catch::Contains;

namespace {

constexpr const char *wasmTriple = "wasm32-unknown-unknown";

/// The object of LLVM IR, which an engine with these features runs.
std::string compile(const std::string &text, const std::string &features) {
  initializeTargets();
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  INFO(error.getMessage().str());
  REQUIRE(module);
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(llvm::Triple(wasmTriple), message);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      llvm::Triple(wasmTriple), "mvp", features, llvm::TargetOptions(), llvm::Reloc::Static));
  module->setTargetTriple(llvm::Triple(wasmTriple));
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  REQUIRE_FALSE(
      machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return std::string(bytes.begin(), bytes.end());
}

constexpr char madd[] = R"(
define hidden <4 x float> @mlp_f(<4 x float> %a, <4 x float> %b, <4 x float> %c) {
  %m = fmul <4 x float> %a, %b
  %r = call <4 x float> @llvm.wasm.relaxed.madd.v4f32(<4 x float> %m, <4 x float> %b, <4 x float> %c)
  ret <4 x float> %r
}
declare <4 x float> @llvm.wasm.relaxed.madd.v4f32(<4 x float>, <4 x float>, <4 x float>)
)";

constexpr char copies[] = R"(
define hidden void @mlp_f(ptr %a, ptr %b, i32 %n, float %x) {
  call void @llvm.memcpy.p0.p0.i32(ptr %a, ptr %b, i32 %n, i1 false)
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %x)
  %e = trunc i32 %i to i8
  %s = sext i8 %e to i32
  store i32 %s, ptr %a
  ret void
}
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare i32 @llvm.fptosi.sat.i32.f32(float)
)";

/// The audit's message; empty: accepted.
std::string problem(const std::string &object, const std::vector<std::string> &features) {
  llvm::Expected<AuditReport> report =
      backendOf(wasmTriple)->audit(object, features, "graph.target");
  return report ? "" : llvm::toString(report.takeError());
}

} // namespace

TEST_CASE("instructions of WebAssembly beyond the target's features are found") {
  std::string relaxed = compile(madd, "+simd128,+relaxed-simd");
  CHECK(problem(relaxed, {"simd128", "relaxed-simd"}) == "");
  CHECK_THAT(problem(relaxed, {"simd128"}),
             Contains("graph.target: 1 instruction(s) outside the target:\n  mlp_f+") &&
                 Contains("f32x4.relaxed_madd: needs relaxed-simd"));
  CHECK_THAT(problem(relaxed, {}), Contains("f32x4.mul: needs simd128"));
  std::string copied =
      compile(copies, "+bulk-memory,+bulk-memory-opt,+nontrapping-fptoint,+sign-ext");
  CHECK(problem(copied, {"bulk-memory", "nontrapping-fptoint", "sign-ext"}) == "");
  CHECK_THAT(problem(copied, {}), Contains("memory.copy: needs bulk-memory") &&
                                      Contains("i32.trunc_sat_f32_s: needs nontrapping-fptoint") &&
                                      Contains("i32.extend8_s: needs sign-ext"));
}

TEST_CASE("instructions of WebAssembly are counted by feature") {
  llvm::Expected<AuditReport> report = backendOf(wasmTriple)
                                           ->audit(compile(madd, "+simd128,+relaxed-simd"),
                                                   {"simd128", "relaxed-simd"}, "graph.target");
  REQUIRE(bool(report));
  CHECK(report->vectorInstructions.at({"f32x4.relaxed_madd", 128}) == 1);
  CHECK(report->vectorInstructions.at({"f32x4.mul", 128}) == 1);
  CHECK(report->byFeature ==
        std::vector<std::pair<std::string, uint64_t>>{
            {"", report->instructions - 2}, {"relaxed-simd", 1}, {"simd128", 1}});
}

TEST_CASE("objects of other formats are refused") {
  CHECK_THAT(problem("no object", {}), Contains("graph.target: not an object: "));
  llvm::Expected<std::string> elf =
      emitData("mlp_data", {1}, "x86_64-unknown-linux-gnu", CodeKind::object);
  REQUIRE(bool(elf));
  CHECK_THAT(problem(*elf, {}), Contains("graph.target: not an object for WebAssembly"));
}

TEST_CASE("symbols of WebAssembly: hidden, with the prefix, and nothing from outside") {
  auto symbols = [](const std::string &text) {
    return llvm::toString(auditSymbols(compile(text, ""), "mlp_", "x"));
  };
  CHECK(symbols("@mlp_data = hidden constant i32 3\n"
                "define hidden ptr @mlp_f(ptr %p) { %a = alloca [64 x i8]\n call void %p(ptr %a)\n "
                "ret ptr @mlp_data }\ndefine internal void @own() { ret void }") == "");
  CHECK_THAT(symbols("define void @mlp_f() { ret void }"), Contains("'mlp_f' is not hidden"));
  CHECK_THAT(symbols("define hidden void @f() { ret void }"), Contains("exports 'f'"));
  CHECK_THAT(symbols("define weak hidden void @mlp_f() { ret void }"), Contains("is weak"));
  CHECK_THAT(symbols("define hidden float @mlp_f(float %x, float %y) {\n %r = frem float %x, %y\n "
                     "ret float %r }"),
             Contains("needs 'fmodf'"));
}

TEST_CASE("functions of WebAssembly have sizes, weights are data") {
  std::string object = compile(madd, "+simd128,+relaxed-simd");
  llvm::Expected<llvm::StringMap<int64_t>> sizes = functionTextBytes(object);
  REQUIRE(bool(sizes));
  CHECK(sizes->lookup("mlp_f") > 10);
  llvm::Expected<bool> defines = definesFunction(object, "mlp_f");
  CHECK((defines && *defines));
  const std::vector<char> bytes(1000, 1);
  llvm::Expected<std::string> data = emitData("mlp_weights", bytes, wasmTriple, CodeKind::object);
  REQUIRE(bool(data));
  llvm::Expected<std::vector<ObjectSymbol>> symbols = symbolsOf(*data);
  REQUIRE(bool(symbols));
  REQUIRE(symbols->size() == 1);
  CHECK(symbols->front().name == "mlp_weights");
  CHECK(symbols->front().bytes == 1000);
  CHECK(symbols->front().isHidden);
  CHECK_FALSE(canStretch(wasmTriple));
  CHECK(relocationModel(wasmTriple) == llvm::Reloc::Static);
  CHECK(callBytes(wasmTriple) == 0);
}
