// The share of a long table that is tested today. Each day has another one, so that all of the
// table is tested within a few days; the long tests (KGEN_LONG_TESTS in the environment) have all
// of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace kgen::test {

class Share {
public:
  /// One of `parts` cases.
  explicit Share(uint64_t parts)
      : parts(std::getenv("KGEN_LONG_TESTS") ? 1 : parts), day(today()) {}

  /// True if the case is in today's share; `number` is its place in the table or a hash of its
  /// name.
  bool has(uint64_t number) const { return (mixed(number) % parts + day) % parts == 0; }

  bool isAll() const { return parts == 1; }

  /// Returns the setting that repeats today's share.
  std::string str() const {
    return isAll()
               ? "all cases"
               : "one case of " + std::to_string(parts) + ", KGEN_TEST_DAY=" + std::to_string(day);
  }

  const uint64_t parts;
  const uint64_t day; ///< since 1970

private:
  /// Returns another number for each, so that a share has all values of what a table counts
  /// through.
  static uint64_t mixed(uint64_t number) { return number * 0x9E3779B97F4A7C15u >> 32; }

  /// Returns the day in days since 1970; KGEN_TEST_DAY in the environment is another one.
  static uint64_t today() {
    if (const char *given = std::getenv("KGEN_TEST_DAY"))
      return std::strtoull(given, nullptr, 10);
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::hours>(now).count() / 24;
  }
};

} // namespace kgen::test
