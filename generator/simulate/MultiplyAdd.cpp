// See MultiplyAdd.h. Compiled without contraction: a product is rounded before it is added.
#include "simulate/MultiplyAdd.h"

#include "support/HalfBits.h"

#include <cstring>
#include <type_traits>

namespace kgen {
namespace {

struct BrainFloat {
  uint16_t bits;
  operator float() const {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
};
struct HalfFloat {
  uint16_t bits;
  operator float() const { return static_cast<float>(doubleOfHalf(f16Format, bits)); }
};

/// Integers wrap: they are computed without a sign.
template <typename T> struct ComputeType { using type = std::make_unsigned_t<T>; };
template <> struct ComputeType<float> { using type = float; };
template <> struct ComputeType<double> { using type = double; };
/// C promotes what is narrower than int, which is signed.
template <> struct ComputeType<int8_t> { using type = uint32_t; };
template <> struct ComputeType<int16_t> { using type = uint32_t; };

template <typename Sum, typename A, typename B>
void multiplyAdd(ProductOperand sum, ProductOperand a, ProductOperand b, int64_t outer,
                 int64_t inner) {
  using Wide = typename ComputeType<Sum>::type;
  auto product = [](const A *x, const B *y) {
    return static_cast<Wide>(static_cast<Wide>(static_cast<Sum>(*x)) *
                             static_cast<Wide>(static_cast<Sum>(*y)));
  };
  for (int64_t i = 0; i < outer; ++i) {
    Sum *s = reinterpret_cast<Sum *>(sum.data) + i * sum.outer;
    const A *x = reinterpret_cast<const A *>(a.data) + i * a.outer;
    const B *y = reinterpret_cast<const B *>(b.data) + i * b.outer;
    if (sum.inner == 1 && a.inner == 0 && b.inner == 1)
      for (int64_t j = 0; j < inner; ++j)
        s[j] = static_cast<Sum>(static_cast<Wide>(s[j]) + product(x, y + j));
    else
      for (int64_t j = 0; j < inner; ++j)
        s[j * sum.inner] = static_cast<Sum>(static_cast<Wide>(s[j * sum.inner]) +
                                            product(x + j * a.inner, y + j * b.inner));
  }
}

struct ProductKind {
  Number sum;
  FactorForm a, b;
  MultiplyAdd function;
};

const ProductKind productKinds[] = {
    {Number::i32, {Number::i32}, {Number::i32}, multiplyAdd<int32_t, int32_t, int32_t>},
    {Number::i32, {Number::i8}, {Number::i8}, multiplyAdd<int32_t, int8_t, int8_t>},
    {Number::i32, {Number::i8, true}, {Number::i8}, multiplyAdd<int32_t, uint8_t, int8_t>},
    {Number::i32, {Number::i8}, {Number::i8, true}, multiplyAdd<int32_t, int8_t, uint8_t>},
    {Number::i32, {Number::i8, true}, {Number::i8, true}, multiplyAdd<int32_t, uint8_t, uint8_t>},
    {Number::i32, {Number::i16}, {Number::i16}, multiplyAdd<int32_t, int16_t, int16_t>},
    {Number::i8, {Number::i8}, {Number::i8}, multiplyAdd<int8_t, int8_t, int8_t>},
    {Number::i16, {Number::i16}, {Number::i16}, multiplyAdd<int16_t, int16_t, int16_t>},
    {Number::i64, {Number::i64}, {Number::i64}, multiplyAdd<int64_t, int64_t, int64_t>},
    {Number::f32, {Number::f32}, {Number::f32}, multiplyAdd<float, float, float>},
    {Number::f32, {Number::bf16}, {Number::bf16}, multiplyAdd<float, BrainFloat, BrainFloat>},
    {Number::f32, {Number::f16}, {Number::f16}, multiplyAdd<float, HalfFloat, HalfFloat>},
    {Number::f64, {Number::f64}, {Number::f64}, multiplyAdd<double, double, double>},
};

} // namespace

MultiplyAdd multiplyAddFor(Number sum, FactorForm a, FactorForm b) {
  for (const ProductKind &kind : productKinds)
    if (kind.sum == sum && kind.a == a && kind.b == b)
      return kind.function;
  return nullptr;
}

} // namespace kgen
