// Target files, the built-in ones, and how they are found.
#include "spec/TargetSpec.h"

#include "TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <algorithm>
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

TEST_CASE("the built-in targets, by rank") {
  CHECK(builtInTargets() == std::vector<std::string>{"x86-64-v2", "x86-64-v3", "x86-64-v3-vnni",
                                                     "x86-64-v4", "x86-64-v4-vnni",
                                                     "x86-64-v4-bf16", "zen4", "zen5",
                                                     "x86-64-v4-fp16", "x86-64-v4-amx"});
}

TEST_CASE("the built-in targets are the files of specs/targets") {
  for (const std::string &name : builtInTargets()) {
    Diagnostics diagnostics;
    auto file = parseTargetText(textOf(name), "file", diagnostics);
    INFO(diagnostics.str());
    REQUIRE(file);
    TargetSpec target = builtIn(name);
    CHECK(target.name.value == name);
    CHECK(target.path == "<built-in>/" + name + ".yaml");
    CHECK(featuresOf(target) == featuresOf(*file));
    CHECK(target.blocks == file->blocks);
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

TEST_CASE("each target beyond a psABI level adds features to the one before it, and ranks higher") {
  struct Step {
    const char *name, *before;
    std::vector<std::string> added;
  };
  const Step steps[] = {
      {"x86-64-v3",
       "x86-64-v2",
       {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}},
      {"x86-64-v3-vnni", "x86-64-v3", {"avxvnni"}},
      {"x86-64-v4", "x86-64-v3", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
      {"x86-64-v4-vnni", "x86-64-v4", {"avx512vnni"}},
      {"x86-64-v4-bf16", "x86-64-v4-vnni", {"avx512bf16"}},
      {"zen4", "x86-64-v4-bf16", {}},
      {"zen5", "zen4", {}},
      {"x86-64-v4-fp16", "x86-64-v4-bf16", {"avx512fp16"}},
      {"x86-64-v4-amx", "x86-64-v4-fp16", {"amx-tile", "amx-bf16", "amx-int8"}},
  };
  for (const Step &step : steps) {
    INFO(step.name);
    TargetSpec target = builtIn(step.name), before = builtIn(step.before);
    std::vector<std::string> wanted = featuresOf(before);
    wanted.insert(wanted.end(), step.added.begin(), step.added.end());
    std::sort(wanted.begin(), wanted.end());
    CHECK(featuresOf(target) == wanted);
    CHECK(target.rank > before.rank);
  }
  CHECK(builtIn("x86-64-v4").rank > builtIn("x86-64-v3-vnni").rank);
  CHECK(builtIn("x86-64-v4-fp16").rank > builtIn("zen5").rank);
}

TEST_CASE("zen4 and zen5 prefer AMD's CPUs") {
  TargetSpec zen4 = builtIn("zen4"), zen5 = builtIn("zen5");
  CHECK(zen4.preferredVendor == "AuthenticAMD");
  CHECK(zen4.preferredFamilies == std::vector<int64_t>{0x19, 0x1a});
  CHECK(zen5.preferredVendor == "AuthenticAMD");
  CHECK(zen5.preferredFamilies == std::vector<int64_t>{0x1a});
  CHECK(builtIn("x86-64-v4-bf16").preferredVendor.empty());
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
  CHECK(target.cacheLine == 64);
  CHECK(target.blocks.at("gemm_f32").at("nr") == 32);
  CHECK(target.blocks.at("gemm_f64").at("mr") == 12);
}

TEST_CASE("optional parts of a target") {
  Diagnostics diagnostics;
  std::string text = renamed("tremont") + "prefers: {vendor: AuthenticAMD, families: [0x1a, 25]}\n";
  text.replace(text.find("fma_f32: 0.5"), 12, "fma_f32: 0.75, tile_i8: 16");
  text.replace(text.find("l2: 512KiB"), 10, "l2: 1.5MiB, l3_per_core: 1.375MiB");
  auto target = parseTargetText(text, "tremont.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(target);
  CHECK(target->preferredVendor == "AuthenticAMD");
  CHECK(target->preferredFamilies == std::vector<int64_t>{0x1a, 25});
  CHECK(target->costs.at("fma_f32") == 0.75);
  CHECK(target->costs.at("tile_i8") == 16);
  CHECK(target->l2Bytes == 3 * 512 * 1024);
  CHECK(target->l3BytesPerCore == 1441792);
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
  CHECK(pathOf("tremont", {}) ==
        spec +
            ":2:3: error: unknown target 'tremont'\n"
            "    built in: x86-64-v2 x86-64-v3 x86-64-v3-vnni x86-64-v4 x86-64-v4-vnni "
            "x86-64-v4-bf16 zen4 zen5 x86-64-v4-fp16 x86-64-v4-amx; others are looked for beside "
            "the spec and in --target-path\n");
  CHECK_THAT(pathOf("tremond", {other}), Catch::Contains("(did you mean 'tremont'?)"));
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
       << target.l2Bytes << " " << target.l3BytesPerCore << " " << target.cacheLine << " "
       << target.provider.value << " " << target.preferredVendor;
  for (const std::string &feature : target.featureNames())
    text << " " << feature;
  for (int64_t family : target.preferredFamilies)
    text << " " << family;
  for (const auto &[name, cycles] : target.costs)
    text << " " << name << "=" << cycles;
  for (const auto &[kind, values] : target.blocks)
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
  target.l3BytesPerCore = 1441792; // 1.375 MiB
  target.cacheLine = 128;
  target.costs["dot_bf16"] = 0.03125;
  target.blocks["block_layout_f64"] = {{"m", 3}, {"n", 5}, {"k", 7}};
  target.blocks["gemm_bf16"] = {{"mr", 1}, {"nr", 16}, {"mc", 8}, {"kc", 16}};
  target.preferredFamilies = {6, 0x1a};
  checkPrinted(target);
  CHECK(printTargetSpec(target, "").find("  block_layout_f64: {m: 3, n: 5, k: 7}\n") !=
        std::string::npos);
}

TEST_CASE("what blocks and costs consist of") {
  CHECK(blockChoices("gemm_f32") == std::vector<std::string>{"mr", "nr", "mc", "kc"});
  CHECK(blockChoices("block_layout_f64") == std::vector<std::string>{"m", "n", "k"});
  CHECK(blockChoices("gemm_u1").empty());
  CHECK(std::count(costNames().begin(), costNames().end(), "dot_bf16") == 1);
}
