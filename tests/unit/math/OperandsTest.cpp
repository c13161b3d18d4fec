// Functions of several operands, and those of or with integers: math.atan2, fpowi, fma, clampf,
// sincos, ipowi, counts of bits, and questions about numbers.
#include "Compile.h"
#include "Reference.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <random>

namespace kgen::test {
namespace {

template <typename T> const char *nameOf() { return sizeof(T) == 4 ? "f32" : "f64"; }

template <typename T> using Operands = std::vector<std::vector<T>>;
template <typename T> using BitsOf = decltype(bitsOf(T()));

template <typename T, typename From> T cast(From bits) {
  T x;
  static_assert(sizeof x == sizeof bits);
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <typename T> std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all;
  for (T x : {T(0), Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity(),
              Limits::quiet_NaN(), T(1), T(0.5), T(2), T(3), T(0.41421356),
              T(0.5L - Limits::epsilon() / 4), std::nextafter(T(1), T(0)),
              std::nextafter(T(1), T(2)), T(1.5), T(1e18), T(1e-18)})
    all.insert(all.end(), {x, -x});
  return all;
}

/// All combinations of special values, and random ones: by bits, and of similar size.
template <typename T> Operands<T> operandsOf(size_t count, size_t randoms, uint64_t seed = 7) {
  Operands<T> operands(count);
  std::vector<T> special = specials<T>();
  size_t combinations = 1;
  for (size_t k = 0; k < count; ++k)
    combinations *= special.size();
  for (size_t i = 0; i < combinations; ++i)
    for (size_t k = 0, rest = i; k < count; ++k, rest /= special.size())
      operands[k].push_back(special[rest % special.size()]);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> uniform(T(-1), T(1));
  std::uniform_int_distribution<int> exponent(-6, 6);
  for (size_t i = 0; i < randoms; ++i)
    for (std::vector<T> &values : operands)
      values.push_back(i % 2 ? cast<T>(BitsOf<T>(random() >> (64 - 8 * sizeof(T))))
                             : std::ldexp(uniform(random), exponent(random)));
  for (std::vector<T> &values : operands)
    values.resize((values.size() + blockSize - 1) / blockSize * blockSize, T(1));
  return operands;
}

template <typename T> std::vector<T> results(const Kernel &kernel, const Operands<T> &operands) {
  Compiled compiled(kernel);
  CHECK(compiled.undefinedSymbols() == std::vector<std::string>());
  size_t size = operands[0].size(), done = compiled.elementsPerCall();
  std::vector<T> inputs(operands.size() * blockSize), block(blockSize), outputs;
  for (size_t i = 0; i + done <= size; i += done) {
    for (size_t k = 0; k < operands.size(); ++k)
      std::copy_n(operands[k].begin() + i, done, inputs.begin() + k * blockSize);
    compiled(inputs.data(), block.data());
    outputs.insert(outputs.end(), block.begin(), block.begin() + done);
  }
  return outputs;
}

template <typename T> bool sameNumbers(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return bitsOf(a) == bitsOf(b) || (std::isnan(a) && std::isnan(b));
  return a == b;
}

/// The kernel of `body` on every target that runs here, on vectors and scalars: within `ulps` of
/// `exact`, with the same bits on all targets with fused multiply-adds.
template <typename T, typename Exact>
void checkReal(const char *name, const std::string &body, const Operands<T> &operands, Exact exact,
               double ulps) {
  std::map<bool, std::vector<T>> firsts;
  for (const std::string &cpu : runnableTargets())
    for (const char *shape : {sizeof(T) == 4 ? "16" : "8", "", "3"}) {
      std::vector<T> found =
          results<T>({name, nameOf<T>(), shape, cpu, "", operands.size(), body}, operands);
      std::vector<T> &first = firsts[hasFma(cpu)];
      bool isFirst = first.empty();
      if (isFirst)
        first = found;
      double worst = 0;
      size_t at = 0, differences = 0;
      for (size_t i = 0; i < found.size(); ++i) {
        differences += !sameNumbers(found[i], first[i]);
        double error = isFirst ? ulpError(found[i], exact(i)) : 0;
        if (error > worst)
          worst = error, at = i;
      }
      INFO(name << " " << nameOf<T>() << " " << cpu << " of " << operands[0][at] << " and "
                << operands.back()[at] << " (" << operands[operands.size() / 2][at]
                << "): " << found[at] << ", not " << double(exact(at)));
      if (isFirst)
        std::printf("%-6s %s: at most %.3f ulp (%s)\n", name, nameOf<T>(), worst, cpu.c_str());
      CHECK(worst <= ulps);
      CHECK(differences == 0);
    }
}

/// A power of x as the reference of its type.
template <typename T> typename Wider<T>::Type powerOf(T x, int64_t n) {
  return static_cast<typename Wider<T>::Type>(std::pow((long double)(x), (long double)(n)));
}

} // namespace

TEMPLATE_TEST_CASE("atan2 is within 4 ulp", "[math]", float, double) {
  using T = TestType;
  using Wide = typename Wider<T>::Type;
  Operands<T> operands = operandsOf<T>(2, 60000);
  checkReal<T>(
      "atan2", "%y = math.atan2 %x, %x1 : {T}", operands,
      [&](size_t i) { return std::atan2(Wide(operands[0][i]), Wide(operands[1][i])); }, 4);
}

/// The integers are the bits of the second operand; half of the bases are near 1.
TEMPLATE_TEST_CASE("powers of integers are within 4 ulp", "[math]", float, double) {
  using T = TestType;
  using Bits = BitsOf<T>;
  using Signed = std::make_signed_t<Bits>;
  Operands<T> operands = operandsOf<T>(2, 60000);
  std::mt19937_64 random(3);
  std::vector<Signed> exponents;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    Signed n = Signed(random() >> (64 - 8 * sizeof(T)));
    if (i % 3 == 0)
      n = Signed(random() % 81) - 40;
    else if (i % 3 == 1)
      operands[0][i] =
          T(1) + std::ldexp(T(random() % 64) - 32, -int(8 * sizeof(T) * 5 / 8)) * (random() % 2);
    else
      n >>= random() % (8 * sizeof(T));
    if (i < 12)
      n = std::array<Signed, 6>{0,
                                1,
                                -1,
                                2,
                                std::numeric_limits<Signed>::min(),
                                std::numeric_limits<Signed>::max()}[i % 6];
    exponents.push_back(n);
    operands[1][i] = cast<T>(n);
  }
  auto exact = [&](size_t i) { return powerOf(operands[0][i], exponents[i]); };
  std::string own = sizeof(T) == 4 ? "{i32}" : "{i64}";
  std::string read = "%n = arith.bitcast %x1 : {T} to " + own + "\n";
  checkReal<T>("fpowi", read + "%y = math.fpowi %x, %n : {T}, " + own, operands, exact, 4);
  if (sizeof(T) == 4)
    checkReal<T>("fpowi",
                 read + "%l = arith.extsi %n : {i32} to {i64}\n%y = math.fpowi %x, %l : {T}, {i64}",
                 operands, exact, 4);
  auto ofByte = [&](size_t i) { return powerOf(operands[0][i], int8_t(exponents[i])); };
  checkReal<T>("fpowi",
               read + "%l = arith.trunci %n : " + own +
                   " to {i8}\n%y = math.fpowi %x, %l : {T}, {i8}",
               operands, ofByte, 4);
}

/// Without the instruction, in f64, it is not rounded once.
TEMPLATE_TEST_CASE("fused multiply-adds have the digits of one rounding", "[math]", float, double) {
  using T = TestType;
  using Wide = typename Wider<T>::Type;
  Operands<T> operands = operandsOf<T>(3, 60000);
  for (size_t i = 1; i < operands[0].size(); i += 3) // where the sum cancels
    operands[2][i] = -operands[0][i] * operands[1][i];
  std::string body = "%y = math.fma %x, %x1, %x2 : {T}";
  auto exact = [&](size_t i) {
    return Wide(std::fma(operands[0][i], operands[1][i], operands[2][i]));
  };
  checkReal<T>("fma", body, operands, exact, 2);
  for (const std::string &cpu : runnableTargets()) {
    if (sizeof(T) == 8 && !hasFma(cpu))
      continue;
    std::vector<T> found = results<T>({"fma", nameOf<T>(), "8", cpu, "", 3, body}, operands);
    for (size_t i = 0; i < found.size(); ++i)
      REQUIRE(sameNumbers(found[i], std::fma(operands[0][i], operands[1][i], operands[2][i])));
  }
}

TEMPLATE_TEST_CASE("clamps keep NaN, and both results of sincos are right", "[math]", float,
                   double) {
  using T = TestType;
  using Wide = typename Wider<T>::Type;
  Operands<T> operands = operandsOf<T>(3, 4000);
  auto clamped = [&](size_t i) -> Wide {
    T x = operands[0][i], low = operands[1][i], high = operands[2][i];
    T above = std::isnan(x) || std::isnan(low) ? NAN
              : x == low                       ? (std::signbit(x) ? low : x)
                                               : std::fmax(x, low);
    if (std::isnan(above) || std::isnan(high))
      return NAN;
    return above == high ? (std::signbit(above) ? above : high) : std::fmin(above, high);
  };
  checkReal<T>("clampf", "%y = math.clampf %x to [%x1, %x2] : {T}", operands, clamped, 0);
  Operands<T> angles = operandsOf<T>(1, 20000);
  checkReal<T>(
      "sin", "%y, %c = math.sincos %x : {T}", angles,
      [&](size_t i) { return std::sin(Wide(angles[0][i])); }, 4);
  checkReal<T>(
      "cos", "%s, %y = math.sincos %x : {T}", angles,
      [&](size_t i) { return std::cos(Wide(angles[0][i])); }, 4);
}

TEMPLATE_TEST_CASE("questions about numbers", "[math]", float, double) {
  using T = TestType;
  Operands<T> operands = operandsOf<T>(1, 20000);
  const std::pair<const char *, bool (*)(T)> questions[] = {
      {"isnan", [](T x) { return std::isnan(x); }},
      {"isinf", [](T x) { return std::isinf(x); }},
      {"isfinite", [](T x) { return std::isfinite(x); }},
      {"isnormal", [](T x) { return std::isnormal(x); }}};
  for (auto [name, isTrue] : questions) {
    std::string body =
        std::string("%q = math.") + name + " %x : {T}\n%y = arith.uitofp %q : {i1} to {T}";
    auto exact = [&, isTrue = isTrue](size_t i) ->
        typename Wider<T>::Type { return isTrue(operands[0][i]) ? 1 : 0; };
    checkReal<T>(name, body, operands, exact, 0);
  }
}

namespace {

template <typename T> T powerOfIntegers(T x, T n) {
  using U = std::make_unsigned_t<T>;
  if (n < 0)
    return x == 1 ? 1 : x == -1 ? (n % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = uint64_t(x);
  for (uint64_t left = uint64_t(n); left != 0; left >>= 1, square *= square)
    if (left & 1)
      result *= square;
  return T(U(result));
}

/// The number of bits from the highest (the lowest) on that are 0, or of all that are 1.
template <typename T> int leadingZeros(T x) {
  int count = 0;
  for (int bit = 8 * sizeof(T) - 1; bit >= 0 && !(x >> bit & 1); --bit)
    ++count;
  return count;
}
template <typename T> int trailingZeros(T x) {
  int count = 0;
  while (count < int(8 * sizeof(T)) && !(x >> count & 1))
    ++count;
  return count;
}
template <typename T> int ones(T x) {
  int count = 0;
  for (size_t bit = 0; bit < 8 * sizeof(T); ++bit)
    count += x >> bit & 1;
  return count;
}

template <typename T, typename Exact>
void checkInteger(const std::string &operation, size_t count, Exact exact) {
  Operands<T> operands(count);
  std::mt19937_64 random(11);
  using Limits = std::numeric_limits<T>;
  const std::vector<T> special = {0,
                                  1,
                                  -1,
                                  2,
                                  -2,
                                  3,
                                  -3,
                                  7,
                                  8,
                                  T(100),
                                  Limits::min(),
                                  Limits::max(),
                                  T(Limits::min() + 1),
                                  T(Limits::max() - 1),
                                  T(8 * sizeof(T) - 1)};
  for (size_t i = 0; i < 2 * blockSize; ++i)
    for (size_t k = 0, rest = i; k < count; ++k, rest /= special.size())
      operands[k].push_back(i < 225 ? special[rest % special.size()]
                                    : T(random() >> random() % 64));
  std::string element = "i" + std::to_string(8 * sizeof(T));
  std::string body = "%y = math." + operation + (count == 1 ? " %x : {T}" : " %x, %x1 : {T}");
  for (const std::string &cpu : runnableTargets())
    for (const char *shape : {"16", "", "3"}) {
      INFO(operation << " " << element << " " << shape << " " << cpu);
      std::vector<T> found =
          results<T>({operation, element, shape, cpu, "", count, body}, operands);
      for (size_t i = 0; i < found.size(); ++i) {
        INFO(int64_t(operands[0][i]) << " and " << int64_t(operands.back()[i]));
        REQUIRE(found[i] == exact(operands[0][i], operands.back()[i]));
      }
    }
}

} // namespace

TEMPLATE_TEST_CASE("functions of integers are exact", "[math]", int8_t, int16_t, int32_t, int64_t) {
  using T = TestType;
  using U = std::make_unsigned_t<T>;
  checkInteger<T>("ipowi", 2, [](T x, T n) { return powerOfIntegers(x, n); });
  checkInteger<T>("ctlz", 1, [](T x, T) { return T(leadingZeros(U(x))); });
  checkInteger<T>("cttz", 1, [](T x, T) { return T(trailingZeros(U(x))); });
  checkInteger<T>("ctpop", 1, [](T x, T) { return T(ones(U(x))); });
  checkInteger<T>("absi", 1, [](T x, T) { return T(x < 0 ? U(0) - U(x) : U(x)); });
}

} // namespace kgen::test
