#include "InjectedCpu.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace kgen::test {

InjectedCpu::InjectedCpu(const std::string &name) {
  std::ifstream stream(std::string(KGEN_TEST_CPUS "/") + name + ".txt");
  REQUIRE(stream);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "xcr0") {
      hasXcr0 = true;
      words >> std::hex >> xcr0;
    } else if (first == "amx") {
      words >> first;
      knowsAmx = true;
      grantsAmx = first == "granted";
    } else if (!first.empty() && first[0] != '#') {
      uint32_t subleaf;
      std::array<uint32_t, 4> r;
      words >> std::hex >> subleaf >> r[0] >> r[1] >> r[2] >> r[3];
      leaves[{static_cast<uint32_t>(std::stoul(first, nullptr, 16)), subleaf}] = r;
    }
    REQUIRE(!words.fail());
  }
  machine.user = this;
  machine.cpuid = [](void *user, uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
    static_cast<InjectedCpu *>(user)->cpuid(leaf, subleaf, r);
  };
  machine.xgetbv = [](void *user) {
    auto *cpu = static_cast<InjectedCpu *>(user);
    if (!cpu->hasXcr0)
      cpu->misuse.push_back("xgetbv without OSXSAVE");
    return cpu->xcr0;
  };
  machine.request_amx = [](void *user) {
    auto *cpu = static_cast<InjectedCpu *>(user);
    ++cpu->amxRequests;
    if (!cpu->knowsAmx)
      cpu->misuse.push_back("asked for AMX");
    return cpu->grantsAmx ? 1 : 0;
  };
}

/// Beyond the highest basic leaf, Intel's CPUs answer with that leaf's values: worst case for a
/// missing check.
void InjectedCpu::cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *registers) {
  uint32_t highest = leaves.at({0, 0})[0];
  if (leaf < 0x80000000u && leaf > highest)
    leaf = highest;
  auto it = leaves.find({leaf, subleaf});
  std::array<uint32_t, 4> values{};
  if (it != leaves.end())
    values = it->second;
  std::copy(values.begin(), values.end(), registers);
}

kgenrt_cpu InjectedCpu::detect() {
  kgenrt_cpu cpu;
  test_detect(&machine, &cpu);
  return cpu;
}
std::set<std::string> InjectedCpu::features() { return featureNames(detect()); }

std::set<std::string> featureNames(const kgenrt_cpu &cpu) {
  std::set<std::string> names;
  for (size_t i = 0; i < test_feature_count(); ++i)
    if ((cpu.present[i / 64] >> (i % 64)) & 1)
      names.insert(test_features()[i].name);
  return names;
}

} // namespace kgen::test
