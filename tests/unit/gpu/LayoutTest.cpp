// Places in device memory, and launches that wait for others.
#include "GpuLibrary.h"

#include "emit/Folder.h"
#include "emit/Gpu.h"
#include "emit/GpuLayout.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace kgen;
using namespace kgen::test;

TEST_CASE("device memory is weights, the largest workspace, and the tensors of one graph") {
  const LibraryInterface library = gpuLibrary();
  const GpuLayout layout = layOutGpuMemory(library, library.gpus[0]);
  REQUIRE(layout.weights.size() == 3);
  CHECK(layout.weights[1].offset == 256);
  CHECK(layout.weights[2].offset == 512);
  CHECK(layout.workspaceOffset == 512 + 5242880);
  CHECK(layout.tensorOffset == layout.workspaceOffset + 8192);
  REQUIRE(layout.tensors.size() == 6);
  CHECK(layout.tensors[1][0].offset == layout.tensorOffset);
  CHECK(layout.tensors[1][3].offset == layout.tensorOffset + 3 * 4096);
  CHECK(layout.tensors[1][3].bytes == 4000);
  CHECK(layout.tensors[4][0].bytes == 0);
  CHECK(layout.memoryBytes == layout.tensorOffset + 4 * 4096 + gpuAlignment);
  const std::vector<GpuRange> host = hostRanges(library, library.gpus[0].graphs[5].cpuSteps[0]);
  REQUIRE(host.size() == 3);
  CHECK(host[1].offset == 4096);
  CHECK(host[1].bytes == 4000);
  CHECK(host[2].offset == 8192);
  CHECK(host[2].bytes == 64);
  CHECK(layout.hostBytes == 8192 + gpuAlignment);
}

TEST_CASE("a binding has at least four bytes, all of them its own") {
  const LibraryInterface library = gpuLibrary();
  const GpuLayout layout = layOutGpuMemory(library, library.gpus[0]);
  auto bytes = [&](int64_t wanted) {
    return rangeOfBinding(layout, library, 2, {GpuMemory::input, 1, 0, wanted, false}).bytes;
  };
  CHECK(bytes(0) == 4);
  CHECK(bytes(3) == 4);
  CHECK(bytes(4) == 4);
  CHECK(bytes(61) == 64);
  const GpuRange output =
      rangeOfBinding(layout, library, 1, {GpuMemory::output, 1, 512, 100, true});
  CHECK(output.offset == layout.tensors[1][3].offset + 512);
  CHECK(output.bytes == 100);
}

TEST_CASE("launches wait for what they depend on, and for nothing else") {
  LibraryInterface library = gpuLibrary();
  auto waits = [&](size_t graph) {
    return waitingLaunches(layOutGpuMemory(library, library.gpus[0]), library, library.gpus[0],
                           graph);
  };
  CHECK(waits(0) == std::vector<bool>{false, true});
  // `twice` reads what `first` has written, for which `second` has waited.
  CHECK(waits(1) == std::vector<bool>{false, true, false, true});
  CHECK(waits(2) == std::vector<bool>{false, false});
  CHECK(waits(4).empty());
  CHECK(waits(5) == std::vector<bool>{false, false}); // all is done before the CPU's part
  std::vector<GpuLaunch> &launches = library.gpus[0].graphs[1].launches;
  launches[2].bindings[2] = {GpuMemory::workspace, 0, 0, 4000, true};
  CHECK(waits(1) == std::vector<bool>{false, true, true, true}); // it writes what `second` reads
  launches[2].bindings[2] = {GpuMemory::workspace, 0, 7936, 200, true};
  CHECK(waits(1)[2]); // and the end of what it writes
  launches[2].bindings[2] = {GpuMemory::workspace, 0, 8192, 200, true};
  CHECK_FALSE(waits(1)[2]);
  launches[3].bindings[2] = {GpuMemory::output, 1, 0, 4000, true};
  launches[2].bindings[2] = {GpuMemory::output, 1, 0, 4000, true};
  CHECK(waits(1)[3]); // both write one output
}

TEST_CASE("a wait lies between any two launches that depend on each other") {
  std::mt19937 random(7);
  auto below = [&](int64_t end) { return static_cast<int64_t>(random() % end); };
  LibraryInterface library = gpuLibrary();
  std::vector<GpuLaunch> &launches = library.gpus[0].graphs[1].launches;
  size_t dependent = 0, waiting = 0, all = 0;
  for (int round = 0; round < 300; ++round) {
    launches.clear();
    for (int i = 0; i < 12; ++i) {
      GpuLaunch &launch = launches.emplace_back();
      for (int k = 0; k < 3; ++k)
        launch.bindings.push_back(below(4) == 0
                                      ? GpuBinding{GpuMemory::output, below(2), 0, 4000, true}
                                      : GpuBinding{GpuMemory::workspace, 0, 256 * below(30),
                                                   1 + below(600), below(3) == 0});
    }
    const GpuLayout layout = layOutGpuMemory(library, library.gpus[0]);
    const std::vector<bool> waits = waitingLaunches(layout, library, library.gpus[0], 1);
    auto depend = [&](const GpuLaunch &a, const GpuLaunch &b) {
      for (const GpuBinding &x : a.bindings)
        for (const GpuBinding &y : b.bindings) {
          const GpuRange p = rangeOfBinding(layout, library, 1, x),
                         q = rangeOfBinding(layout, library, 1, y);
          if ((x.isWritten || y.isWritten) &&
              std::max(p.offset, q.offset) < std::min(p.end(), q.end()))
            return true;
        }
      return false;
    };
    for (size_t j = 0; j < launches.size(); ++j) {
      bool isNeeded = false;
      size_t last = 0; // that waited, before this one
      for (size_t k = 0; k < j; ++k)
        last = waits[k] ? k : last;
      for (size_t i = 0; i < j; ++i)
        if (depend(launches[i], launches[j])) {
          ++dependent;
          CHECK(std::count(waits.begin() + i + 1, waits.begin() + j + 1, true) > 0);
          isNeeded |= i >= last;
        }
      CHECK(waits[j] == isNeeded);
      waiting += waits[j];
      ++all;
    }
  }
  CHECK(dependent > 1000);
  CHECK(waiting > all / 10);
  CHECK(waiting < all * 9 / 10);
}

TEST_CASE("names of a library with code for graphics cards") {
  LibraryInterface library = gpuLibrary();
  CHECK(nameCollisions(library).empty());
  for (const char *name : {"gpu", "gpu_init", "gpu_status", "chain_gpu_run", "chain_gpu_enqueue"}) {
    INFO(name);
    library.graphs[0].name = name;
    CHECK_FALSE(nameCollisions(library).empty());
  }
  library.gpus.clear();
  CHECK(nameCollisions(library).empty());
}

TEST_CASE("a library without code for graphics cards is as it was") {
  LibraryInterface library = gpuLibrary(), without = gpuLibrary();
  for (GpuKernel &kernel : library.gpus[0].kernels)
    kernel.code = "code";
  without.gpus.clear();
  FileSet files = emitLibrary(library, {}), others = emitLibrary(without, {});
  CHECK(files.size() == others.size() + 2);
  CHECK(files.at("mygpu.h") == others.at("mygpu.h"));
  CHECK(files.at("mygpu.c") == others.at("mygpu.c"));
  for (const auto &[path, contents] : others) {
    INFO(path);
    CHECK(contents.text().find("gpus") == std::string::npos);
    CHECK(contents.text().find("_gpu.") == std::string::npos);
    CHECK(contents.text().find("DL_LIBS") == std::string::npos);
  }
}

TEST_CASE("the part for graphics cards calls no function but these") {
  Scratch scratch;
  LibraryInterface library = gpuLibrary();
  for (GpuKernel &kernel : library.gpus[0].kernels)
    kernel.code = "code";
  library.gpus.push_back(library.gpus[0]);
  library.gpus[1].target = "nvidia-sm_80";
  library.gpus[1].api = GpuApi::cuda;
  library.gpus[1].module = "text";
  writeGpuFolder(scratch, "mygpu", library);
  const std::string folder = scratch / "mygpu", object = scratch / "gpu.o";
  REQUIRE(run("gcc -O2 -c " + folder + "/mygpu_gpu.c -o " + object).code == 0);
  CHECK(run("nm --undefined-only --format=posix " + object +
            " | cut -d' ' -f1 | grep -v mygpu_weight_ | grep -vxE "
            "'mygpu_init|mygpu_status_string|mygpu_mixed_cpu1_kernel_x86_64|dlerror|dlopen|dlsym|"
            "getenv|memcpy|memset|strcmp|strlen|vsnprintf|__stack_chk_fail|"
            "_GLOBAL_OFFSET_TABLE_'")
            .output == "");
  CHECK(run("nm --defined-only --extern-only " + object + " | grep -v ' mygpu_'").output == "");
}

TEST_CASE("a library of several architectures has one part for graphics cards a folder") {
  Scratch scratch;
  LibraryInterface part = gpuLibrary();
  for (GpuKernel &kernel : part.gpus[0].kernels)
    kernel.code = "code";
  writeGpuFolder(scratch, "part", part);
  FileSet files;
  for (const char *folder : {"x86_64", "aarch64"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(scratch.path / "part"))
      if (entry.is_regular_file()) {
        const std::string path = entry.path().lexically_relative(scratch.path / "part").string();
        files[folder + ("/" + path)] = scratch.read("part/" + path);
      }
  LibraryInterface whole = part;
  whole.architectures = {{"x86_64", "x86_64", "__x86_64__", "", {"x86-64"}},
                         {"aarch64", "aarch64", "__aarch64__", "", {"x86-64"}}};
  llvm::Error error = replaceFolder(scratch / "mygpu", emitLibrary(whole, files));
  REQUIRE(llvm::toString(std::move(error)) == "");
  const std::string cmake = KGEN_TEST_CMAKE, prefix = scratch / "prefix";
  Outcome built = run(cmake + " -S " + (scratch / "mygpu") + " -B " + (scratch / "build") +
                      " -DCMAKE_INSTALL_PREFIX=" + prefix + " && " + cmake + " --build " +
                      (scratch / "build") + " && " + cmake + " --install " + (scratch / "build"));
  INFO(built.output);
  REQUIRE(built.code == 0);
  scratch.write("main.c", "#include <mygpu_gpu.h>\n"
                          "int main(void) { return mygpu_gpu_memory_size(\"vulkan\") == 0; }\n");
  CHECK(run("gcc -I" + prefix + "/include " + (scratch / "main.c") + " $(find " + prefix +
            " -name libmygpu.a) -ldl -o " + (scratch / "main") + " && " + (scratch / "main"))
            .code == 0);
}

TEST_CASE("files of the runtime compile alone") {
  for (const char *file : {"object.c", "vulkan_open.c", "vulkan_memory.c", "vulkan_kernels.c",
                           "vulkan.c", "cuda_open.c", "cuda.c"}) {
    INFO(file);
    for (const std::string &compiler : cCompilers())
      CHECK(
          run(compiler + " -fsyntax-only" + strictC() + "-Wno-unused " KGEN_TEST_RUNTIME "/" + file)
              .output == "");
  }
}
