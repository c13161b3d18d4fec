// Detection on recorded and made-up CPUs, and on the machine that the test runs on.
#include "InjectedCpu.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace kgen::test;
using Names = std::set<std::string>;

namespace {
const Names baseline = {"x87", "cx8", "cmov", "mmx", "fxsr", "sse", "sse2"};
Names with(Names names, const Names &more) {
  names.insert(more.begin(), more.end());
  return names;
}
const Names avx512 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};

bool hasAny(const Names &names, const Names &of) {
  for (const std::string &name : of)
    if (names.count(name))
      return true;
  return false;
}
bool hasAll(const Names &names, const Names &of) {
  return std::includes(names.begin(), names.end(), of.begin(), of.end());
}
} // namespace

TEST_CASE("features of recorded CPUs, all of them") {
  CHECK(InjectedCpu("core2duo").features() == with(baseline, {"sse3", "ssse3", "cx16", "sahf"}));
  Names nehalem =
      with(baseline, {"sse3", "ssse3", "sse4.1", "sse4.2", "crc32", "cx16", "popcnt", "sahf"});
  CHECK(InjectedCpu("nehalem").features() == nehalem);
  CHECK(InjectedCpu("haswell").features() ==
        with(nehalem, {"pclmul", "fma", "movbe", "aes", "xsave", "avx", "f16c", "bmi", "avx2",
                       "bmi2", "lzcnt", "xsaveopt"}));
}

TEST_CASE("vendor and family") {
  auto vendor = [](const char *name) { return std::string(InjectedCpu(name).detect().vendor); };
  CHECK(vendor("haswell") == "GenuineIntel");
  CHECK(vendor("zen5") == "AuthenticAMD");
  CHECK(InjectedCpu("haswell").detect().family ==
        6); // the extended family counts only if the family is 15
  CHECK(InjectedCpu("zen4").detect().family == 0x19);
  CHECK(InjectedCpu("zen5").detect().family == 0x1a);
}

TEST_CASE("registers that the operating system does not save do not exist") {
  Names full = InjectedCpu("skylake-x").features();
  CHECK(hasAll(full, with(avx512, {"avx", "avx2", "fma", "f16c", "xsave"})));
  for (const char *name : {"skylake-x-no-avx512-state", "skylake-x-half-avx512-state"}) {
    Names names = InjectedCpu(name).features();
    CHECK(hasAll(names, {"avx", "avx2", "fma", "bmi2"}));
    CHECK_FALSE(hasAny(names, avx512));
  }
  Names noAvx = InjectedCpu("skylake-x-no-avx-state").features();
  CHECK_FALSE(hasAny(noAvx, with(avx512, {"avx", "avx2", "fma", "f16c"})));
  CHECK(hasAll(noAvx, {"sse4.2", "bmi2", "lzcnt", "xsave"})); // these need nothing saved
}

TEST_CASE("xgetbv is not executed without OSXSAVE") {
  InjectedCpu cpu("skylake-x-osxsave-off");
  CHECK_FALSE(hasAny(cpu.features(), with(avx512, {"avx", "avx2", "fma", "f16c", "xsave"})));
  CHECK(cpu.misuse.empty());
}

TEST_CASE("leaves beyond the highest do not count, whatever the CPU answers") {
  InjectedCpu hidden("skylake-x-leaf7-hidden");
  CHECK_FALSE(hasAny(hidden.features(),
                     with(avx512, {"avx2", "bmi", "bmi2", "gfni", "avx512fp16", "xsaveopt"})));
  CHECK(hasAll(hidden.features(), {"avx", "fma", "lzcnt"}));
  InjectedCpu limited("skylake-x-max-leaf-1");
  CHECK_FALSE(hasAny(limited.features(), {"avx2", "bmi2", "lzcnt", "sahf", "xsaveopt"}));
  CHECK(hasAll(limited.features(), {"avx", "fma", "sse4.2"}));
  InjectedCpu noSubleaf("cascade-lake-no-leaf7-1");
  CHECK_FALSE(hasAny(noSubleaf.features(), {"avxvnni", "avx512bf16", "amx-fp16", "avxvnniint8"}));
  CHECK(noSubleaf.features().count("avx512vnni") == 1);
}

TEST_CASE("newer features") {
  CHECK(hasAll(InjectedCpu("zen4").features(),
               with(avx512, {"avx512bf16", "avx512vnni", "avx512vbmi2", "gfni", "sse4a"})));
  CHECK_FALSE(hasAny(InjectedCpu("zen4-no-avx512-state").features(), with(avx512, {"avx512bf16"})));
  CHECK_FALSE(hasAny(InjectedCpu("zen4").features(), {"avxvnni", "avx512fp16", "amx-tile"}));
  CHECK(hasAll(InjectedCpu("zen5").features(),
               with(avx512, {"avx512bf16", "avx512vnni", "avxvnni", "avx512vp2intersect"})));
  CHECK(hasAll(
      InjectedCpu("sapphire-rapids").features(),
      with(avx512, {"amx-tile", "amx-int8", "amx-bf16", "avx512fp16", "avx512bf16", "avxvnni"})));
  CHECK_FALSE(hasAny(InjectedCpu("sapphire-rapids-no-amx-state").features(),
                     {"amx-tile", "amx-int8", "amx-bf16"}));
  CHECK(hasAll(InjectedCpu("alder-lake").features(), {"avxvnni", "avx2", "gfni", "vaes"}));
  CHECK_FALSE(hasAny(InjectedCpu("alder-lake").features(), avx512));
}

TEST_CASE("the table says what the kernel says about this machine") {
  std::ifstream stream("/proc/cpuinfo");
  std::string line;
  while (std::getline(stream, line) && line.compare(0, 5, "flags") != 0)
    continue;
  std::istringstream words(line.substr(std::min(line.size(), line.find(':') + 1)));
  Names flags{std::istream_iterator<std::string>(words), {}};
  REQUIRE(!flags.empty());
  const std::map<std::string, std::string> differentNames = {
      {"x87", "fpu"},
      {"sse3", "pni"},
      {"pclmul", "pclmulqdq"},
      {"sse4.1", "sse4_1"},
      {"sse4.2", "sse4_2"},
      {"crc32", "sse4_2"},

      {"bmi", "bmi1"},
      {"sha", "sha_ni"},
      {"lzcnt", "abm"},
      {"sahf", "lahf_lm"},
      {"prfchw", "3dnowprefetch"},
      {"avxvnni", "avx_vnni"},
      {"avx512bf16", "avx512_bf16"},
      {"avx512fp16", "avx512_fp16"},
      {"avx512vnni", "avx512_vnni"},
      {"avx512vbmi2", "avx512_vbmi2"},
      {"avx512bitalg", "avx512_bitalg"},
      {"avx512vpopcntdq", "avx512_vpopcntdq"},
      {"avx512vp2intersect", "avx512_vp2intersect"},
      {"amx-tile", "amx_tile"},
      {"amx-int8", "amx_int8"},
      {"amx-bf16", "amx_bf16"},
      {"amx-fp16", "amx_fp16"},
      {"avxifma", "avx_ifma"},
      {"avxvnniint8", "avx_vnni_int8"},
      {"avxneconvert", "avx_ne_convert"},
      {"avxvnniint16", "avx_vnni_int16"}};
  kgenrt_cpu cpu;
  test_detect(test_host(), &cpu);
  Names present = featureNames(cpu);
  for (size_t i = 0; i < test_feature_count(); ++i) {
    std::string name = test_features()[i].name;
    auto it = differentNames.find(name);
    INFO(name);
    CHECK(present.count(name) == flags.count(it == differentNames.end() ? name : it->second));
  }
}
