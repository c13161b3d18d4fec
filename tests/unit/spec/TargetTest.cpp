// Target files, the built-in ones, and how they are found.
#include "spec/BuiltInTargets.h"
#include "target/TargetSpec.h"

#include "TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kgen;

namespace {

std::string textOf(const std::string &name) {
  std::ifstream file(KGEN_SOURCE_DIR "/specs/targets/" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Names of the files of specs/targets that describe CPUs.
std::vector<std::string> targetFiles() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(KGEN_SOURCE_DIR "/specs/targets"))
    if (kindOfTarget(textOf(entry.path().stem().string())) == TargetKind::cpu)
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

TargetSpec builtIn(const std::string &name) {
  Diagnostics diagnostics;
  auto target = findTarget({name, {"a.yaml", 1, 1}}, "/nowhere/a.yaml", {}, diagnostics);
  INFO(diagnostics.str());
  REQUIRE(target);
  return *target;
}

std::vector<std::string> featuresOf(const TargetSpec &target) {
  std::vector<std::string> names;
  for (const auto &feature : target.requiredFeatures)
    names.push_back(feature.value);
  std::sort(names.begin(), names.end());
  return names;
}

std::string renamed(const std::string &to) {
  std::string text = textOf("x86-64-v3");
  return text.replace(text.find("x86-64-v3"), 9, to);
}

} // namespace

TEST_CASE("the built-in targets are the files of specs/targets, by rank") {
  std::vector<std::string> names = builtInTargets();
  CHECK(names.size() == targetFiles().size());
  CHECK(std::is_sorted(names.begin(), names.end(), [](const auto &a, const auto &b) {
    return builtIn(a).rank < builtIn(b).rank;
  }));
  for (const std::string &name : targetFiles()) {
    Diagnostics diagnostics;
    auto file = parseTargetText(textOf(name), "file", diagnostics);
    INFO(diagnostics.str());
    REQUIRE(file);
    TargetSpec target = builtIn(name);
    CHECK(target.name.value == name);
    CHECK(target.path == "<built-in>/" + name + ".yaml");
    CHECK(featuresOf(target) == featuresOf(*file));
    CHECK(target.gemmTiles == file->gemmTiles);
    CHECK(target.costs == file->costs);
    CHECK(target.costs.count("fma_f32") == 1);
  }
}

TEST_CASE("each level requires the one before it, as the psABI says") {
  auto v2 = featuresOf(builtIn("x86-64-v2")), v3 = featuresOf(builtIn("x86-64-v3")),
       v4 = featuresOf(builtIn("x86-64-v4"));
  CHECK(v2 ==
        std::vector<std::string>{"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"});
  CHECK(v3.size() == v2.size() + 9);
  CHECK(v4.size() == v3.size() + 5);
  CHECK(std::includes(v3.begin(), v3.end(), v2.begin(), v2.end()));
  CHECK(std::includes(v4.begin(), v4.end(), v3.begin(), v3.end()));
}

TEST_CASE("a target that requires more ranks higher, and one for certain CPUs above the others") {
  std::vector<std::string> v2 = featuresOf(builtIn("x86-64-v2")),
                           neon = featuresOf(builtIn("aarch64")),
                           simd = featuresOf(builtIn("wasm32-simd128")),
                           rv64gc = featuresOf(builtIn("rv64gc"));
  for (const std::string &name : builtInTargets()) {
    TargetSpec target = builtIn(name);
    std::vector<std::string> features = featuresOf(target);
    INFO(name);
    const std::vector<std::string> &least = target.triple == builtIn("aarch64").triple ? neon
                                            : target.triple == builtIn("wasm32-simd128").triple
                                                ? simd
                                            : target.triple == builtIn("rv64gc").triple ? rv64gc
                                                                                        : v2;
    CHECK(std::includes(features.begin(), features.end(), least.begin(), least.end()));
    for (const std::string &otherName : builtInTargets()) {
      TargetSpec other = builtIn(otherName);
      std::vector<std::string> theirs = featuresOf(other);
      INFO(otherName);
      bool requiresMore =
          features.size() > theirs.size() &&
          std::includes(features.begin(), features.end(), theirs.begin(), theirs.end());
      bool isForFewer =
          features == theirs && !target.onlyOn.vendor.empty() && other.onlyOn.vendor.empty();
      if (requiresMore || isForFewer)
        CHECK(target.rank > other.rank);
    }
  }
}

TEST_CASE("zen4 and zen5 are for AMD's CPUs") {
  TargetSpec zen4 = builtIn("zen4"), zen5 = builtIn("zen5");
  CHECK(zen4.onlyOn.vendor == "AuthenticAMD");
  CHECK(zen4.onlyOn.families == std::vector<int64_t>{0x19, 0x1a});
  CHECK(zen5.onlyOn.vendor == "AuthenticAMD");
  CHECK(zen5.onlyOn.families == std::vector<int64_t>{0x1a});
  CHECK(builtIn("x86-64-v4-bf16").onlyOn.vendor.empty());
}

TEST_CASE("what x86-64-v4 says") {
  TargetSpec target = builtIn("x86-64-v4");
  CHECK(target.triple == "x86_64-unknown-linux-gnu");
  CHECK(target.rank == 40);
  CHECK(target.tune == "skylake-avx512");
  CHECK(target.vectorBits == 512);
  CHECK(target.vectorRegisters == 32);
  CHECK(target.l1dBytes == 32 * 1024);
  CHECK(target.l2Bytes == 1024 * 1024);
  CHECK(target.gemmTiles.at("gemm_f32").at("nr") == 32);
  CHECK(target.gemmTiles.at("gemm_f64").at("mr") == 12);
}

TEST_CASE("optional parts of a target") {
  Diagnostics diagnostics;
  std::string text = renamed("tremont") + "only_on: {vendor: AuthenticAMD, families: [0x1a, 25]}\n";
  text.replace(text.find("fma_f32: 0.5"), 12, "fma_f32: 0.75, tile_i8: 16");
  text.replace(text.find("l2: 512KiB"), 10, "l2: 1.5MiB");
  auto target = parseTargetText(text, "tremont.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(target);
  CHECK(target->onlyOn.vendor == "AuthenticAMD");
  CHECK(target->onlyOn.families == std::vector<int64_t>{0x1a, 25});
  CHECK(target->onlyOn.models.empty());
  CHECK(target->costs.at("fma_f32") == 0.75);
  CHECK(target->costs.at("tile_i8") == 16);
  CHECK(target->l2Bytes == 3 * 512 * 1024);
  CHECK(diagnostics.warnings().empty());
}

TEST_CASE("models of a family") {
  Diagnostics diagnostics;
  auto target =
      parseTargetText(renamed("gracemont") +
                          "only_on: {vendor: GenuineIntel, families: [6], models: [0xbe, 151]}\n",
                      "gracemont.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(target);
  CHECK(target->onlyOn.models == std::vector<int64_t>{0xbe, 151});
}

TEST_CASE("old names of keys give the same target and a warning each") {
  Diagnostics diagnostics;
  std::string current = renamed("old") + "  block_layout_f32: {m: 1, n: 2, k: 3}\n"
                                         "only_on: {vendor: AuthenticAMD}\n",
              old = current;
  for (auto [now, before] : {std::pair("reciprocal_throughput:", "costs:"),
                             {"gemm_tiles:", "blocks:"},
                             {"block_layout_f32:", "pack_f32:"},
                             {"only_on:", "prefers:"}})
    old.replace(old.find(now), std::string(now).size(), before);
  auto first = parseTargetText(current, "old.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(first);
  REQUIRE(diagnostics.warnings().empty());
  auto second = parseTargetText(old, "old.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(second);
  CHECK(printTargetSpec(*second, "") == printTargetSpec(*first, ""));
  CHECK(!diagnostics.hasErrors());
  std::string text = diagnostics.str();
  CHECK(diagnostics.warnings().size() == 4);
  CHECK_THAT(text, Catch::Contains("old.yaml:10:1: warning: 'costs' is now called "
                                   "'reciprocal_throughput'"));
  CHECK_THAT(text, Catch::Contains("old.yaml:11:1: warning: 'blocks' is now called 'gemm_tiles'"));
  CHECK_THAT(text, Catch::Contains("'pack_f32' is now called 'block_layout_f32'"));
  CHECK_THAT(text, Catch::Contains("'prefers' is now called 'only_on'"));
}

TEST_CASE("a target states facts and heuristics, and what it does not state has defaults") {
  Diagnostics diagnostics;
  std::string text = renamed("own");
  auto plain = parseTargetText(text, "own.yaml", diagnostics);
  REQUIRE(plain);
  CHECK(plain->cores == 0);
  CHECK(plain->lineBytes == 64);
  CHECK(plain->heuristics.maxTasks == 64);
  CHECK(printTargetSpec(*plain, "").find("heuristics") == std::string::npos);
  text.replace(text.find("l2: 512KiB"), 10, "l2: 512KiB, l3_per_core: 2MiB, l1_ways: 12");
  text += "cores: 16\nheuristics: {max_tasks: 128, memory_line_cycles: 9.5}\n"
          "pipelines: {chains: 16, load: 5}\n";
  auto stated = parseTargetText(text, "own.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(stated);
  CHECK(stated->l3BytesPerCore == 2 << 20);
  CHECK(stated->l1Ways == 12);
  CHECK(stated->cores == 16);
  CHECK(stated->chains == 16);
  CHECK(stated->loadLatency == 5);
  CHECK(stated->shuffleLatency == plain->shuffleLatency);
  CHECK(stated->heuristics.maxTasks == 128);
  CHECK(stated->heuristics.memoryLineCycles == 9.5);
  auto again = parseTargetText(printTargetSpec(*stated, ""), "own.yaml", diagnostics);
  REQUIRE(again);
  CHECK(printTargetSpec(*again, "") == printTargetSpec(*stated, ""));
  CHECK(again->heuristics.memoryLineCycles == 9.5);
  CHECK(again->l1Ways == 12);
  CHECK(again->chains == 16);
}

TEST_CASE("targets are looked for beside the spec, in the search path, and built in") {
  test::TemporaryFolder folder;
  folder.write("other/tremont.yaml", renamed("tremont"));
  folder.write("spec/x86-64-v3.yaml", textOf("x86-64-v3"));
  const std::string spec = folder.path("spec/a.yaml"), other = folder.path("other");
  auto pathOf = [&](const std::string &name, std::vector<std::string> searchPath) {
    Diagnostics diagnostics;
    auto target = findTarget({name, {spec, 2, 3}}, spec, searchPath, diagnostics);
    return target ? target->path : diagnostics.str();
  };
  CHECK(pathOf("x86-64-v3", {}) == folder.path("spec/x86-64-v3.yaml"));
  CHECK(pathOf("x86-64-v4", {other}) == "<built-in>/x86-64-v4.yaml");
  CHECK(pathOf("tremont", {other}) == folder.path("other/tremont.yaml"));
  CHECK(pathOf("../other/tremont.yaml", {}) == folder.path("spec/../other/tremont.yaml"));
  std::string unknown = pathOf("novel", {});
  CHECK(unknown.find(spec + ":2:3: error: unknown target 'novel'\n    built in: ") == 0);
  for (const std::string &name : builtInTargets())
    CHECK_THAT(unknown, Catch::Contains(" " + name));
  CHECK_THAT(pathOf("armv8", {}),
             Catch::Contains("'armv8' is a kind of CPU: this kgen has targets for"));
  CHECK_THAT(unknown, Catch::Contains("(`kgen targets` describes them); others are looked for "
                                      "beside the spec and in --target-path\n"));
  CHECK_THAT(pathOf("tremond", {other}), Catch::Contains("(did you mean 'tremont'?)"));
  CHECK_THAT(pathOf("x86-64-v5", {}), Catch::Contains("(did you mean 'x86-64-v4'?)"));
}

TEST_CASE("names of CPUs and features that other compilers take say which target to write") {
  auto hintFor = [](const std::string &name) {
    Diagnostics diagnostics;
    CHECK(!findTarget({name, {}}, "", {}, diagnostics));
    return diagnostics.str();
  };
  CHECK_THAT(hintFor("native"), Catch::Contains("list several targets"));
  CHECK_THAT(hintFor("haswell"), Catch::Contains("for the CPU 'haswell' write 'x86-64-v3'"));
  CHECK_THAT(hintFor("nehalem"), Catch::Contains("for the CPU 'nehalem' write 'x86-64-v2'"));
  CHECK_THAT(hintFor("zen2"), Catch::Contains("for the CPU 'zen2' write 'x86-64-v3'"));
  CHECK_THAT(hintFor("avx2"), Catch::Contains("the first target with it is 'x86-64-v3'"));
}

TEST_CASE("a target's name is that of its file") {
  test::TemporaryFolder folder;
  folder.write("zen4.yaml", renamed("tremont"));
  Diagnostics diagnostics;
  CHECK(!findTarget({"zen4", {}}, folder.path("a.yaml"), {}, diagnostics));
  CHECK_THAT(diagnostics.str(),
             Catch::Contains("zen4.yaml:2:7: error: expected the name of the file, 'zen4'"));
}

namespace {

/// Everything of a target but places.
std::string factsOf(const TargetSpec &target) {
  std::ostringstream text;
  text << target.name.value << " " << target.triple << " " << target.rank << " " << target.tune
       << " " << target.vectorBits << " " << target.vectorRegisters << " " << target.l1dBytes << " "
       << target.l2Bytes << " " << target.provider.value << " " << target.onlyOn.vendor;
  for (const std::string &feature : target.featureNames())
    text << " " << feature;
  for (int64_t family : target.onlyOn.families)
    text << " " << family;
  for (int64_t model : target.onlyOn.models)
    text << " model " << model;
  for (const auto &[name, cycles] : target.costs)
    text << " " << name << "=" << cycles;
  for (const auto &[kind, values] : target.gemmTiles)
    for (const auto &[name, value] : values)
      text << " " << kind << "." << name << "=" << value;
  return text.str();
}

void checkPrinted(const TargetSpec &target) {
  Diagnostics diagnostics;
  std::string text = printTargetSpec(target, "First line\nsecond: line");
  INFO(text);
  CHECK(text.find("# First line\n# second: line\nname: ") == 0);
  auto again = parseTargetText(text, "printed", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(again);
  CHECK(factsOf(*again) == factsOf(target));
  CHECK(printTargetSpec(*again, "First line\nsecond: line") == text);
}

} // namespace

TEST_CASE("a printed target is the same target") {
  for (const std::string &name : builtInTargets())
    checkPrinted(builtIn(name));
  TargetSpec target = builtIn("zen5");
  target.provider.value = "xsmm";
  target.tune.clear();
  target.l2Bytes = 1441792; // 1.375 MiB
  target.costs["dot_bf16"] = 0.03125;
  target.gemmTiles["block_layout_f64"] = {{"m", 3}, {"n", 5}, {"k", 7}};
  target.gemmTiles["gemm_bf16"] = {{"mr", 1}, {"nr", 16}, {"mc", 8}, {"kc", 16}};
  target.onlyOn.families = {0x1a};
  target.onlyOn.models = {0, 0x97};
  checkPrinted(target);
  CHECK(printTargetSpec(target, "").find("  block_layout_f64: {m: 3, n: 5, k: 7}\n") !=
        std::string::npos);
}

TEST_CASE("what gemm_tiles and reciprocal_throughput consist of") {
  CHECK(tileSizeNames("gemm_f32") == std::vector<std::string>{"mr", "nr", "mc", "kc"});
  CHECK(tileSizeNames("block_layout_f64") == std::vector<std::string>{"m", "n", "k"});
  CHECK(tileSizeNames("gemm_u1").empty());
  CHECK(std::count(costNames().begin(), costNames().end(), "dot_bf16") == 1);
}
