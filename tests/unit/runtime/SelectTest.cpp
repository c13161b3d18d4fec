// The variant that each CPU gets, from several sets of targets: made-up ones, and those built into
// kgen.
#include "InjectedCpu.h"

#include "target/TargetSpec.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <set>

using namespace kgen::test;

namespace {
struct Target {
  std::string name;
  int64_t rank;
  std::vector<std::string> required;
  std::string vendor;
  std::vector<uint32_t> families, models = {};
};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
const std::vector<std::string> base = {"x87", "cx8", "cmov", "mmx", "fxsr", "sse", "sse2"};
const std::vector<std::string> v2 =
    base + std::vector<std::string>{"cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"};
const std::vector<std::string> v3 =
    v2 + std::vector<std::string>{"avx", "avx2",  "bmi",   "bmi2", "f16c",
                                  "fma", "lzcnt", "movbe", "xsave"};
const std::vector<std::string> v4 =
    v3 + std::vector<std::string>{"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
const std::vector<std::string> v4bf16 = v4 + std::vector<std::string>{"avx512vnni", "avx512bf16"};

const Target targets[] = {
    {"v2", 20, v2, "", {}},
    {"v3", 30, v3, "", {}},
    {"v3-vnni", 35, v3 + std::vector<std::string>{"avxvnni"}, "", {}},
    {"v4", 40, v4, "", {}},
    {"v4-vnni", 45, v4 + std::vector<std::string>{"avx512vnni"}, "", {}},
    {"v4-bf16", 50, v4bf16, "", {}},
    {"zen5", 55, v4bf16, "AuthenticAMD", {0x1a}},
    {"any-amd", 52, v4bf16, "AuthenticAMD", {}},
    {"alder-lake", 36, v3, "GenuineIntel", {6}, {0x97, 0x9a}},
    {"gracemont", 37, v3, "GenuineIntel", {6}, {0xbe}},
    {"v4-amx", 70, v4bf16 + std::vector<std::string>{"amx-tile", "amx-bf16"}, "", {}},
    {"unknown", 99, base + std::vector<std::string>{"a-feature-of-tomorrow"}, "", {}},
};

std::vector<Target> targetsCalled(const std::vector<std::string> &names) {
  std::vector<Target> chosen;
  for (const Target &target : targets)
    if (std::count(names.begin(), names.end(), target.name))
      chosen.push_back(target);
  REQUIRE(chosen.size() == names.size());
  return chosen;
}

std::vector<Target> builtInTargets() {
  std::vector<Target> all;
  for (const std::string &name : kgen::builtInTargets()) {
    kgen::Diagnostics diagnostics;
    auto spec = kgen::findTarget({name, {}}, "", {}, diagnostics);
    REQUIRE(spec);
    if (spec->triple.rfind("x86_64-", 0) != 0)
      continue;
    const kgen::CpuMatch &cpus = spec->onlyOn;
    all.push_back({name,
                   spec->rank,
                   base + spec->featureNames(),
                   cpus.vendor,
                   {cpus.families.begin(), cpus.families.end()},
                   {cpus.models.begin(), cpus.models.end()}});
  }
  return all;
}

/// Contents of a dispatcher for some targets: best first, requirements as rows of the table.
class Variants {
public:
  explicit Variants(const std::vector<std::string> &names) { fill(targetsCalled(names)); }
  static Variants builtIn() {
    Variants variants({});
    variants.fill(builtInTargets());
    return variants;
  }

  /// The chosen variant's name, or what went wrong in brackets.
  std::string on(InjectedCpu &cpu, const char *wanted = nullptr) const {
    size_t index = 99;
    switch (test_select(&cpu.machine, list.data(), list.size(), wanted, &index)) {
    case test_chosen:
      return list.at(index).name;
    case test_unknown_name:
      return "<unknown>";
    case test_unsupported_name:
      return "<unsupported>";
    default:
      return "<nothing fits>";
    }
  }
  std::string on(const std::string &cpuName, const char *wanted = nullptr) const {
    InjectedCpu cpu(cpuName);
    std::string result = on(cpu, wanted);
    CHECK(cpu.misuse.empty());
    return result;
  }

private:
  void fill(std::vector<Target> targets) {
    chosen = std::move(targets);
    std::sort(chosen.begin(), chosen.end(), [](auto &a, auto &b) { return a.rank > b.rank; });
    for (const Target &target : chosen) {
      rows.emplace_back();
      for (const std::string &name : target.required)
        rows.back().push_back(row(name));
      list.push_back({target.name.c_str(), rows.back().data(), rows.back().size(),
                      target.vendor.empty() ? nullptr : target.vendor.c_str(),
                      target.families.data(), target.families.size(), target.models.data(),
                      target.models.size()});
    }
  }

  /// A feature that the table does not know gets a row beyond its end, which no CPU has.
  static uint8_t row(const std::string &name) {
    for (size_t i = 0; i < test_feature_count(); ++i)
      if (test_features()[i].name == name)
        return static_cast<uint8_t>(i);
    return 255;
  }
  std::vector<Target> chosen;
  std::deque<std::vector<uint8_t>> rows;
  std::vector<kgenrt_variant> list;
};

bool includes(const std::set<std::string> &features, const std::vector<std::string> &required) {
  return std::all_of(required.begin(), required.end(),
                     [&](const std::string &feature) { return features.count(feature) != 0; });
}

template <typename T> bool namesOrIsEmpty(const std::vector<T> &list, T value) {
  return list.empty() || std::count(list.begin(), list.end(), value) != 0;
}

/// Returns what specs/targets says that a CPU gets: of the targets whose features it has and that
/// are for it, the one of the highest rank.
std::string bestBuiltIn(const std::string &cpuName) {
  InjectedCpu injected(cpuName);
  kgenrt_cpu cpu = injected.detect();
  std::set<std::string> features = featureNames(cpu);
  if (!injected.grantsAmx)
    features.erase("amx-tile");
  std::string best = "<nothing fits>";
  for (const Target &target : builtInTargets()) // by ascending rank
    if (includes(features, target.required) &&
        (target.vendor.empty() ||
         (target.vendor == cpu.vendor && namesOrIsEmpty(target.families, cpu.family) &&
          namesOrIsEmpty(target.models, cpu.model))))
      best = target.name;
  return best;
}
} // namespace

TEST_CASE("each CPU gets the best variant that it supports") {
  struct Case {
    const char *cpu, *levels, *all; ///< of v2, v3, v4; of everything
  };
  const Case cases[] = {
      {"no-sse2", "<nothing fits>", "<nothing fits>"},
      {"core2duo", "<nothing fits>", "<nothing fits>"},
      {"nehalem", "v2", "v2"},
      {"haswell", "v3", "v3"},
      {"alder-lake", "v3", "v3-vnni"},
      {"skylake-x", "v4", "v4"},
      {"skylake-x-no-avx512-state", "v3", "v3"},
      {"skylake-x-half-avx512-state", "v3", "v3"},
      {"skylake-x-no-avx-state", "v2", "v2"},
      {"skylake-x-osxsave-off", "v2", "v2"},
      {"skylake-x-leaf7-hidden", "v2", "v2"},
      {"skylake-x-max-leaf-1", "<nothing fits>", "<nothing fits>"}, // no extended leaf, so no sahf
      {"cascade-lake-no-leaf7-1", "v4", "v4-vnni"},
      {"zen4", "v4", "any-amd"},
      {"zen4-no-avx512-state", "v3", "v3"},
      {"zen5", "v4", "zen5"},
      {"zen5-hidden", "v3", "v3"},
      {"sapphire-rapids", "v4", "v4-amx"},
      {"sapphire-rapids-amx-denied", "v4", "v4-bf16"},
      {"sapphire-rapids-no-amx-state", "v4", "v4-bf16"},
  };
  Variants levels({"v4", "v2", "v3"}), builtIn = Variants::builtIn();
  Variants all(
      {"v2", "v3", "v3-vnni", "v4", "v4-vnni", "v4-bf16", "zen5", "any-amd", "v4-amx", "unknown"});
  for (const Case &c : cases) {
    INFO(c.cpu);
    CHECK(levels.on(c.cpu) == c.levels);
    CHECK(all.on(c.cpu) == c.all);
    CHECK(builtIn.on(c.cpu) == bestBuiltIn(c.cpu));
  }
}

TEST_CASE("a preferred variant wins on its CPUs only, and is supported elsewhere") {
  Variants two({"v4-bf16", "zen5"});
  CHECK(two.on("zen5") == "zen5");
  CHECK(two.on("zen4") == "v4-bf16");            // the vendor, another family
  CHECK(two.on("sapphire-rapids") == "v4-bf16"); // another vendor
  CHECK(two.on("sapphire-rapids", "zen5") == "zen5");
  CHECK(two.on("zen4", "zen5") == "zen5");
  CHECK(two.on("zen5", "v4-bf16") == "v4-bf16");
  CHECK(two.on("skylake-x", "zen5") == "<unsupported>");
  CHECK(Variants({"v2", "zen5"}).on("zen4") == "v2");
  CHECK(Variants({"zen5"}).on("zen4") == "zen5"); // better than nothing
  CHECK(Variants({"zen5"}).on("zen5-hidden") == "<nothing fits>");
}

TEST_CASE("a variant for models of a family wins on these models only") {
  Variants models({"v3", "alder-lake", "gracemont"});
  CHECK(models.on("alder-lake") == "alder-lake"); // model 0x97
  CHECK(models.on("haswell") == "v3");            // the family, another model
  CHECK(models.on("zen4") == "v3");
  CHECK(models.on("haswell", "gracemont") == "gracemont");
  CHECK(Variants({"v2", "gracemont"}).on("alder-lake") == "v2");
  CHECK(Variants({"gracemont"}).on("haswell") == "gracemont"); // better than nothing
}

TEST_CASE("a variant can be asked for") {
  Variants levels({"v2", "v3", "v4"});
  CHECK(levels.on("skylake-x", "v2") == "v2");
  CHECK(levels.on("skylake-x", "") == "v4");
  CHECK(levels.on("haswell", "v4") == "<unsupported>");
  CHECK(levels.on("haswell", "v5") == "<unknown>");
  CHECK(levels.on("haswell", "v") == "<unknown>");
  CHECK(levels.on("haswell", "v3-vnni") == "<unknown>"); // exists, but not in this library
  CHECK(levels.on("core2duo", "v2") == "<unsupported>"); // a pin is checked as well
  CHECK(Variants({"unknown"}).on("zen5", "unknown") == "<unsupported>");
}

TEST_CASE("permission for AMX is asked for only where a variant needs it and could run") {
  Variants withAmx({"v4", "v4-amx"}), withoutAmx({"v4", "v4-bf16"});
  auto requests = [](const Variants &variants, const char *name, const char *wanted = nullptr) {
    InjectedCpu cpu(name);
    variants.on(cpu, wanted);
    return cpu.amxRequests;
  };
  CHECK(requests(withAmx, "sapphire-rapids") == 1);
  CHECK(requests(withoutAmx, "sapphire-rapids") == 0);
  CHECK(requests(withAmx, "sapphire-rapids", "v4") == 0);
  CHECK(requests(withAmx, "sapphire-rapids-no-amx-state") == 0);
  CHECK(requests(withAmx, "zen5") == 0);
  CHECK(withAmx.on("sapphire-rapids-amx-denied", "v4-amx") == "<unsupported>");
  Variants builtIn = Variants::builtIn();
  CHECK(requests(builtIn, "sapphire-rapids") == 1);
  CHECK(requests(builtIn, "zen5") == 0);
  CHECK(builtIn.on("sapphire-rapids-amx-denied", "x86-64-v4-amx") == "<unsupported>");
}

TEST_CASE("an empty list fits nothing") { CHECK(Variants({}).on("zen5") == "<nothing fits>"); }
