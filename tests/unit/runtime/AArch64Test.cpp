// Tests of what AArch64's runtime makes of the words and names that systems report. The values of
// CPUs are written by hand from the bits that Arm's manuals and Linux's hwcap.h document: no such
// machine was asked. Names are those of Apple's documentation; aarch64_hwcap.c compares the table's
// bits with Linux's header.
#include "aarch64_access.h"

#include <catch2/catch.hpp>

#include <iterator>
#include <set>
#include <string>

namespace {

using Features = std::set<std::string>;

Features namesOf(uint64_t present) {
  Features names;
  for (size_t i = 0; i < aarch64_feature_count(); ++i)
    if ((present >> i) & 1)
      names.insert(aarch64_feature_name(i));
  return names;
}

constexpr uint64_t bit(unsigned number) { return uint64_t(1) << number; }

// HWCAP: fp 0, asimd 1, evtstrm 2, aes 3, pmull 4, sha1 5, sha2 6, crc32 7, atomics 8, fphp 9,
// asimdhp 10, cpuid 11, asimdrdm 12, jscvt 13, fcma 14, lrcpc 15, dcpop 16, asimddp 20, sve 22,
// asimdfhm 23; HWCAP2: i8mm 13, bf16 14.
const uint64_t cortexA72[] = {0xff, 0};
const uint64_t neoverseN1[] = {
    0xff | bit(8) | bit(9) | bit(10) | bit(11) | bit(12) | bit(15) | bit(16) | bit(20), 0};
const uint64_t neoverseV1[] = {neoverseN1[0] | bit(13) | bit(14) | bit(22) | bit(23),
                               bit(13) | bit(14)};
// Linux on an M1.
const uint64_t appleM1[] = {0xff | bit(8) | bit(9) | bit(10) | bit(11) | bit(12) | bit(13) |
                                bit(14) | bit(15) | bit(16) | bit(20) | bit(23),
                            0};
const uint64_t withoutNeon[] = {bit(0), bit(13)};

Features detected(const uint64_t *words) {
  aarch64_system system{words, nullptr, 0};
  return namesOf(aarch64_detect(&system));
}

uint64_t maskOf(const Features &wanted) {
  uint64_t mask = 0;
  for (size_t i = 0; i < aarch64_feature_count(); ++i)
    mask |= wanted.count(aarch64_feature_name(i)) ? bit(i) : 0;
  return mask;
}

} // namespace

TEST_CASE("Linux's words say what AArch64 CPUs have") {
  CHECK(detected(cortexA72) == Features{"fp-armv8", "neon"});
  CHECK(detected(neoverseN1) == Features{"fp-armv8", "neon", "lse", "fullfp16", "rdm", "dotprod"});
  CHECK(detected(neoverseV1) == Features{"fp-armv8", "neon", "lse", "fullfp16", "rdm", "dotprod",
                                         "fp16fml", "i8mm", "bf16"});
  CHECK(detected(appleM1) ==
        Features{"fp-armv8", "neon", "lse", "fullfp16", "rdm", "dotprod", "fp16fml"});
  CHECK(detected(withoutNeon) == Features{"fp-armv8", "i8mm"});
}

TEST_CASE("macOS' names say what AArch64 CPUs have") {
  const char *const m1[] = {"hw.optional.floatingpoint",    "hw.optional.AdvSIMD",
                            "hw.optional.arm.FEAT_LSE",     "hw.optional.arm.FEAT_FP16",
                            "hw.optional.arm.FEAT_DotProd", "hw.optional.arm.FEAT_RDM",
                            "hw.optional.arm.FEAT_FHM",     "hw.optional.arm.FEAT_JSCVT"};
  aarch64_system system{nullptr, m1, sizeof m1 / sizeof *m1};
  CHECK(namesOf(aarch64_detect(&system)) ==
        Features{"fp-armv8", "neon", "lse", "fullfp16", "rdm", "dotprod", "fp16fml"});
  aarch64_system silent{nullptr, nullptr, 0};
  CHECK(namesOf(aarch64_detect(&silent)).empty());
}

TEST_CASE("each row of AArch64's table is reported by its own bit, and by its own name") {
  struct Row {
    const char *name;
    unsigned word, bit;
    const char *sysctl;
  };
  const Row rows[] = {
#define KGEN_CPU_FEATURE(name, identifier, baseline, word, bit, sysctl) {name, word, bit, sysctl},
#include "backend/aarch64/runtime/cpu_features.def"
  };
  REQUIRE(std::size(rows) == aarch64_feature_count());
  for (const Row &row : rows) {
    INFO(row.name);
    uint64_t words[] = {0, 0}, others[] = {~uint64_t(0), ~uint64_t(0)};
    words[row.word] = bit(row.bit);
    others[row.word] &= ~bit(row.bit);
    CHECK(detected(words) == Features{row.name});
    CHECK(detected(others).count(row.name) == 0);
    CHECK(detected(others).size() + 1 == std::size(rows));
    aarch64_system system{nullptr, &row.sysctl, 1};
    CHECK(namesOf(aarch64_detect(&system)) == Features{row.name});
  }
}

TEST_CASE("AArch64 gets the first variant whose features it has, or the one asked for") {
  aarch64_system v1{neoverseV1, nullptr, 0}, a72{cortexA72, nullptr, 0},
      old{withoutNeon, nullptr, 0};
  uint64_t needed = maskOf({"dotprod", "i8mm"});
  size_t index = 9;
  CHECK(aarch64_select(&v1, needed, nullptr, &index) == aarch64_chosen);
  CHECK(index == 0);
  CHECK(aarch64_select(&a72, needed, "", &index) == aarch64_chosen);
  CHECK(index == 1);
  CHECK(aarch64_select(&v1, needed, "least", &index) == aarch64_chosen);
  CHECK(index == 1);
  CHECK(aarch64_select(&a72, needed, "best", &index) == aarch64_unsupported_name);
  CHECK(aarch64_select(&a72, needed, "other", &index) == aarch64_unknown_name);
  CHECK(aarch64_select(&old, needed, nullptr, &index) == aarch64_nothing_fits);
}
