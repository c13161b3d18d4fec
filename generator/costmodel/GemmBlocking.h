// Register tiles and cache blocks of contractions. Sizes are in elements.
#pragma once

#include "costmodel/Element.h"

#include <optional>
#include <string>

namespace kgen {

/// Block sizes of a contraction. C is computed in register tiles of at most `mr` rows by `nr`
/// columns.
struct GemmBlocking {
  int64_t mr = 1; ///< rows of the register tile at full width
  int64_t nr = 1; ///< columns of the register tile, at most `panel`
  /// Vector registers for C: mr * nr / lanes. Tiles of fewer columns may use more rows.
  int64_t accumulators = 1;
  int64_t mc = 1;         ///< rows of a block of A, which is used for each panel of B in turn
  int64_t kc = 1;         ///< depth of a block; C is read and written once for each
  int64_t panel = 1;      ///< columns of a packed panel of B; the same for every target of a type
  int64_t rowGrain = 1;   ///< rows of the product in one instruction (target/Product.h)
  bool usesTiles = false; ///< the register tile is one of tile registers
  bool isGiven = false;   ///< somebody else chose the register tile
};

/// An m x n x k contraction of types `a` and `b`.
struct GemmShape {
  Element a, b;
  int64_t m = 1, n = 1, k = 1;
  bool isPacked = false;      ///< B is packed into panels, not read in place
  bool mayUseTiles = false;   ///< products may be in tile registers, which need packed B
  bool f16Accumulate = false; ///< sums are in f16
  int64_t depth = 1;          ///< values of k that are adjacent in packed B
};

/// The part of a contraction's blocking that the numbers of its rows, columns and products do not
/// change.
struct GemmTile {
  enum class Products {
    lanes,  ///< each sum in a lane of its own
    matrix, ///< blocks of sums in vector registers
    tiles   ///< in tile registers
  };
  Products products = Products::lanes;
  std::string table;    ///< the key of `gemm_tiles`
  int64_t rows = 1;     ///< of the register tile
  int64_t columns = 1;  ///< of the register tile, where a panel has as many
  int64_t rowGrain = 1; ///< rows of the product in one instruction
};

/// The register tile of a contraction; reads no sizes of `shape`. The measured ones come from the
/// entry of `gemm_tiles` for B's type: `gemm_<b>`; `<family>_<b>` for products of blocks
/// (target/Product.h), in tile registers or of B in groups; `gemm_f16` for sums in f16.
GemmTile gemmTile(const Cpu &cpu, const GemmShape &shape);

/// Block sizes by the numbers of rows, columns and products, for the register tile of gemmTile, or
/// for `tile`.
GemmBlocking gemmBlocking(const Cpu &cpu, const GemmShape &shape);
GemmBlocking gemmBlocking(const Cpu &cpu, const GemmShape &shape, const GemmTile &tile);

/// Block sizes of a contraction whose B is up-converted once. The first tile of rows follows
/// GemmBlocking and stores the up-converted B for the others.
struct UpconversionBlocking {
  int64_t columns;      ///< of a block of up-converted B: full panels
  int64_t nr;           ///< columns of the register tiles that read it
  int64_t accumulators; ///< vector registers for C in these tiles
  int64_t kc;           ///< depth of the block
  int64_t mc;           ///< rows of A that are multiplied with it

  int64_t bytesOfRow() const { return columns * 4; }
};

/// Maximum bytes of a task's memory for up-converted B, and for the sums of a block of rows.
int64_t maxUpconvertedBytes(const Cpu &cpu);
int64_t maxUpconvertedSumBytes(const Cpu &cpu);

/// True if up-converting panels of `b` (bf16 or f16) once costs fewer cycles than in each register
/// tile, for `rows` rows of depth `k` in tiles of `mr` rows and blocks of depth `kc`.
bool isUpconversionProfitable(const Cpu &cpu, Element b, int64_t rows, int64_t k, int64_t mr,
                              int64_t kc);

/// Block sizes of an m x n x k contraction of f32 with panels of `b`; nothing if it is cheaper to
/// up-convert in each register tile. `inRegisters` are the sizes for the latter. With
/// `hasSeparateSums`, C has another type than the sums, which need memory of their own between
/// blocks of k.
std::optional<UpconversionBlocking> upconversionBlocking(const Cpu &cpu,
                                                         const GemmBlocking &inRegisters, Element b,
                                                         int64_t m, int64_t n, int64_t k,
                                                         bool hasSeparateSums);

} // namespace kgen
