// The columns of an image that neighbouring windows along a row share.
#pragma once

#include "transforms/analysis/WindowShapeNCHW.h"

#include <mlir/IR/Builders.h>

#include <map>
#include <set>
#include <vector>

namespace kgen {

/// Reads what a piece of a row of results needs of the image, each column once: what the taps of a
/// column read is combined first, as it lies in memory, and every n-th element of such columns is
/// taken where windows move by n.
class WindowColumnReuse : protected WindowShapeNCHW {
protected:
  using Tap = mlir::SmallVector<int64_t>;           ///< its place among the loops
  using Taps = std::map<int64_t, std::vector<Tap>>; ///< by their place along the columns

  WindowColumnReuse(mlir::OpBuilder &builder, WindowShapeNCHW shape);

  /// Continues with the piece of `width` results from column `first` on. Some of its vectors of
  /// columns may be known, by their number.
  void beginPiece(mlir::Value first, int64_t width, std::map<int64_t, mlir::Value> known = {});
  /// The numbers of the vectors of columns that a piece needs.
  std::set<int64_t> vectorsOfColumns() const;
  /// A vector of the image's columns: what their taps read, combined.
  mlir::Value columnsOf(int64_t number);
  /// What the column of taps at `place` reads for each result of the piece, combined.
  mlir::Value columnOfTaps(int64_t place);

  /// Where a piece of `count` results that begins at column `first` begins to read, and ends.
  int64_t beginOf(int64_t first) const {
    return columns.stride * first + columns.offset + taps.begin()->first;
  }
  int64_t endOf(int64_t first, int64_t count) const;
  /// Two unaligned reads are no more than what is read once and shifted.
  bool readsEachColumn() const { return columns.stride == 1 && taps.size() <= 2; }
  static int64_t widthOf(int64_t count) { return static_cast<int64_t>(llvm::PowerOf2Ceil(count)); }
  mlir::Value index(int64_t value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::SmallVector<mlir::Value> at; ///< the current index of each loop around rows
  Taps taps;                         ///< all of them
  Taps active;                       ///< those that are inside along `rows`
  mlir::Value first;                 ///< the piece's first column
  int64_t width = 0;                 ///< the piece's results, or more

private:
  void listTaps();
  mlir::Value neutral(int64_t width);
  mlir::Value readColumns(const Tap &tap, mlir::Value first, int64_t offset, int64_t width);
  mlir::Value column(mlir::Value first, int64_t offset, int64_t width,
                     const std::vector<Tap> &inColumn);
  mlir::Value lanesOf(int64_t part, int64_t phase, int64_t count);

  std::map<int64_t, mlir::Value> combined; ///< vectors of the piece's columns by their number
};

} // namespace kgen
