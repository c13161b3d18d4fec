// The host's side of the bench dialect: the C functions that kgen-lower-bench calls, and what they
// have found.
#pragma once

#include "measure/Measurement.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

/// Code may call functions() while this exists; there is one at a time.
class BenchHost {
public:
  explicit BenchHost(std::ostream &out); ///< gets a line per failure, print and measurement
  ~BenchHost();
  BenchHost(const BenchHost &) = delete;

  /// Names and addresses, for LoadedCode.
  static std::vector<std::pair<std::string, void *>> functions();

  int64_t checks = 0, failures = 0;

  /// Records the result of a check. `where` is the location of the operation, "file:line:col".
  void expect(bool holds, const char *where, const std::string &complaint);
  void print(const std::string &line);
  size_t start(const char *where, int64_t iterations, int64_t flops);
  bool again(size_t measurement);

private:
  std::ostream &out;
  std::vector<Measurement> measurements;
};

} // namespace kgen
