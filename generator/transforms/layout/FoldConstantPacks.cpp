// Packs constant weights when the library is generated: a strided gather of raw bytes.
#include "transforms/Passes.h"
#include "transforms/layout/ConstantBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Matchers.h>

#include <cstring>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDCONSTANTPACKSPASS
#include "transforms/Passes.h.inc"

namespace {

/// Where a dimension of the packed tensor walks in the source: `step` elements of source dimension
/// `dim`.
struct Walk {
  int64_t dim, step;
};

/// The gather that a pack is: one Walk for each packed dimension, outer ones first.
struct Gather {
  SmallVector<int64_t> shape;   ///< of the source
  SmallVector<int64_t> strides; ///< of the source, in elements
  SmallVector<int64_t> packedShape;
  SmallVector<Walk> walks;

  explicit Gather(linalg::PackOp pack)
      : shape(pack.getSourceType().getShape()), strides(shape.size(), 1),
        packedShape(pack.getDestType().getShape()) {
    for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
      strides[d] = strides[d + 1] * shape[d + 1];
    SmallVector<int64_t> tile(shape.size(), 1);
    for (auto [position, size] : llvm::zip(pack.getInnerDimsPos(), pack.getStaticInnerTiles()))
      tile[position] = size;
    ArrayRef<int64_t> permutation = pack.getOuterDimsPerm();
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
      int64_t dim = permutation.empty() ? d : permutation[d];
      walks.push_back({dim, tile[dim]});
    }
    for (int64_t position : pack.getInnerDimsPos())
      walks.push_back({position, 1});
  }

  /// Copies one innermost row whose other indices are `index`.
  void row(ArrayRef<int64_t> index, const char *source, char *packed, int64_t width,
           ArrayRef<char> padding) const {
    SmallVector<int64_t> at(shape.size(), 0);
    for (size_t d = 0; d + 1 < walks.size(); ++d)
      at[walks[d].dim] += index[d] * walks[d].step;
    int64_t inner = walks.back().dim, run = packedShape.back(), start = 0;
    bool inside = true;
    for (size_t d = 0; d < shape.size(); ++d) {
      inside &= static_cast<int64_t>(d) == inner || at[d] < shape[d];
      start += at[d] * strides[d];
    }
    int64_t valid = inside ? std::clamp<int64_t>(shape[inner] - at[inner], 0, run) : 0;
    if (strides[inner] == 1)
      std::memcpy(packed, source + start * width, valid * width);
    else
      for (int64_t i = 0; i < valid; ++i)
        std::memcpy(packed + i * width, source + (start + i * strides[inner]) * width, width);
    for (int64_t i = valid; i < run; ++i)
      std::memcpy(packed + i * width, padding.data(), width);
  }

  void run(const char *source, char *packed, int64_t width, ArrayRef<char> padding) const {
    int64_t rank = packedShape.size(), rows = 1;
    for (int64_t size : ArrayRef(packedShape).drop_back())
      rows *= size;
    SmallVector<int64_t> index(rank, 0);
    for (int64_t r = 0; r < rows; ++r, packed += packedShape.back() * width) {
      row(index, source, packed, width, padding);
      for (int64_t d = rank - 2; d >= 0 && ++index[d] == packedShape[d]; --d)
        index[d] = 0;
    }
  }
};

/// The bytes of one padding element: those of the padding constant, or zeros where there is none to
/// write.
std::optional<SmallVector<char>> paddingBytes(linalg::PackOp pack, int64_t width) {
  SmallVector<char> bytes(width, 0);
  Value padding = pack.getPaddingValue();
  if (!padding)
    return bytes;
  Attribute value;
  if (!matchPattern(padding, m_Constant(&value)) || !isa<IntegerAttr, FloatAttr>(value))
    return std::nullopt;
  auto dense = DenseElementsAttr::get(RankedTensorType::get({1}, padding.getType()), value);
  bytes.assign(dense.getRawData().begin(), dense.getRawData().end());
  return bytes;
}

void fold(linalg::PackOp pack) {
  ElementsAttr constant;
  int64_t bits = pack.getDestType().getElementType().isIntOrFloat()
                     ? pack.getDestType().getElementTypeBitWidth()
                     : 0;
  if (bits == 0 || bits % 8 || !pack.getDestType().hasStaticShape() ||
      !matchPattern(pack.getSource(), m_Constant(&constant)))
    return;
  SmallVector<char> storage;
  ArrayRef<char> source = constantBytes(constant, storage);
  int64_t width = bits / 8;
  std::optional<SmallVector<char>> padding = paddingBytes(pack, width);
  if (source.empty() || !padding)
    return;
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(pack.getDestType().getNumElements() * width,
                                                       64, /*dataIsMutable=*/true);
  Gather(pack).run(source.data(), blob.getMutableData().data(), width, *padding);
  auto packed = DenseResourceElementsAttr::get(pack.getDestType(), "packed", std::move(blob));
  OpBuilder builder(pack);
  Value folded = arith::ConstantOp::create(builder, pack.getLoc(), pack.getDestType(), packed);
  Operation *old = pack.getSource().getDefiningOp();
  pack.getResult().replaceAllUsesWith(folded);
  pack.erase();
  if (old->use_empty())
    old->erase();
}

struct FoldConstantPacksPass : impl::FoldConstantPacksPassBase<FoldConstantPacksPass> {
  void runOnOperation() override {
    SmallVector<linalg::PackOp> packs;
    getOperation()->walk([&](linalg::PackOp pack) { packs.push_back(pack); });
    ResourceSweep sweep(getOperation());
    for (linalg::PackOp pack : packs)
      fold(pack);
  }
};

} // namespace
} // namespace kgen
