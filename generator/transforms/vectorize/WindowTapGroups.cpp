#include "transforms/vectorize/WindowTapGroups.h"

using namespace mlir;

namespace kgen {
namespace {

/// The first loop over taps that has several iterations.
size_t firstLongLoop(const WindowShape &shape) {
  size_t loop = shape.channel + 1;
  while (loop + 1 < shape.sizes.size() && shape.sizes[loop] == 1)
    ++loop;
  return loop;
}

/// Returns how far the windows of neighbouring pixels are from each other, in taps of a row, if all
/// loops over taps but `along` are one along rows of pixels, whose taps are neighbours.
std::optional<int64_t> strideAlongRow(const WindowShape &shape, unsigned image, size_t along) {
  std::optional<size_t> across;
  for (size_t loop = shape.channel + 1; loop < shape.sizes.size(); ++loop)
    if (loop != along && shape.sizes[loop] > 1) {
      if (across)
        return std::nullopt;
      across = loop;
    }
  if (!across)
    return std::nullopt;
  SmallVector<int64_t> none(shape.sizes.size(), 0), tap(none), pixel(none);
  tap[*across] = 1;
  pixel[shape.pixel] = 1;
  std::optional<int64_t> stride;
  for (auto [from, toTap, toPixel] :
       llvm::zip_equal(shape.elementAt(image, none), shape.elementAt(image, tap),
                       shape.elementAt(image, pixel))) {
    if (toTap == from && toPixel == from)
      continue;
    if (stride || toTap - from != 1 || toPixel <= from)
      return std::nullopt;
    stride = toPixel - from;
  }
  return stride;
}

} // namespace

WindowTapGroups::WindowTapGroups(const WindowShape &shape, int64_t most, unsigned image,
                                 bool pairsRow) {
  const size_t along = firstLongLoop(shape);
  std::map<std::vector<int64_t>, SmallVector<size_t>> columns; // by indices of the other loops
  for (auto [number, tap] : llvm::enumerate(shape.taps)) {
    std::vector<int64_t> others(tap.begin(), tap.end());
    others[along] = 0;
    columns[others].push_back(number);
  }
  std::optional<int64_t> alongRow;
  if (pairsRow && most == 2 && shape.sizes[along] % 2 != 0)
    alongRow = strideAlongRow(shape, image, along);
  for (const auto &[others, taps] : columns) {
    ArrayRef<size_t> left = taps;
    if (alongRow) {
      row.push_back(left.back());
      left = left.drop_back();
    }
    for (; !left.empty(); left = left.drop_front(std::min<size_t>(most, left.size()))) {
      ArrayRef<size_t> group = left.take_front(most);
      groups.emplace_back(group.begin(), group.end());
    }
  }
  ofColumns = groups.size();
  if (!alongRow)
    return;
  stride = *alongRow;
  for (int64_t before : {0, 1}) // columns of a pair that are not of the window
    for (int64_t column = -before;
         column < static_cast<int64_t>(row.size()) && (before == 0 || stride % 2 != 0); column += 2)
      if (pairs.try_emplace(pairAt(column), groups.size()).second)
        groups.push_back(pairAt(column));
}

size_t WindowTapGroups::firstTap(size_t group) const {
  return **llvm::find_if(groups[group], [](auto tap) { return tap.has_value(); });
}

/// The taps at a column of the window and the next one.
WindowTapGroups::Taps WindowTapGroups::pairAt(int64_t column) const {
  Taps taps(2);
  for (auto [i, tap] : llvm::enumerate(taps)) {
    int64_t at = column + static_cast<int64_t>(i);
    if (at >= 0 && at < static_cast<int64_t>(row.size()))
      tap = row[at];
  }
  return taps;
}

/// The place at a column of the tile, if a pixel reads it.
std::optional<WindowTapGroups::Place> WindowTapGroups::placeAt(int64_t column,
                                                               int64_t pixels) const {
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    int64_t tap = column - stride * pixel;
    if (tap >= 0 && tap < static_cast<int64_t>(row.size()))
      return Place{pixel, row[tap]};
  }
  return std::nullopt;
}

std::vector<WindowTapGroups::Product> WindowTapGroups::products(int64_t pixels) const {
  std::vector<Product> all;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (size_t group = 0; group < ofColumns; ++group) {
      Product &product = all.emplace_back(Product{group, pixel, {}});
      for (std::optional<size_t> tap : groups[group])
        product.places.push_back(Place{pixel, *tap});
    }
    const int64_t begin = stride * pixel, end = begin + static_cast<int64_t>(row.size());
    for (int64_t column = begin - begin % 2; column < end && !row.empty(); column += 2) {
      Product &product = all.emplace_back(Product{pairs.at(pairAt(column - begin)), pixel, {}});
      product.places.push_back(placeAt(column, pixels));
      if (auto second = placeAt(column + 1, pixels))
        product.places.push_back(second);
    }
  }
  return all;
}

} // namespace kgen
