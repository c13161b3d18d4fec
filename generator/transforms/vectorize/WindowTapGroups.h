// Taps of a window whose products one instruction adds up.
#pragma once

#include "analysis/WindowShape.h"

#include <map>

namespace kgen {

/// Groups of taps: neighbours along the first loop over taps that has several iterations, so that
/// neighbouring pixels share what is read for the others.
///
/// In groups of two, a last row may be left over. Its taps can be paired along the row, from even
/// columns of a tile of pixels on, so that pixels share pairs wherever their windows begin. A tap
/// that the window lacks there is multiplied by 0.
class WindowTapGroups {
public:
  /// Numbers of taps; nothing in place of one that the window lacks.
  using Taps = mlir::SmallVector<std::optional<size_t>>;
  /// A place of the image: that of a tap of a pixel of a tile.
  struct Place {
    int64_t pixelOfTile;
    size_t tap;
  };
  /// A group of one pixel of a tile, and what is read for each of its taps; nothing in place of
  /// what no pixel reads.
  struct Product {
    size_t group;
    int64_t pixelOfTile;
    mlir::SmallVector<std::optional<Place>> places;
  };

  WindowTapGroups() = default;
  /// `most`: taps of a group; `image`: the input that windows slide along; `pairsRow`: the taps of
  /// a last row are paired.
  WindowTapGroups(const WindowShape &shape, int64_t most, unsigned image, bool pairsRow);

  mlir::ArrayRef<Taps> all() const { return groups; }
  /// The first tap of a group.
  size_t firstTap(size_t group) const;
  /// The products of each pixel of a tile, one pixel after the other.
  std::vector<Product> products(int64_t pixels) const;

private:
  Taps pairAt(int64_t column) const;
  std::optional<Place> placeAt(int64_t column, int64_t pixels) const;

  mlir::SmallVector<Taps> groups;
  size_t ofColumns = 0;          ///< the first groups, which all pixels have
  mlir::SmallVector<size_t> row; ///< taps that are paired along the row
  int64_t stride = 1;            ///< of pixels along it
  std::map<Taps, size_t> pairs;  ///< numbers of its groups
};

} // namespace kgen
