// Instructions that add up products, as a back end describes them.
#pragma once

#include <cstdint>

namespace kgen {

/// Element types of contractions.
enum class Element { i8, i16, i32, i64, f16, bf16, f32, f64 };

/// An instruction that multiplies a block of rows of A by one of columns of B, both of one element
/// type: each of rows x columns sums of 32 bits gets `depth` products. One of 1 x 1 sums has such a
/// block in each lane of a vector, others in as many lanes as there are sums.
struct Product {
  enum class Kind { dot, matrix, tile };
  enum class Signs { any, equal, unequal };

  Element element;
  int64_t rows, columns, depth;
  Signs signs = Signs::any; ///< of the bytes of A and B
  bool inTiles = false;     ///< operands and sums are in tile registers, not in vectors
  /// The entries of a target's `gemm_tiles` for products of blocks: `<family>_<element>`.
  const char *family = "matrix";

  Kind kind() const { return inTiles ? Kind::tile : rows * columns > 1 ? Kind::matrix : Kind::dot; }
};

} // namespace kgen
