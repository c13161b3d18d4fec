#include "GpuLibrary.h"

#include "emit/Folder.h"

#include <catch2/catch.hpp>

namespace kgen::test {
namespace {

TensorInterface tensorOf(const std::string &name, ElementType type, std::vector<int64_t> shape) {
  return {name, {type, std::move(shape)}};
}

GpuBinding in(int64_t number, int64_t bytes) { return {GpuMemory::input, number, 0, bytes, false}; }
GpuBinding out(int64_t number, int64_t bytes) {
  return {GpuMemory::output, number, 0, bytes, true};
}
GpuBinding weight(int64_t number, int64_t bytes) {
  return {GpuMemory::weight, number, 0, bytes, false};
}
GpuBinding read(int64_t offset, int64_t bytes) {
  return {GpuMemory::workspace, 0, offset, bytes, false};
}
GpuBinding written(int64_t offset, int64_t bytes) {
  return {GpuMemory::workspace, 0, offset, bytes, true};
}

enum Kernel : size_t { product, finish, add, reverse, halve, next, sample };
enum Weight { w, b, big };

GpuTargetInterface gpuTarget() {
  GpuTargetInterface target;
  target.target = "vulkan";
  target.kernels = {{"product", {6, 1, 1}, 0, ""}, {"finish", {2, 3, 1}, 0, ""},
                    {"add", {64, 1, 1}, 0, ""},    {"reverse", {50, 1, 1}, 0, ""},
                    {"halve", {64, 1, 1}, 0, ""},  {"next", {64, 1, 1}, 0, ""},
                    {"sample", {10, 1, 1}, 0, ""}};
  target.features.usesFloat16 = target.features.usesInt8 = true;
  target.features.stores8Bits = target.features.stores16Bits = true;
  target.features.keepsSpecials = {false, true, false};
  target.features.sharedBytes = 200;
  target.weights = {{"mygpu_weight_w", 168}, {"mygpu_weight_b", 24}, {"mygpu_weight_big", 5242880}};
  constexpr int64_t n = 4000, second = 4096;
  target.graphs = {
      {"forward",
       256,
       {{product, {5, 1, 1}, {in(0, 140), weight(w, 168), written(0, 120)}, "h"},
        {finish, {1, 5, 1}, {read(0, 120), weight(b, 24), out(0, 120)}, "y */"}}},
      {"chain",
       2 * second,
       {{add, {16, 1, 1}, {in(0, n), in(1, n), written(0, n)}, "first"},
        {reverse, {20, 1, 1}, {read(0, n), written(second, n)}, "second"},
        {add, {16, 1, 1}, {read(0, n), read(0, n), out(1, n)}, "twice"},
        {add, {16, 1, 1}, {read(0, n), read(second, n), out(0, n)}, "sum"}}},
      {"narrow",
       0,
       {{halve, {1, 1, 1}, {in(0, 128), out(0, 128)}, "half"},
        {next, {1, 1, 1}, {in(1, 64), out(1, 64)}, "next"}}},
      {"sampled", 0, {{sample, {131, 1, 1}, {weight(big, 5242880), out(0, 5240)}, "sample"}}},
      {"nothing", 0, {}},
      {"mixed",
       2 * second,
       {{add, {16, 1, 1}, {in(0, n), in(0, n), written(0, n)}, "before"},
        {add, {16, 1, 1}, {read(second, n), read(second, n), out(0, n)}, "after"}},
       {{0, 1, {read(0, n), written(second, n)}}}}};
  return target;
}

} // namespace

LibraryInterface gpuLibrary() {
  LibraryInterface library;
  library.name = "mygpu";
  library.triple = "x86_64-unknown-linux-gnu";
  library.specHash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  library.variants = {{"x86-64", 10, {}, "", {}, {}}};
  auto add = [&](const std::string &name, std::vector<TensorInterface> inputs,
                 std::vector<TensorInterface> outputs) {
    GraphInterface &graph = library.graphs.emplace_back();
    graph.name = name;
    graph.inputs = std::move(inputs);
    graph.outputs = std::move(outputs);
    graph.workspaceBytes = {{"x86-64", 0}};
  };
  const ElementType f32 = ElementType::f32, f16 = ElementType::f16, i8 = ElementType::i8;
  add("forward", {tensorOf("a", f32, {5, 7})}, {tensorOf("y", f32, {5, 6})});
  add("chain", {tensorOf("gpu", f32, {1000}), tensorOf("stream", f32, {1000})},
      {tensorOf("sum", f32, {1000}), tensorOf("twice", f32, {1000})});
  add("narrow", {tensorOf("h", f16, {64}), tensorOf("n", i8, {64})},
      {tensorOf("half", f16, {64}), tensorOf("next", i8, {64})});
  add("sampled", {}, {tensorOf("out", f32, {1310})});
  add("nothing", {tensorOf("x", f32, {0, 7})}, {tensorOf("out", f32, {7, 0})});
  add("mixed", {tensorOf("x", f32, {1000})}, {tensorOf("y", f32, {1000})});
  library.gpus = {gpuTarget()};
  GraphInterface &function = library.cpuFunctions.emplace_back();
  function.name = "mixed_cpu1";
  function.inputs = {tensorOf("before", f32, {1000})};
  function.outputs = {tensorOf("next", f32, {1000})};
  function.calls = {"mygpu_sees"};
  function.workspaceBytes = {{"x86-64", 64}};
  return library;
}

LibraryInterface vulkanLibrary(const Scratch &scratch) {
  LibraryInterface library = gpuLibrary();
  const std::string steps = "builtin.module(convert-gpu-to-spirv,"
                            "spirv.module(spirv-lower-abi-attrs,spirv-update-vce))";
  Outcome lowered = run(std::string(KGEN_TEST_MLIR_OPT) +
                        " " KGEN_TEST_SOURCES "/kernels.mlir --pass-pipeline='" + steps + "' -o " +
                        (scratch / "spirv.mlir"));
  INFO(lowered.output);
  REQUIRE(lowered.code == 0);
  const std::string all = scratch.read("spirv.mlir");
  for (GpuKernel &kernel : library.gpus[0].kernels) {
    const size_t begin = all.find("spirv.module @__spv__" + kernel.name + " ");
    const size_t end = all.find("\n  }\n", begin);
    REQUIRE(end != std::string::npos);
    scratch.write(kernel.name + ".mlir", all.substr(begin, end + 5 - begin));
    Outcome translated =
        run(std::string(KGEN_TEST_MLIR_TRANSLATE) + " --no-implicit-module --serialize-spirv " +
            (scratch / (kernel.name + ".mlir")) + " -o " + (scratch / (kernel.name + ".spv")));
    INFO(translated.output);
    REQUIRE(translated.code == 0);
    kernel.code = scratch.read(kernel.name + ".spv");
  }
  return library;
}

LibraryInterface cudaLibrary(const Scratch &scratch, const std::string &options) {
  LibraryInterface library = gpuLibrary();
  GpuTargetInterface &target = library.gpus[0];
  target.target = "nvidia-sm_80";
  target.api = GpuApi::cuda;
  target.majorCapability = 8;
  const std::string ir = scratch / "kernels.ll", ptx = scratch / "kernels.ptx";
  Outcome made =
      run(KGEN_TEST_CLANG " --target=nvptx64-nvidia-cuda -march=sm_80 -O2 -S -emit-llvm "
                          "-ffp-contract=off -nogpulib " +
          options + " " KGEN_TEST_SOURCES "/kernels_cuda.c -o " + ir +
          " && " KGEN_TEST_LLC " -O3 -mcpu=sm_80 -mattr=+ptx70 " + ir + " -o " + ptx +
          " && " KGEN_TEST_PYTHON " -B " KGEN_TEST_SOURCES "/../../lib/gpu/cuda_code.py " + ir +
          " " + ptx + " " + scratch.path.string() + " --clang " KGEN_TEST_CLANG);
  INFO(made.output);
  REQUIRE(made.code == 0);
  target.module = scratch.read("kernels.ptx");
  return library;
}

void writeGpuFolder(const Scratch &scratch, const std::string &folder,
                    const LibraryInterface &library) {
  scratch.write("objects.c", R"(
#include <stddef.h>
#define HIDDEN __attribute__((visibility("hidden")))
_Alignas(64) HIDDEN const float mygpu_weight_w[42] = {
#define ROW(k) 0.5f * k, 0.25f * k - 1, 1 - k, k * k / 8.f, -0.5f, k / 3.f
  ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6)};
_Alignas(64) HIDDEN const float mygpu_weight_b[6] = {0.5f, -1, 2, 0, -0.25f, 1};
#define CODE(name, ...) \
  HIDDEN void name(__VA_ARGS__, unsigned char *workspace, const void *executor); \
  void name(__VA_ARGS__, unsigned char *workspace, const void *executor)
CODE(mygpu_forward_kernel_x86_64, const void *a, void *y) { (void)a; (void)y; (void)workspace; (void)executor; }
CODE(mygpu_chain_kernel_x86_64, const void *a, const void *b, void *c, void *d) {
  (void)a; (void)b; (void)c; (void)d; (void)workspace; (void)executor;
}
CODE(mygpu_narrow_kernel_x86_64, const void *a, const void *b, void *c, void *d) {
  (void)a; (void)b; (void)c; (void)d; (void)workspace; (void)executor;
}
CODE(mygpu_sampled_kernel_x86_64, void *y) { (void)y; (void)workspace; (void)executor; }
CODE(mygpu_mixed_kernel_x86_64, const void *a, void *y) { (void)a; (void)y; (void)workspace; (void)executor; }
HIDDEN int mygpu_mixed_cpu1_kernel_x86_64(const float *x, float *y, unsigned char *workspace, const void *executor);
int mygpu_mixed_cpu1_kernel_x86_64(const float *x, float *y, unsigned char *workspace, const void *executor) {
  for (int i = 0; i < 1000; ++i)
    y[i] = x[i] + 1;
  for (int i = 0; i < 64; ++i)
    workspace[i] = 1;
  return x[0] < 0 || executor != NULL || (size_t)workspace % 64 != 0 ? 5 : 0;
}
CODE(mygpu_nothing_kernel_x86_64, const void *a, void *y) { (void)a; (void)y; (void)workspace; (void)executor; }
)");
  // 1310720 numbers: i itself.
  scratch.write("big.s", ".section .rodata\n.globl mygpu_weight_big\n.hidden mygpu_weight_big\n"
                         ".balign 64\nmygpu_weight_big:\n.incbin \"" +
                             (scratch / "big.bin") +
                             "\"\n.section .note.GNU-stack,\"\",@progbits\n");
  std::string bytes;
  for (int32_t i = 0; i < 1310720; ++i) {
    const auto number = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  scratch.write("big.bin", bytes);
  Outcome compiled =
      run("gcc -O1 -fPIC -c " + (scratch / "objects.c") + " -o " + (scratch / "objects.o") +
          " && gcc -c " + (scratch / "big.s") + " -o " + (scratch / "big.o"));
  INFO(compiled.output);
  REQUIRE(compiled.code == 0);
  FileSet objects = {{objectPath("all", "code", ObjectKind::object), scratch.read("objects.o")},
                     {objectPath("all", "weights", ObjectKind::object), scratch.read("big.o")}};
  llvm::Error error = replaceFolder(scratch / folder, emitLibrary(library, objects));
  REQUIRE(llvm::toString(std::move(error)) == "");
}

std::string strictC() { return " -std=c11 -Wall -Wextra -Wpedantic -Werror "; }

void buildGpuProgram(const Scratch &scratch, const std::string &compiler,
                     const std::string &options, const std::string &source) {
  const std::string folder = scratch / "mygpu";
  Outcome outcome =
      run(compiler + strictC() + "-O1 " + options + " -I" + folder + " -c " + folder +
          "/mygpu_gpu.c -o " + (scratch / "gpu.o") + " && " + compiler + strictC() + "-O1 -I" +
          folder + " -c " + folder + "/mygpu.c -o " + (scratch / "cpu.o") + " && " + compiler +
          " -std=gnu11 -Wall -Wextra -Werror -O1 " + options + " -I" + folder +
          " " KGEN_TEST_SOURCES "/" + source + " " + (scratch / "gpu.o") + " " +
          (scratch / "cpu.o") + " " + folder + "/objects/*.o -ldl -o " + (scratch / "user"));
  INFO(outcome.output);
  REQUIRE(outcome.code == 0);
}

} // namespace kgen::test
