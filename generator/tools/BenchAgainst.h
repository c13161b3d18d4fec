// Times of an earlier `kgen bench --json`, which later ones are compared with.
#pragma once

#include "driver/bench/Bench.h"

#include <llvm/Support/Error.h>

#include <optional>

namespace kgen {

class EarlierTimes {
public:
  /// Reads what `kgen bench --json` has written; an error says why a file is none.
  static llvm::Expected<EarlierTimes> read(const std::string &path);

  /// Returns how many times as fast a line is now, by medians; nothing if it was not measured then.
  std::optional<double> ratio(const BenchLine &line) const;

private:
  std::vector<std::pair<std::string, double>> seconds; ///< by what tells a line from others
};

} // namespace kgen
