// Libraries that CUDA drives, on a driver of the tests' own: kernels are what becomes the PTX.
#include "GpuLibrary.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace kgen;
using namespace kgen::test;

namespace {

/// Runs the program of the tests in the scratch folder, in which its modules lie.
Outcome runUser(const Scratch &scratch, const std::string &arguments) {
  const char *driver = std::getenv("KGEN_TEST_CUDA");
  REQUIRE(driver);
  return run("KGEN_TEST_CUDA_CODE=" + scratch.path.string() + " " + (scratch / "user") + " " +
             arguments + " " + driver);
}

} // namespace

TEST_CASE("a library runs on CUDA's calls, each failure has its status, and nothing is leaked",
          "[cuda]") {
  Scratch scratch;
  writeGpuFolder(scratch, "mygpu", cudaLibrary(scratch));
  for (const std::string &compiler : cCompilers()) {
    INFO(compiler);
    buildGpuProgram(scratch, compiler, "", "cuda_user.c");
    Outcome outcome = runUser(scratch, "run");
    INFO(outcome.output);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.output, Catch::StartsWith("nvidia-sm_80: tests' card 0"));
  }
  for (const char *what : {"statuses", "faults"}) {
    Outcome outcome = runUser(scratch, what);
    INFO(outcome.output);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("code for the tests' driver is made from a library's folder, with and without checks",
          "[cuda]") {
  Scratch scratch;
  writeGpuFolder(scratch, "mygpu", cudaLibrary(scratch));
  buildGpuProgram(scratch, "gcc", "", "cuda_user.c");
  for (const char *option : {"", " --no-checks"}) {
    INFO(option);
    Outcome removed = run("rm " + (scratch / "*.so"));
    REQUIRE(removed.code == 0);
    CHECK(runUser(scratch, "counts 4").code != 0);
    Outcome made = run(KGEN_TEST_PYTHON " -B " KGEN_TEST_SOURCES "/../../lib/gpu/cuda_code.py " +
                       (scratch / "kernels.ll") + " " + (scratch / "mygpu/mygpu_gpu.c") + " " +
                       scratch.path.string() + " --clang " KGEN_TEST_CLANG + option);
    INFO(made.output);
    CHECK(made.code == 0);
    // Without checks nothing is counted.
    CHECK(runUser(scratch, *option ? "faults" : "counts 4").code == 0);
  }
}

TEST_CASE("the sanitizer of undefined behavior finds nothing in calls of CUDA", "[cuda]") {
  Scratch scratch;
  writeGpuFolder(scratch, "mygpu", cudaLibrary(scratch));
  buildGpuProgram(scratch, "gcc", "-fsanitize=undefined -fno-sanitize-recover=all", "cuda_user.c");
  for (const char *what : {"run", "statuses", "faults"}) {
    Outcome outcome = runUser(scratch, what);
    INFO(outcome.output);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("planted faults of kernels are found", "[cuda]") {
  struct Fault {
    const char *options, *words;
  };
  for (const Fault &fault :
       {Fault{"-DRACE", "a race"}, Fault{"-DDIVERGENT", "wait for ever at a barrier"},
        Fault{"-DTWO_BARRIERS", "at different barriers"},
        Fault{"-DOUTSIDE", "out of bounds are written"}, Fault{"-DMISALIGNED", "no multiple of 16"},
        Fault{"-DHALF_A_WARP", "wait for ever"},
        Fault{"-DASYNC -DNO_WAIT", "before a copy to it is waited for"}}) {
    INFO(fault.options);
    Scratch scratch;
    writeGpuFolder(scratch, "mygpu", cudaLibrary(scratch, fault.options));
    buildGpuProgram(scratch, "gcc", "", "cuda_user.c");
    Outcome outcome = runUser(scratch, "kernel '" + std::string(fault.words) + "'");
    INFO(outcome.output);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("shuffles and asynchronous copies do what those of a card do", "[cuda]") {
  Scratch scratch;
  for (const char *options : {"-DSHUFFLE", "-DASYNC"}) {
    INFO(options);
    writeGpuFolder(scratch, "mygpu", cudaLibrary(scratch, options));
    buildGpuProgram(scratch, "gcc", "", "cuda_user.c");
    Outcome outcome = runUser(scratch, "run");
    INFO(outcome.output);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("conflicts of banks and sectors of memory are counted", "[cuda]") {
  Scratch scratch;
  for (const char *options : {"", "-DCONFLICTS"}) {
    INFO(options);
    writeGpuFolder(scratch, "mygpu", cudaLibrary(scratch, options));
    buildGpuProgram(scratch, "gcc", "", "cuda_user.c");
    // All lanes at one bank: 32 of the first warp and 18 of the second, written and read.
    Outcome outcome = runUser(scratch, *options ? "counts 100" : "counts 4");
    INFO(outcome.output);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("the first target that the machine has is taken", "[cuda][vulkan]") {
  Scratch scratch;
  LibraryInterface library = cudaLibrary(scratch);
  library.gpus.push_back(vulkanLibrary(scratch).gpus[0]);
  writeGpuFolder(scratch, "mygpu", library);
  scratch.write("both.c", R"(
#include <mygpu_gpu.h>
#include <stdio.h>
static mygpu_gpu gpu;
int main(void) {
  float out[1310];
  int status = mygpu_gpu_init(NULL, &gpu);
  if (status != MYGPU_GPU_OK)
    return printf("%d %s\n", status, mygpu_gpu_error(&gpu)), 1;
  if (mygpu_sampled_gpu_run(&gpu, out) != MYGPU_GPU_OK || out[9] != 9007)
    return 2;
  printf("%s, enqueue %d, wait %d\n", mygpu_gpu_target(&gpu), mygpu_nothing_gpu_enqueue(&gpu, 0, 0, NULL),
         mygpu_gpu_wait(&gpu, NULL));
  mygpu_gpu_finish(&gpu);
  return 0;
}
)");
  const std::string folder = scratch / "mygpu";
  Outcome built = run("gcc" + strictC() + "-I" + folder + " " + (scratch / "both.c") + " " +
                      folder + "/mygpu_gpu.c " + folder + "/mygpu.c " + folder +
                      "/objects/*.o -ldl -o " + (scratch / "both"));
  INFO(built.output);
  REQUIRE(built.code == 0);
  const char *driver = std::getenv("KGEN_TEST_CUDA");
  REQUIRE(driver);
  auto output = [&](const std::string &environment) {
    return run("KGEN_TEST_CUDA_CODE=" + scratch.path.string() + " MYGPU_CUDA=" + driver + " " +
               environment + " " + (scratch / "both"))
        .output;
  };
  CHECK(output("") == "nvidia-sm_80, enqueue 0, wait 0\n");
  CHECK(output("MYGPU_CUDA=/none") == "vulkan, enqueue 13, wait 0\n");
  CHECK(output("MYGPU_GPU=vulkan") == "vulkan, enqueue 13, wait 0\n");
  CHECK_THAT(output("MYGPU_CUDA=/none MYGPU_GPU=nvidia-sm_80"),
             Catch::StartsWith("1 nvidia-sm_80: /none"));
  CHECK_THAT(output("MYGPU_CUDA=/none MYGPU_VULKAN=/nothing"),
             Catch::StartsWith("1 nvidia-sm_80: /none") && Catch::Contains("; vulkan: /nothing"));
}
