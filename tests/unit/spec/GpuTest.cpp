// Files that describe graphics cards, the built-in ones, and how they are found.
#include "spec/BuiltInTargets.h"
#include "target/GpuSpec.h"
#include "target/MachineLookup.h"
#include "target/TargetSpec.h"

#include "TemporaryFolder.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

std::optional<GpuSpec> findCard(const std::string &name, const std::string &specPath,
                                Diagnostics &diagnostics) {
  return findGpu({name, {"--target " + name, 0, 0}}, specPath, {}, diagnostics);
}

const std::string cardText =
    "name: mine\nkind: gpu\napi: cuda\ncores: 8\nsubgroup: 32\n"
    "threads_of_block: 512\nthreads_of_core: 1024\nblocks_of_core: 16\nshared_bytes: 16KiB\n"
    "shared_bytes_of_core: 65536\nregisters: 128\nregisters_of_core: 32768\n"
    "multiply_adds_per_cycle: 64\nshared_bytes_per_cycle: 128\n"
    "bytes_per_cycle: 100.5\n";

} // namespace

TEST_CASE("the built-in graphics cards") {
  CHECK(builtInGpus() == std::vector<std::string>{"nvidia-sm_80", "vulkan"});
  Diagnostics diagnostics;
  for (const std::string &name : builtInGpus()) {
    auto gpu = findCard(name, "", diagnostics);
    INFO(diagnostics.str());
    REQUIRE(gpu);
    CHECK(gpu->name.value == name);
    CHECK(gpu->isBuiltIn());
    CHECK((gpu->language == GpuLanguage::ptx) == (name == "nvidia-sm_80"));
    // All figures are there, and go together.
    CHECK(gpu->facts.cores > 0);
    CHECK(gpu->facts.sharedBytes <= gpu->facts.sharedBytesOfCore);
    CHECK(gpu->facts.threadsOfBlock <= gpu->facts.threadsOfCore);
    CHECK(gpu->facts.registers <= gpu->facts.registersOfCore);
    CHECK(gpu->facts.bytesPerCycle > 0);
  }
}

TEST_CASE("what a graphics card's file says") {
  Diagnostics diagnostics;
  CHECK(kindOfTarget(cardText) == TargetKind::gpu);
  auto gpu = parseGpuText(cardText, "mine.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(gpu);
  CHECK(gpu->name.value == "mine");
  CHECK(gpu->facts.cores == 8);
  CHECK(gpu->facts.sharedBytes == 16 << 10);
  CHECK(gpu->facts.bytesPerCycle == 100.5);
}

TEST_CASE("a graphics card's file with mistakes") {
  Diagnostics diagnostics;
  CHECK(!parseGpuText(
      "name: mine\nkind: tpu\napi: metal\ncores: 0\nsubgroup: x\n"
      "threads_of_block: 512\nthreads_of_core: 1024\nblocks_of_core: 16\nshared_bytes: 2GiB\n"
      "shared_bytes_of_core: 65536\nregisters: 128\nregisters_of_core: 32768\n"
      "multiply_adds_per_cycle: -1\nshared_bytes_per_cycle: .nan\nclock: 1\n",
      "mine.yaml", diagnostics));
  const std::string all = diagnostics.str();
  for (const char *expected :
       {"mine.yaml:2:7: error: expected 'gpu' for 'kind', found 'tpu'",
        "mine.yaml:3:6: error: expected 'vulkan' or 'cuda' for 'api', found 'metal'",
        "mine.yaml:4:8: error: expected", "mine.yaml:5:11: error: expected",
        "mine.yaml:9:15: error: expected from 1 byte to 1GiB for 'shared_bytes'",
        "mine.yaml:13:26: error: expected a number above 0",
        "mine.yaml:14:25: error: expected a number above 0",
        "missing key 'bytes_per_cycle' in a graphics card's file",
        "mine.yaml:15:1: error: unknown key 'clock' in a graphics card's file"}) {
    INFO(all);
    CHECK_THAT(all, Catch::Contains(expected));
  }
}

TEST_CASE("a graphics card is found by its path, by the name of its file, and by nothing else") {
  test::TemporaryFolder folder;
  folder.write("mine.yaml", cardText);
  folder.write("yours.yaml", cardText);
  Diagnostics diagnostics;
  CHECK(findCard("mine", folder.path("spec.yaml"), diagnostics));
  CHECK(findCard(folder.path("mine.yaml"), "", diagnostics));
  CHECK(diagnostics.str() == "");
  CHECK(!findCard(folder.path("yours.yaml"), "", diagnostics));
  CHECK_THAT(diagnostics.str(),
             Catch::Contains("yours.yaml:1:7: error: expected the name of the file, 'yours', as "
                             "the target's name, found 'mine'"));
}

TEST_CASE("names that are no graphics cards") {
  Diagnostics diagnostics;
  CHECK(!findCard("vulcan", "", diagnostics));
  CHECK(!findCard("x86-64-v4", "", diagnostics));
  CHECK(!findTarget({"vulkan", {"a.yaml", 3, 4}}, "", {}, diagnostics));
  REQUIRE(diagnostics.errors().size() == 3);
  CHECK(diagnostics.errors()[0].message == "unknown target 'vulcan' (did you mean 'vulkan'?)");
  CHECK(diagnostics.errors()[1].message ==
        "target 'x86-64-v4' is a CPU; a graphics card is expected here");
  CHECK(diagnostics.errors()[2].message ==
        "target 'vulkan' is a graphics card; a CPU is expected here");
}
