#include "driver/run/BenchHost.h"

#include "driver/run/TensorBytes.h"
#include "measure/Measurement.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace kgen {
namespace {

BenchHost *current = nullptr; // C functions have no other way to know

/// "[1, 2]" of the element at `index`.
std::string indicesText(const TensorType &type, int64_t index) {
  std::string text;
  for (size_t dim = type.shape.size(); dim-- > 0; index /= type.shape[dim])
    text = std::to_string(index % type.shape[dim]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

/// Number of elements that do not hold, and the first of them.
struct Wrong {
  int64_t count = 0, first = 0;
  Wrong(const TensorType &type, const std::function<bool(int64_t)> &holds) {
    for (int64_t i = 0; i < type.elementCount(); ++i)
      if (!holds(i) && ++count == 1)
        first = i;
  }
  std::string str(const TensorType &type, const char *what) const {
    return fmt::format("{} of {} elements of {} {}; the first at {}", count, type.elementCount(),
                       type.str(), what, indicesText(type, first));
  }
};

bool isClose(double x, double y, double absolute, double relative) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y))
    return x == y;
  return std::fabs(x - y) <= absolute + relative * std::fabs(y);
}

void expectTrue(const char *where, const char *message, int64_t holds) {
  current->expect(holds, where, message);
}

void expectClose(const char *where, const char *typeText, const void *actual, const void *expected,
                 double absolute, double relative) {
  TensorType type = parseTensorType(typeText);
  Wrong wrong(type, [&](int64_t i) {
    if (!isFloat(type.element))
      return integerAt(type, actual, i) == integerAt(type, expected, i);
    return isClose(elementAt(type, actual, i), elementAt(type, expected, i), absolute, relative);
  });
  current->expect(!wrong.count, where,
                  !wrong.count ? ""
                               : fmt::format("{}: {}, expected {}", wrong.str(type, "differ"),
                                             elementText(type, actual, wrong.first),
                                             elementText(type, expected, wrong.first)));
}

void expectFinite(const char *where, const char *typeText, const void *values) {
  TensorType type = parseTensorType(typeText);
  Wrong wrong(type, [&](int64_t i) { return std::isfinite(elementAt(type, values, i)); });
  current->expect(!wrong.count, where,
                  !wrong.count ? ""
                               : wrong.str(type, "are not finite") + ": " +
                                     elementText(type, values, wrong.first));
}

void print(const char *typeText, const void *values) {
  current->print(tensorText(parseTensorType(typeText), values));
}

void touch(const void *) {}

int64_t start(const char *where, int64_t iterations, int64_t flops) {
  return static_cast<int64_t>(current->start(where, iterations, flops));
}

int64_t again(int64_t measurement) { return current->again(static_cast<size_t>(measurement)); }

template <typename Function>
std::pair<std::string, void *> entry(const char *name, Function *function) {
  return {std::string("kgen_bench_") + name, reinterpret_cast<void *>(function)};
}

} // namespace

BenchHost::BenchHost(std::ostream &out) : out(out) { current = this; }
BenchHost::~BenchHost() { current = nullptr; }

std::vector<std::pair<std::string, void *>> BenchHost::functions() {
  return {entry("expect_true", expectTrue),
          entry("expect_close", expectClose),
          entry("expect_finite", expectFinite),
          entry("print", kgen::print),
          entry("touch", touch),
          entry("start", kgen::start),
          entry("again", kgen::again)};
}

void BenchHost::expect(bool holds, const char *where, const std::string &complaint) {
  ++checks;
  if (holds)
    return;
  ++failures;
  out << where << ": check failed: " << complaint << "\n";
}

void BenchHost::print(const std::string &line) { out << line << "\n"; }

size_t BenchHost::start(const char *where, int64_t iterations, int64_t flops) {
  measurements.emplace_back(where, iterations, flops);
  return measurements.size() - 1;
}

bool BenchHost::again(size_t measurement) {
  if (measurements[measurement].again())
    return true;
  out << measurements[measurement].str() << "\n";
  return false;
}

} // namespace kgen
