// Libraries that run on a Vulkan driver, and what they say where it fails.
#include "GpuLibrary.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace kgen;
using namespace kgen::test;

namespace {

std::string driver() {
  const char *path = std::getenv("KGEN_TEST_DRIVER");
  REQUIRE(path);
  return path;
}

} // namespace

TEST_CASE("a library runs on Vulkan, each failure has its status, and nothing is leaked",
          "[vulkan]") {
  Scratch scratch;
  writeGpuFolder(scratch, "mygpu", vulkanLibrary(scratch));
  for (const std::string &compiler : cCompilers()) {
    INFO(compiler);
    buildGpuProgram(scratch, compiler, "", "vulkan_user.c");
    Outcome outcome = run((scratch / "user") + " run " + driver());
    INFO(outcome.output);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.output, Catch::StartsWith("vulkan: llvmpipe"));
  }
  for (const char *what : {" statuses ", " faults "}) { // of the last compiler
    Outcome outcome = run((scratch / "user") + what + driver());
    INFO(outcome.output);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("Vulkan's validation layer finds nothing, and a barrier that is left out",
          "[validation]") {
  Scratch scratch;
  writeGpuFolder(scratch, "mygpu", vulkanLibrary(scratch));
  auto outcomeOf = [&](const std::string &what) {
    buildGpuProgram(scratch, "gcc", "", "vulkan_user.c");
    return run("VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "
               "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT " +
               (scratch / "user") + what + driver());
  };
  for (const char *what : {" run ", " faults "}) {
    Outcome outcome = outcomeOf(what);
    INFO(outcome.output);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.output, !Catch::Contains("Validation"));
  }
  std::string text = scratch.read("mygpu/mygpu_gpu.c");
  const std::string waits = "if (launch->waits)";
  REQUIRE(text.find(waits) != std::string::npos);
  scratch.write("mygpu/mygpu_gpu.c", text.replace(text.find(waits), waits.size(), "if (0)"));
  CHECK_THAT(outcomeOf(" run ").output, Catch::Contains("SYNC-HAZARD-READ-AFTER-WRITE") ||
                                            Catch::Contains("SYNC-HAZARD-READ_AFTER_WRITE"));
}

TEST_CASE("sanitizers find nothing", "[vulkan]") {
  Scratch scratch;
  writeGpuFolder(scratch, "mygpu", vulkanLibrary(scratch));
  buildGpuProgram(scratch, "gcc", "-g -fsanitize=address,undefined -fno-sanitize-recover=all",
                  "vulkan_user.c");
  for (const char *what : {" run ", " statuses "}) {
    Outcome outcome = run("ASAN_OPTIONS=detect_leaks=0 " + (scratch / "user") + what + driver());
    INFO(outcome.output);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("C and C++ projects use the part for graphics cards", "[vulkan]") {
  Scratch scratch;
  writeGpuFolder(scratch, "mygpu", vulkanLibrary(scratch));
  const std::string program = R"(
#include <mygpu_gpu.h>
#include <stdio.h>
static mygpu_gpu gpu;
int main(void) {
  float out[1310];
  if (mygpu_gpu_init(NULL, &gpu) != MYGPU_GPU_OK || mygpu_sampled_gpu_run(&gpu, out) != MYGPU_GPU_OK)
    return 1;
  printf("%s %g\n", mygpu_gpu_target(&gpu), (double)out[9]);
  mygpu_gpu_finish(&gpu);
  return 0;
}
)";
  scratch.write("main.c", program);
  scratch.write("main.cpp", program);
  scratch.write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C CXX)
find_package(mygpu REQUIRED)
add_executable(app main.c)
target_link_libraries(app PRIVATE mygpu::mygpu)
add_executable(app_cxx main.cpp)
target_link_libraries(app_cxx PRIVATE mygpu::mygpu)
)");
  for (const char *shared : {"OFF", "ON"}) {
    INFO("shared: " << shared);
    const std::string prefix = scratch / ("prefix-" + std::string(shared));
    const std::string cmake = KGEN_TEST_CMAKE;
    Outcome built = run(cmake + " -S " + (scratch / "mygpu") + " -B " + (scratch / "build") +
                        " -DBUILD_SHARED_LIBS=" + shared +
                        " -DMYGPU_NO_ENVIRONMENT=ON -DCMAKE_INSTALL_PREFIX=" + prefix + " && " +
                        cmake + " --build " + (scratch / "build") + " && " + cmake + " --install " +
                        (scratch / "build") + " && " + cmake + " -S " + scratch.path.string() +
                        " -B " + (scratch / "app") + " -DCMAKE_PREFIX_PATH=" + prefix + " && " +
                        cmake + " --build " + (scratch / "app"));
    INFO(built.output);
    REQUIRE(built.code == 0);
    for (const char *app : {"/app", "/app_cxx"})
      CHECK(run("MYGPU_GPU=tpu MYGPU_VULKAN=none " + (scratch / "app") + app).output ==
            "vulkan 9007\n");
    if (run("pkg-config --version").code == 0)
      CHECK(run("export PKG_CONFIG_PATH=$(dirname $(find " + prefix +
                " -name mygpu.pc)) && gcc $(pkg-config "
                "--cflags mygpu) " +
                (scratch / "main.c") + " $(pkg-config --libs mygpu) -o " + (scratch / "main") +
                " && LD_LIBRARY_PATH=$(pkg-config --variable=libdir mygpu) " + (scratch / "main"))
                .output == "vulkan 9007\n");
    std::filesystem::remove_all(scratch.path / "app");
  }
  Outcome symbols = run("nm -D --defined-only " + (scratch / "prefix-ON") + "/lib*/libmygpu.so " +
                        (scratch / "prefix-ON") +
                        "/lib/*/libmygpu.so 2>/dev/null | grep -v ' mygpu_' | grep ' T '");
  CHECK(symbols.output == "");
}
