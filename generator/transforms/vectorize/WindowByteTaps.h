// Sums of products of bytes over windows of NHWC images: several taps of a window in one
// instruction.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "transforms/vectorize/WindowFilterTable.h"
#include "transforms/vectorize/WindowTapGroups.h"
#include "transforms/vectorize/WindowTapReuse.h"

namespace kgen {

/// Computes the windows of neighbouring pixels with products of bytes. Other windows are those of
/// WindowTapReuse.
///
/// A vector of a group has the elements of its taps beside each other, for each channel. Taps that
/// the window lacks are 0, those outside of the image what it is padded with. Dot products of bytes
/// multiply unsigned by signed ones: of two unsigned or two signed factors, the image's elements
/// have their highest bit flipped, and accumulators start from what that adds.
class WindowByteTaps : protected WindowTapReuse {
protected:
  WindowByteTaps(mlir::OpBuilder &builder, WindowShape shape, TargetAttr target);

  /// Makes at build time what can be of the filters. To be called before the loops, which compute
  /// `width` channels at once: a vector, or a block.
  void beginFilters(int64_t width, bool ofBlocks);
  /// Filters that are kept in registers, for `width` channels.
  Weights keptFilters(int64_t width);
  /// Lets sums start from what `consumer` adds to them, as far as it is the same for all pixels.
  void startFromTerms(mlir::linalg::GenericOp consumer);
  /// Returns the vector in place of an addition of such a term; null for other operations.
  mlir::Value withoutTerm(mlir::Operation &inner,
                          llvm::function_ref<mlir::Value(mlir::Value)> wide) const;
  mlir::SmallVector<mlir::Value> initialSums(const PixelTile &tile);
  /// The most pixels whose sums are begun and not complete at the same time; row by row, in the
  /// same row.
  int64_t pixelsInFlight(const PixelTile &tile);
  /// Adds the active taps to the sums of all pixels, and calls `finish` with each pixel whose sum
  /// is complete, so that registers hold few sums at a time.
  void addProducts(PixelTile &tile, mlir::SmallVectorImpl<mlir::Value> &accumulators,
                   llvm::function_ref<void(int64_t)> finish);

  /// A group of one pixel of a tile, ordered by what it reads: a vector of the image is used by all
  /// of its pixels, one after the other, and then no more.
  struct AddedGroup : WindowTapGroups::Product {
    std::vector<int64_t> element; ///< from the last index on, or the first one
  };
  /// `rowByRow`: all columns of a row come before the next row.
  std::vector<AddedGroup> addedGroups(const PixelTile &tile, bool rowByRow);
  /// Their numbers for each pixel.
  static mlir::SmallVector<size_t> countOfPixels(mlir::ArrayRef<AddedGroup> steps, int64_t pixels);
  /// Places that a group of a pixel reads for its taps, nothing for those outside of the image and
  /// those that nothing reads, and the name of what is read.
  struct GroupReads {
    std::vector<int64_t> key;
    mlir::SmallVector<std::optional<mlir::SmallVector<int64_t>>> taps;
    bool isOutside() const;
  };
  GroupReads readsOf(const PixelTile &tile, const AddedGroup &step);
  mlir::Value flipped(mlir::Value bytes);
  mlir::Value dot(mlir::Value ofImage, mlir::Value ofFilter, mlir::Value sum);
  mlir::Value constant(int64_t lanes, int64_t byte);
  mlir::Value shuffle(mlir::Value a, mlir::Value b2, mlir::ArrayRef<int64_t> lanes);

  /// An addition of the consumer to a sum, and the tensor that it adds an element of.
  struct Term {
    mlir::arith::AddIOp addition;
    mlir::Value sum, tensor;
    mlir::AffineMap map;
  };
  mlir::SmallVector<Term> terms;
  std::optional<ByteProduct> product;
  WindowTapGroups groups;
  std::optional<WindowFilterTable> filterTable, blockTable; ///< for vectors of channels; for blocks
  bool hasDotProducts = false, flipsImage = false;
  /// Registers hold the filters of one row of taps only, and sums wait in memory for the next one.
  bool addsRowByRow = false;
  int64_t padding = 0; ///< the byte that stands outside of the image

private:
  int64_t tapsOfGroup() const { return hasDotProducts ? 4 : 2; }
  mlir::Value groupOfImage(PixelTile &tile, const AddedGroup &step);
  mlir::Value groupOfFilter(size_t group, int64_t width);
  mlir::Value interleaved(mlir::ArrayRef<mlir::Value> parts, const ByteProduct::Factor &factor,
                          int64_t width);
  mlir::Value fours(mlir::ArrayRef<mlir::Value> parts, int64_t width);
  mlir::Value pairs(mlir::Value first, mlir::Value second, bool isUnsigned, int64_t width);
  mlir::Value extended(mlir::Value bytes, bool isUnsigned, mlir::Type element);
  mlir::Value outside(int64_t width);
  mlir::Value resized(mlir::Value vector, int64_t width);
};

} // namespace kgen
