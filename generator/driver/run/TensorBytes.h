// Tensors as bytes in this process: memory for them, seeded contents, their elements as numbers and
// as text.
#pragma once

#include "support/TensorType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

/// Bytes at a multiple of 64, not initialized to anything in particular but always the same.
class Buffer {
public:
  explicit Buffer(int64_t bytes);
  unsigned char *data();

private:
  size_t alignment;
  std::vector<unsigned char> storage;
};

/// Floats in [low, low + span); integers from -8 to 7, unsigned ones to 15; 0 and 1. The same for
/// the same state on every machine.
void fillRandom(const TensorType &type, uint64_t &state, double low, double span,
                unsigned char *destination);

/// Changes about half of the elements of a tensor of floats by one unit in the last place that
/// `precision` has.
void perturb(const TensorType &type, ElementType precision, uint64_t &state,
             unsigned char *destination);

/// Exact for all types but i64, whose large numbers are rounded.
double elementAt(const TensorType &type, const void *tensor, int64_t index);
int64_t integerAt(const TensorType &type, const void *tensor, int64_t index);

/// An element with as many digits as distinguish it from adjacent values.
std::string elementText(const TensorType &type, const void *tensor, int64_t index);
/// "f32[2, 2] [[1, 2], [3, 4]]" on one line; of more than 256 elements only the first ones.
std::string tensorText(const TensorType &type, const void *tensor);

/// The reverse of TensorType::str(), for text that kgen itself has written.
TensorType parseTensorType(const std::string &text);

} // namespace kgen
