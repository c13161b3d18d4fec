// Tests of what RISC-V's runtime makes of Linux's answers. Those of CPUs are written by hand from
// the kernel's headers: no such machine was asked.
#include "riscv_access.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

namespace {

using Features = std::set<std::string>;

constexpr uint64_t bit(unsigned number) { return uint64_t(1) << number; }

// HWCAP: a 0, c 2, d 3, f 5, i 8, m 12, v 21; riscv_hwprobe: FD 0, C 1, V 2, Zba 3, Zbb 4, Zbs 5.
constexpr uint64_t rv64gc = bit(0) | bit(2) | bit(3) | bit(5) | bit(8) | bit(12);
constexpr uint64_t rv64gcv = rv64gc | bit(21);
const Features least = {"m", "a", "f", "d", "c"};

Features with(Features names) {
  names.insert(least.begin(), least.end());
  return names;
}

Features detected(riscv_system system) {
  uint64_t present = riscv_detect(&system);
  Features names;
  for (size_t i = 0; i < riscv_feature_count(); ++i)
    if ((present >> i) & 1)
      names.insert(riscv_feature_name(i));
  return names;
}

} // namespace

TEST_CASE("Linux's answers say what RISC-V CPUs have") {
  CHECK(detected({rv64gc, 0, 0, 0, 0}) == least);
  CHECK(detected({rv64gc & ~bit(3), 0, 0, 0, 0}) == Features{"m", "a", "f", "c"});
  CHECK(detected({rv64gcv, 0, 0, 16, 0}) == with({"v"})); // before Linux 6.4
  CHECK(detected({rv64gc, 1, bit(0) | bit(1) | bit(3) | bit(4), 0, 0}) == with({"zba", "zbb"}));
  CHECK(detected({rv64gcv, 1, 0x3f, 32, 0}) == with({"v", "zvl256b", "zba", "zbb", "zbs"}));
}

TEST_CASE("vectors are there if all answers say so") {
  CHECK(detected({rv64gcv, 1, bit(0) | bit(1), 32, 0}) == least); // a draft of the extension
  CHECK(detected({rv64gc, 1, bit(2), 32, 0}) == least);           // switched off for the process
}

TEST_CASE("a RISC-V CPU with shorter or much longer vector registers lacks the feature") {
  CHECK(detected({rv64gcv, 0, 0, 8, 0}) == least);
  CHECK(detected({rv64gcv, 0, 0, 16, 0}) == with({"v"}));
  CHECK(detected({rv64gcv, 0, 0, 31, 0}) == with({"v"}));
  CHECK(detected({rv64gcv, 0, 0, 32, 0}) == with({"v", "zvl256b"}));
  CHECK(detected({rv64gcv, 0, 0, 128, 0}) == with({"v", "zvl256b", "zvl512b"}));
  CHECK(detected({rv64gcv, 0, 0, 256, 0}) == least); // its stack would not suffice
}

TEST_CASE("nobody asks a CPU without vectors for their length") {
  riscv_system system{rv64gc, 0, 0, 16, 0};
  riscv_detect(&system);
  CHECK(system.asked == 0); // it would be an unknown instruction
}

TEST_CASE(
    "a variant for longer vector registers than a CPU has is refused, by choice and by name") {
  riscv_system none{rv64gc, 0, 0, 0, 0}, of128{rv64gcv, 0, 0, 16, 0}, of256{rv64gcv, 0, 0, 32, 0};
  auto chosen = [](riscv_system &system, const char *wanted) {
    return std::string(riscv_select(&system, wanted));
  };
  CHECK(chosen(of256, nullptr) == "longer");
  CHECK(chosen(of128, nullptr) == "shorter");
  CHECK(chosen(none, "") == "least");
  CHECK(chosen(of256, "shorter") == "shorter");
  CHECK(chosen(of128, "longer") == "none");
  CHECK(chosen(none, "shorter") == "none");
}
