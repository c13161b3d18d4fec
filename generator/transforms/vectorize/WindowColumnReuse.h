// The image columns that neighbouring windows along a row share.
#pragma once

#include "analysis/WindowShapeNCHW.h"

#include <mlir/IR/Builders.h>

#include <map>
#include <set>
#include <vector>

namespace kgen {

/// Reads each image column that a vector of results needs once. The taps of a column are combined
/// first, as they are in memory; then every n-th of these columns is taken, n being the stride of
/// the windows.
class WindowColumnReuse : protected WindowShapeNCHW {
protected:
  using Tap = mlir::SmallVector<int64_t>;           ///< index of each loop
  using Taps = std::map<int64_t, std::vector<Tap>>; ///< by their offset along the columns

  WindowColumnReuse(mlir::OpBuilder &builder, WindowShapeNCHW shape);

  /// Vectors of columns that are read for each tap: a vector of results needs as many new ones as
  /// windows move by.
  double readsPerTap() const {
    return readsEachColumn() ? 1 : double(columns.stride) / double(taps.size());
  }

  /// Begins the vector of `width` results from column `first` on. `known`: vectors of columns by
  /// number.
  void beginVector(mlir::Value first, int64_t width, std::map<int64_t, mlir::Value> known = {});
  /// Returns the numbers of the column vectors that a vector of results needs.
  std::set<int64_t> vectorsOfColumns() const;
  /// Returns column vector `number`: what the taps of each column read, combined.
  mlir::Value columnVector(int64_t number);
  /// Returns what the column of taps at `offset` reads for each result, combined.
  mlir::Value combineColumnOfTaps(int64_t offset);

  /// The first column that `count` results from column `first` on read, and the end of these
  /// columns.
  int64_t beginOf(int64_t first) const {
    return columns.stride * first + columns.offset + taps.begin()->first;
  }
  int64_t endOf(int64_t first, int64_t count) const;
  /// True if two unaligned reads cost no more than one read and a shift.
  bool readsEachColumn() const { return columns.stride == 1 && taps.size() <= 2; }
  static int64_t widthOf(int64_t count) { return static_cast<int64_t>(llvm::PowerOf2Ceil(count)); }
  mlir::Value index(int64_t value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::SmallVector<mlir::Value> ivs; ///< the current index of each loop around rows
  Taps taps;                          ///< all of them
  Taps active;                        ///< those inside of the image along `rows`
  mlir::Value first;                  ///< column of the vector of results
  int64_t width = 0;                  ///< results, rounded up to a power of two

private:
  void listTaps();
  mlir::Value neutral(int64_t width);
  mlir::Value readColumns(const Tap &tap, mlir::Value first, int64_t offset, int64_t width);
  mlir::Value combineColumn(mlir::Value first, int64_t offset, int64_t width,
                            const std::vector<Tap> &inColumn);
  mlir::Value lanesOf(int64_t vectorIndex, int64_t phase, int64_t count);

  std::map<int64_t, mlir::Value> combined; ///< column vectors by number
};

} // namespace kgen
