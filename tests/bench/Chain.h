// A graph that is a chain of dense layers (MatMul, then perhaps Add of a bias, then perhaps Relu,
// or a product of bytes: MatMulInteger or QLinearMatMul without zero points), or one convolution,
// read from its spec: what the peers and the reference compute, and on which numbers.
#pragma once

#include "support/TensorType.h"

#include <new>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Memory that begins at a cache line, as everybody's tensors here do: what crosses lines costs
/// twice.
template <typename T> struct AtLine {
  using value_type = T;
  AtLine() = default;
  template <typename U> AtLine(const AtLine<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(::operator new(count * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T *memory, size_t) { ::operator delete(memory, std::align_val_t(64)); }
  template <typename U> bool operator==(const AtLine<U> &) const { return true; }
  template <typename U> bool operator!=(const AtLine<U> &) const { return false; }
};
template <typename T> using Aligned = std::vector<T, AtLine<T>>;

/// A tensor with its numbers, as a generated function takes it; without bytes there is none.
struct Tensor {
  kgen::TensorType type;
  Aligned<char> bytes;

  explicit operator bool() const { return !bytes.empty(); }
  /// Its numbers as `T`, which has to be the C type of its elements.
  template <typename T> const T *data() const { return reinterpret_cast<const T *>(bytes.data()); }
  std::vector<double> values() const;
};

/// One dimension of a window that slides over an image with equal padding on both sides.
struct Axis {
  int64_t input = 0, kernel = 0, stride = 1, pad = 0;
  int64_t output() const { return (input + 2 * pad - kernel) / stride + 1; }
};

/// A convolution of one image whose channels come last, with filters [n, channels / group, height,
/// width]: m are the windows, n the filters, and k the elements that one of them multiplies.
struct Windows {
  Axis height, width;
  int64_t channels = 0, group = 1;
};

/// y[b, m, n] = x[b, m, k] * weights[(b,) k, n].
struct Layer {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  Tensor weights; ///< none: given at run time, [batch, k, n]
  Tensor bias;    ///< [n] or none
  bool relu = false;
  /// [n], what the sums are multiplied with before they become bytes, or none. In f32, as
  /// QLinearMatMul computes it.
  Tensor factors;
  std::optional<Windows> windows; ///< of a convolution

  double flops() const;
};

struct Chain {
  std::string name;
  std::vector<Layer> layers;
  kgen::TensorType yType;
  Tensor x, given; ///< seeded inputs: of the first layer, and its weights if they are not constant

  kgen::ElementType element() const { return x.type.element; }
  /// Of the weights, constant or given.
  kgen::ElementType weightElement() const {
    return (given ? given : layers.front().weights).type.element;
  }
  double flops() const;
  size_t weightBytes() const;
  /// The convolution that it is, or null.
  const Windows *windows() const {
    return layers.front().windows ? &*layers.front().windows : nullptr;
  }
};

/// The graphs of a spec; throws std::runtime_error on anything but chains.
std::vector<Chain> readChains(const std::string &specPath);

/// y of the chain in double, and for each element how far arithmetic that sums up in f32, in any
/// order, and rounds each layer's result to its type may be from it.
struct Reference {
  std::vector<double> values, bounds;
};
Reference evaluate(const Chain &chain);

} // namespace bench
