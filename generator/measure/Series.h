// Readings of the same thing, and times as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kgen {

class Series {
public:
  void add(double value) { values.push_back(value); }
  double last() const { return values.back(); }
  size_t size() const { return values.size(); }
  bool empty() const { return values.empty(); }
  /// The q-quantile of the readings, 0 <= q <= 1; there must be a reading.
  double quantile(double q) const;
  double median() const { return quantile(0.5); }

private:
  std::vector<double> values;
};

/// "12.34 us", with four digits.
std::string timeText(double seconds);

} // namespace kgen
