// The random inputs of tables: Python's generator, seeded by a text, as tests/oracle/randoms.py
// draws them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kgen::tests {

/// Mersenne Twister (MT19937) in the state of Python's random.Random(seed).
class RandomNumbers {
public:
  explicit RandomNumbers(const std::string &seed);

  /// Returns random(): at least 0, less than 1.
  double real();
  /// Returns randrange(low, high): less than `high`.
  int64_t integer(int64_t low, int64_t high);

private:
  uint32_t word();
  uint64_t bits(unsigned count);
  void refill();

  std::vector<uint32_t> state;
  size_t next;
};

} // namespace kgen::tests
