// A function of a body from an integer to another one, of 8 bits, that never decreases as the first
// one grows.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <optional>
#include <vector>

namespace kgen {

/// One scalar operation on a number, with other numbers that are known.
struct ScalarStep {
  enum class Kind {
    toFloat,         ///< of an integer
    add,             ///< + first
    multiply,        ///< * first
    divide,          ///< / first
    multiplyAdd,     ///< * first + second, rounded once
    multiplyByParts, ///< * (first + second), where `second` is what the first one lacks: two fused
                     ///< operations
    maximum,
    minimum, ///< of it and first
    roundEven,
    toInteger ///< of a float, towards zero
  };
  Kind kind;
  bool isInteger; ///< the result is an i32; else it is an f32
  /// One for each channel, or one for all. Empty if there is none.
  std::vector<double> first, second;

  double firstOf(int64_t channel) const { return first[first.size() == 1 ? 0 : channel]; }
  double secondOf(int64_t channel) const { return second[second.size() == 1 ? 0 : channel]; }
  /// Replaces numbers by their results, of one channel.
  void apply(int64_t channel, mlir::MutableArrayRef<double> numbers) const;
};

/// An integer of 8 bits that a body computes from an integer x by one scalar operation after
/// another, with numbers that are known for each channel: the scales, biases and zero points
/// between a sum of products of bytes and the next tensor of bytes.
///
/// No operation makes a larger number smaller, and no integer wraps around: two such functions are
/// equal if they are at each x where one of them grows, and just before.
struct QuantizedInteger {
  /// Returns nothing if `result` is computed in another way, or if x has no bounds that are known.
  static std::optional<QuantizedInteger> match(mlir::linalg::GenericOp op,
                                               mlir::arith::TruncIOp result);

  mlir::Value x;                         ///< an i32 of the body
  double lowest = 0, highest = 0;        ///< of x in all channels, whatever is multiplied
  std::vector<double> lowests, highests; ///< of x in each channel; empty: not known any better
  std::optional<unsigned> loop; ///< whose index is the channel; without it there is one channel
  int64_t channels = 1;
  std::vector<ScalarStep> steps;

  double lowestOf(int64_t channel) const {
    return lowests.empty() ? lowest : std::max(lowest, lowests[channel]);
  }
  double highestOf(int64_t channel) const {
    return highests.empty() ? highest : std::min(highest, highests[channel]);
  }
  /// Replaces numbers, each of them an x, by their results.
  void evaluate(int64_t channel, mlir::MutableArrayRef<double> numbers) const;
  /// True if all numbers are finite, no integer wraps around, and the results are bytes.
  bool isSound() const;
};

} // namespace kgen
