// The accuracy of the vector math functions, and that targets with and without fused multiply-adds
// compute the same bits among themselves.
#include "Compile.h"
#include "Reference.h"
#include "lib/Share.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <thread>

namespace kgen::test {
namespace {

template <typename T> const char *elementName() { return sizeof(T) == 4 ? "f32" : "f64"; }

/// In the long tests, everything is tested; else a part that changes by date, from which it
/// follows.
const Share &shareOfToday() {
  static const Share share = [] {
    Share today(2);
    std::printf("%s\n", today.str().c_str());
    return today;
  }();
  return share;
}
bool isLong() { return shareOfToday().isAll(); }
uint64_t seedOfToday() { return shareOfToday().day; }

/// Random inputs of each function and type.
size_t sampleSize() { return isLong() ? 1500000 : 60000; }

/// The widest shape of the newest target.
template <typename T> std::string wideShape() { return sizeof(T) == 4 ? "16" : "8"; }

template <typename T> T fromBits(uint64_t bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// Every power of two with its neighbours, zeros, infinities, NaN, both signs.
template <typename T> void addSpecials(std::vector<T> &inputs) {
  using Limits = std::numeric_limits<T>;
  for (T x : {T(0), Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity(),
              Limits::quiet_NaN()})
    inputs.insert(inputs.end(), {x, -x});
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e) {
    T power = std::ldexp(T(1), e);
    for (T x : {std::nextafter(power, T(0)), power, std::nextafter(power, Limits::infinity())})
      inputs.insert(inputs.end(), {x, -x});
  }
}

/// The 200 values on either side of each landmark.
template <typename T> void addLandmarks(std::vector<T> &inputs, const Function &function) {
  for (double landmark : function.landmarks) {
    auto center = bitsOf(T(landmark));
    for (auto bits = center - 200; bits < center + 200; ++bits)
      inputs.insert(inputs.end(), {fromBits<T>(bits), -fromBits<T>(bits)});
  }
}

/// Random values: a third over all bit patterns, a third over the exponents from 2^-12 to 2^12, a
/// third over the range in which the function is neither saturated nor trivial.
template <typename T>
void addRandom(std::vector<T> &inputs, const Function &function, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  double widest = *std::max_element(function.landmarks.begin(), function.landmarks.end());
  std::uniform_real_distribution<T> uniform(T(-1), T(1));
  std::uniform_int_distribution<int> exponent(-12, 12);
  for (size_t i = 0; i < count / 3; ++i) {
    inputs.push_back(fromBits<T>(random() >> (64 - 8 * sizeof(T))));
    T scaled = std::ldexp(uniform(random), exponent(random));
    inputs.push_back(scaled);
    inputs.push_back(uniform(random) * T(widest));
  }
}

template <typename T>
std::vector<T> inputsFor(const Function &function, size_t count, uint64_t seed = 42) {
  std::vector<T> inputs;
  addSpecials(inputs);
  addLandmarks(inputs, function);
  addRandom(inputs, function, count, seed);
  inputs.resize((inputs.size() + blockSize - 1) / blockSize * blockSize, T(1));
  return inputs;
}

template <typename T>
std::vector<T> results(const Compiled &compiled, const std::vector<T> &inputs) {
  std::vector<T> outputs(inputs.size());
  for (size_t i = 0; i < inputs.size(); i += blockSize)
    compiled(inputs.data() + i, outputs.data() + i);
  return outputs;
}

struct Worst {
  double ulp = 0;
  double at = 0;

  void see(double error, double input) {
    if (error > ulp)
      ulp = error, at = input;
  }
};

template <typename T>
Worst worstOf(const Function &function, const std::vector<T> &in, const std::vector<T> &out) {
  Worst worst;
  for (size_t i = 0; i < in.size(); ++i)
    worst.see(ulpError(out[i], function.reference(in[i])), in[i]);
  return worst;
}

template <typename T> void report(const Function &function, const Worst &worst, const char *how) {
  std::printf("%-5s %s: at most %.3f ulp, at %a (%s)\n", function.name, elementName<T>(), worst.ulp,
              worst.at, how);
}

/// True for the same bits, or any two NaN: a compiler may swap the factors of a product, and so
/// choose whose sign a NaN has.
template <typename T> bool same(T a, T b) {
  return bitsOf(a) == bitsOf(b) || (std::isnan(a) && std::isnan(b));
}

/// The number of the first input for which the two results differ, or the size.
template <typename T> size_t firstDifference(const std::vector<T> &a, const std::vector<T> &b) {
  size_t i = 0;
  while (i < a.size() && same(a[i], b[i]))
    ++i;
  return i;
}

} // namespace

TEMPLATE_TEST_CASE("functions are within 4 ulp, with the same bits on similar targets", "[math]",
                   float, double) {
  using T = TestType;
  const Function function = GENERATE(from_range(functionsOf<TestType>()));
  INFO(function.name << " " << elementName<T>());
  std::vector<T> inputs = inputsFor<T>(function, sampleSize(), seedOfToday());
  std::map<bool, std::vector<T>> firsts; // by whether there are fused multiply-adds
  for (const std::string &cpu : runnableTargets()) {
    INFO(cpu);
    Compiled compiled({function.operation, elementName<T>(), wideShape<T>(), cpu});
    std::vector<T> outputs = results(compiled, inputs);
    std::vector<T> &first = firsts[hasFma(cpu)];
    if (first.empty()) {
      first = outputs;
      Worst worst = worstOf(function, inputs, outputs);
      report<T>(function, worst, hasFma(cpu) ? "sampled, fused" : "sampled");
      INFO("at " << worst.at);
      CHECK(worst.ulp <= function.allowedUlp);
      continue;
    }
    size_t difference = firstDifference(first, outputs);
    INFO("input " << (difference < inputs.size() ? inputs[difference] : T(0)));
    CHECK(difference == inputs.size());
  }
  REQUIRE(!firsts.empty());
}

/// Every day a shape of each function, and six days later all have been.
TEMPLATE_TEST_CASE("every shape gives the same bits", "[math]", float, double) {
  using T = TestType;
  static const char *const shapes[] = {"", "1", "3", "8", "2x3x4", "64"};
  const std::vector<Function> all = functionsOf<TestType>();
  size_t number = GENERATE_COPY(range(size_t(0), all.size()));
  const Function &function = all[number];
  std::vector<T> inputs = inputsFor<T>(function, 3000);
  for (const std::string &cpu : runnableTargets()) {
    Compiled wide({function.operation, elementName<T>(), wideShape<T>(), cpu});
    std::vector<T> expected = results(wide, inputs);
    for (size_t k = 0; k < std::size(shapes); ++k) {
      if (!isLong() && k != (seedOfToday() + number) % std::size(shapes))
        continue;
      INFO(function.name << " " << elementName<T>() << " shape " << shapes[k] << " " << cpu);
      Compiled shaped({function.operation, elementName<T>(), shapes[k], cpu});
      std::vector<T> outputs = results(shaped, inputs);
      for (size_t i = 0; i < inputs.size(); ++i)
        if (i % blockSize < shaped.elementsPerCall() && !same(outputs[i], expected[i]))
          FAIL("input " << inputs[i]);
    }
  }
}

/// Scalars or vectors of one target a day.
TEMPLATE_TEST_CASE("objects need no library", "[math]", float, double) {
  const std::vector<Function> all = functionsOf<TestType>();
  size_t number = GENERATE_COPY(range(size_t(0), all.size()));
  static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  for (size_t k = 0; k < 2 * std::size(cpus); ++k) {
    if (!isLong() && k != (seedOfToday() + number) % (2 * std::size(cpus)))
      continue;
    std::string shape = k % 2 == 0 ? "" : "16", cpu = cpus[k / 2];
    INFO(all[number].name << " shape " << shape << " " << cpu);
    Compiled compiled({all[number].operation, elementName<TestType>(), shape, cpu});
    CHECK(compiled.undefinedSymbols() == std::vector<std::string>());
  }
}

TEMPLATE_TEST_CASE("erf ends at 1", "[math]", float, double) {
  using T = TestType;
  std::vector<T> inputs(blockSize, std::numeric_limits<T>::infinity());
  inputs[0] = 7, inputs[1] = 1000;
  for (const std::string &cpu : runnableTargets()) {
    INFO(cpu);
    Compiled compiled({"math.erf", elementName<T>(), wideShape<T>(), cpu});
    for (T y : results(compiled, inputs))
      REQUIRE(y == 1);
    for (T &x : inputs)
      x = -x;
    for (T y : results(compiled, inputs))
      REQUIRE(y == -1);
    for (T &x : inputs)
      x = -x;
  }
}

/// Of what is not positive, and 0 below the bound.
template <typename T>
void checkPowerOrZero(const Function &power, const std::string &operation, double least) {
  std::vector<T> inputs = inputsFor<T>(power, sampleSize(), seedOfToday()), above;
  for (T &x : inputs)
    x = -std::fabs(x);
  Compiled compiled({operation + " <" + std::to_string(least) + ">", elementName<T>(),
                     wideShape<T>(), runnableTargets().back()});
  std::vector<T> outputs = results(compiled, inputs), powers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] < T(least)) {
      REQUIRE(bitsOf(outputs[i]) == 0);
      continue;
    }
    REQUIRE(std::isnan(outputs[i]) == std::isnan(inputs[i]));
    above.push_back(inputs[i]);
    powers.push_back(outputs[i]);
  }
  Worst worst = worstOf(power, above, powers);
  report<T>(power, worst, "or zero, sampled");
  CHECK(worst.ulp <= power.allowedUlp);
}

TEMPLATE_TEST_CASE("exp or zero is within 4 ulp", "[math]", float, double) {
  const bool isWide = sizeof(TestType) == 8;
  checkPowerOrZero<TestType>(functions()[0], "kgen.exp_or_zero", isWide ? -708.39 : -87.33);
}

TEMPLATE_TEST_CASE("exp2 or zero is within 4 ulp", "[math]", float, double) {
  const bool isWide = sizeof(TestType) == 8;
  const Function exp2 = {"exp2", "kgen.exp2_or_zero", std::exp2, std::exp2, {-1022, -126, -0.5}};
  checkPowerOrZero<TestType>(exp2, "kgen.exp2_or_zero", isWide ? -1022 : -126);
}

TEMPLATE_TEST_CASE("exp - 1 of what is not positive is within 4 ulp", "[math]", float, double) {
  using T = TestType;
  const Function function = {"expm1", "math.expm1", std::expm1, std::expm1, {-40, -17.3, -0.35}};
  std::vector<T> inputs = inputsFor<T>(function, sampleSize(), seedOfToday());
  for (T &x : inputs)
    x = -std::fabs(x);
  for (const std::string &cpu : runnableTargets()) {
    INFO(cpu);
    Compiled compiled(
        {function.operation, elementName<T>(), wideShape<T>(), cpu, "{kgen.non_positive}"});
    Worst worst = worstOf(function, inputs, results(compiled, inputs));
    report<T>(function, worst, "of what is not positive, sampled");
    CHECK(worst.ulp <= function.allowedUlp);
  }
}

namespace {

/// bf16 or f16.
struct Narrow {
  const char *name;
  int digits, leastExponent; ///< of normal numbers
  double largest;

  double ulpAt(double y) const {
    int exponent = y == 0 ? leastExponent : std::max(std::ilogb(y), leastExponent);
    return std::ldexp(1.0, exponent - digits + 1);
  }
  /// Of the result, once it is rounded, in units of the last place.
  double error(float result, double exact) const {
    if (std::isnan(exact) || std::isnan(result))
      return std::isnan(exact) && std::isnan(result) ? 0 : HUGE_VAL;
    if (std::signbit(result) != std::signbit(exact))
      return HUGE_VAL;
    if (std::fabs(exact) > largest)
      return std::fabs(result) > largest * (1 - 0x1p-15) ? 0 : HUGE_VAL;
    double ulp = ulpAt(exact);
    return std::fabs(std::nearbyint(result / ulp) - exact / ulp);
  }
};

std::vector<float> allNumbersOf(const Narrow &type) {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    double half = exponent == 31  ? (fraction ? NAN : HUGE_VAL)
                  : exponent == 0 ? std::ldexp(fraction, -24)
                                  : std::ldexp(1024 + fraction, int(exponent) - 25);
    bool isHalf = type.digits == 11;
    all.push_back(isHalf ? float(bits >> 15 ? -half : half) : fromBits<float>(bits << 16));
  }
  return all;
}

} // namespace

/// Of NaNs of bf16, roundings to bf16 make NaNs without a test: see kgen.canonical_nans.
TEST_CASE("functions of a NaN of bf16 have one of few digits", "[math]") {
  const Function function = GENERATE(from_range(functions()));
  std::string mark = GENERATE("", "{kgen.result_precision = 8}");
  std::vector<float> inputs(blockSize, 1);
  for (uint32_t digits = 1; digits < 0x80; ++digits)
    for (uint32_t sign : {0U, 1U})
      inputs[2 * digits + sign] = fromBits<float>(sign << 31 | 0x7f800000 | digits << 16);
  for (const std::string &cpu : runnableTargets()) {
    INFO(function.name << " " << mark << " " << cpu);
    Compiled compiled({function.operation, "f32", wideShape<float>(), cpu, mark});
    std::vector<float> outputs = results(compiled, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (std::isnan(inputs[i]))
        REQUIRE(std::isnan(fromBits<float>(bitsOf(outputs[i]) + 0x8000)));
  }
}

/// Those with formulas of few digits.
TEST_CASE("functions whose results are rounded to 16 bits, of all numbers", "[math]") {
  constexpr double largestBf16 = 0x1.fep127, largestF16 = 65504;
  const Narrow type =
      GENERATE_COPY(Narrow{"bf16", 8, -126, largestBf16}, Narrow{"f16", 11, -14, largestF16});
  const Function function = GENERATE(from_range(functions()));
  INFO(function.name << " " << type.name);
  std::vector<float> inputs = allNumbersOf(type);
  for (const std::string &cpu : runnableTargets()) {
    if (!hasFma(cpu))
      continue;
    INFO(cpu);
    Compiled compiled({function.operation, "f32", wideShape<float>(), cpu,
                       "{kgen.result_precision = " + std::to_string(type.digits) + "}"});
    std::vector<float> outputs = results(compiled, inputs);
    Worst worst;
    for (size_t i = 0; i < outputs.size(); ++i)
      worst.see(type.error(outputs[i], function.reference(inputs[i])), inputs[i]);
    std::printf("%-5s %s: at most %.4f ulp, at %a (all, rounded, %s)\n", function.name, type.name,
                worst.ulp, worst.at, cpu.c_str());
    INFO("at " << worst.at);
    CHECK(worst.ulp <= (type.digits == 8 ? 0.55 : 0.53));
  }
}

TEST_CASE("sixty million inputs of f64", "[.full]") {
  const Function function = GENERATE(from_range(functionsOf<double>()));
  Compiled compiled({function.operation, "f64", wideShape<double>(), runnableTargets().back()});
  Worst worst;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::vector<double> inputs = inputsFor<double>(function, 1500000, seed);
    Worst found = worstOf(function, inputs, results(compiled, inputs));
    worst.see(found.ulp, found.at);
  }
  report<double>(function, worst, "sixty million");
  INFO(function.name << " at " << worst.at);
  CHECK(worst.ulp <= function.allowedUlp);
}

/// Every float there is; half of them on each of two threads.
TEST_CASE("all inputs of f32", "[.full]") {
  const Function &function = GENERATE(from_range(functions()));
  auto start = std::chrono::steady_clock::now();
  bool fused = GENERATE(false, true);
  std::vector<std::unique_ptr<Compiled>> compiled;
  for (const std::string &cpu : runnableTargets())
    if (hasFma(cpu) == fused)
      compiled.push_back(
          std::make_unique<Compiled>(Kernel{function.operation, "f32", wideShape<float>(), cpu}));
  if (compiled.empty())
    return;
  Worst worst[2];
  size_t differences[2] = {0, 0};
  auto work = [&](int half) {
    std::vector<float> inputs(blockSize), first(blockSize);
    uint64_t begin = uint64_t(half) << 31, end = begin + (uint64_t(1) << 31);
    for (uint64_t bits = begin; bits < end; bits += blockSize) {
      for (size_t i = 0; i < blockSize; ++i)
        inputs[i] = fromBits<float>(bits + i);
      first = results(*compiled[0], inputs);
      for (size_t k = 1; k < compiled.size(); ++k)
        differences[half] += firstDifference(first, results(*compiled[k], inputs)) != blockSize;
      for (size_t i = 0; i < blockSize; ++i)
        worst[half].see(ulpError(first[i], function.reference(inputs[i])), inputs[i]);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  worst[0].see(worst[1].ulp, worst[1].at);
  report<float>(function, worst[0], fused ? "all inputs, fused" : "all inputs");
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("      %.0f s\n", seconds.count());
  INFO(function.name << " at " << worst[0].at);
  CHECK(worst[0].ulp <= function.allowedUlp);
  CHECK(differences[0] + differences[1] == 0);
}

} // namespace kgen::test
