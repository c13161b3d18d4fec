// Detection on recorded and made-up CPUs, and on the machine that the test runs on.
#include "InjectedCpu.h"

#include <catch2/catch.hpp>

#include <cpuid.h>

#include <algorithm>
#include <array>

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
  CHECK(InjectedCpu("alder-lake").detect().model == 0x97);
  CHECK(InjectedCpu("zen4").detect().model == 0x61);
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

namespace {

/// CPUID's registers for a leaf, zeros for one that the CPU does not have; without the runtime.
std::array<uint32_t, 4> cpuidOf(uint32_t leaf, uint32_t subleaf) {
  std::array<uint32_t, 4> r{};
  if (subleaf > 0 && leaf == 7) { // its subleaf 0 says how many there are
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || eax < subleaf)
      return r;
  }
  __get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]);
  return r;
}

/// The registers that the operating system saves (XCR0); 0 without OSXSAVE.
uint64_t savedState() {
  if (!(cpuidOf(1, 0)[2] & bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

} // namespace

// Nothing but CPUID itself: /proc/cpuinfo leaves out what a kernel does not know or has switched
// off, and shows features of the host that a virtual machine hides.
TEST_CASE("features of this machine are those that CPUID reports and the system saves") {
  kgenrt_cpu cpu;
  test_detect(test_host(), &cpu);
  Names present = featureNames(cpu);
  for (size_t i = 0; i < test_feature_count(); ++i) {
    const kgenrt_feature &feature = test_features()[i];
    INFO(feature.name);
    bool isReported = (cpuidOf(feature.leaf, feature.subleaf)[feature.reg] >> feature.bit) & 1;
    bool isSaved = (savedState() & feature.os_state) == feature.os_state;
    CHECK((present.count(feature.name) > 0) == (isReported && isSaved));
  }
}

// The compiler's library has a table of its own, so an error in cpu_features.def shows.
TEST_CASE("features of this machine are those that the compiler's library finds") {
  __builtin_cpu_init();
  kgenrt_cpu cpu;
  test_detect(test_host(), &cpu);
  Names present = featureNames(cpu);
#define CHECK_FEATURE(name) CHECK((present.count(name) > 0) == (__builtin_cpu_supports(name) != 0))
  CHECK_FEATURE("sse3");
  CHECK_FEATURE("ssse3");
  CHECK_FEATURE("sse4.1");
  CHECK_FEATURE("sse4.2");
  CHECK_FEATURE("sse4a");
  CHECK_FEATURE("popcnt");
  CHECK_FEATURE("pclmul");
  CHECK_FEATURE("aes");
  CHECK_FEATURE("avx");
  CHECK_FEATURE("avx2");
  CHECK_FEATURE("fma");
  CHECK_FEATURE("bmi");
  CHECK_FEATURE("bmi2");
  CHECK_FEATURE("avx512f");
  CHECK_FEATURE("avx512dq");
  CHECK_FEATURE("avx512ifma");
  CHECK_FEATURE("avx512cd");
  CHECK_FEATURE("avx512bw");
  CHECK_FEATURE("avx512vl");
  CHECK_FEATURE("avx512vbmi");
  CHECK_FEATURE("avx512vbmi2");
  CHECK_FEATURE("avx512vnni");
  CHECK_FEATURE("avx512bitalg");
  CHECK_FEATURE("avx512vpopcntdq");
  CHECK_FEATURE("vpclmulqdq");
#undef CHECK_FEATURE
}
