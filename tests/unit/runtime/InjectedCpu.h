// A CPU from a file of cpus/, to be asked through the runtime's callbacks.
#pragma once

#include "runtime_access.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kgen::test {

class InjectedCpu {
public:
  /// Lines of the file: "LEAF SUBLEAF  EAX EBX ECX EDX" (hexadecimal), "xcr0 BITS" (without it,
  /// xgetbv is a test failure), "amx granted|denied" (without it, asking is one), "# comment".
  explicit InjectedCpu(const std::string &name);
  InjectedCpu(const InjectedCpu &) = delete;
  InjectedCpu &operator=(const InjectedCpu &) = delete;

  kgenrt_machine machine{};
  std::vector<std::string> misuse; ///< what a real machine would have faulted on
  unsigned amxRequests = 0;
  bool grantsAmx = false;
  kgenrt_cpu detect();
  std::set<std::string> features();

private:
  void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *registers);
  std::map<std::pair<uint32_t, uint32_t>, std::array<uint32_t, 4>> leaves;
  bool hasXcr0 = false, knowsAmx = false;
  uint64_t xcr0 = 0;
};

/// Names of the features that `cpu` has.
std::set<std::string> featureNames(const kgenrt_cpu &cpu);

} // namespace kgen::test
