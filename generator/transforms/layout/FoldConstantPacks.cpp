// Packs constant weights when the library is generated: a strided gather of raw bytes.
#include "analysis/ConstantBytes.h"
#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/DecisionLog.h"
#include "support/StridedCopy.h"
#include "transforms/layout/Passes.h"
#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Matchers.h>

#include <cstring>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDCONSTANTPACKSPASS
#include "transforms/layout/Passes.h.inc"

namespace {

/// The step of a dimension of the packed tensor in the source: by `stride` indices of dimension
/// `dim`.
struct Walk {
  int64_t dim, stride;
};

/// A pack as a strided gather: one Walk for each dimension of the packed tensor, outer ones first.
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

  /// Copies the innermost row whose other indices are `index`; `width` is bytes per element.
  void row(ArrayRef<int64_t> index, const char *source, char *packed, int64_t width,
           ArrayRef<char> padding) const {
    SmallVector<int64_t> from(shape.size(), 0); // indices in the source
    for (size_t d = 0; d + 1 < walks.size(); ++d)
      from[walks[d].dim] += index[d] * walks[d].stride;
    int64_t inner = walks.back().dim, length = packedShape.back(), start = 0;
    bool inside = true;
    for (size_t d = 0; d < shape.size(); ++d) {
      inside &= static_cast<int64_t>(d) == inner || from[d] < shape[d];
      start += from[d] * strides[d];
    }
    int64_t valid = inside ? std::clamp<int64_t>(shape[inner] - from[inner], 0, length) : 0;
    copyStrided(packed, source + start * width, valid, strides[inner], width);
    for (int64_t i = valid; i < length; ++i)
      std::memcpy(packed + i * width, padding.data(), width);
  }

  void run(const char *source, char *packed, int64_t width, ArrayRef<char> padding) const {
    int64_t rows = 1;
    for (int64_t size : ArrayRef(packedShape).drop_back())
      rows *= size;
    SmallVector<int64_t> index(packedShape.size(), 0);
    for (int64_t r = 0; r < rows; ++r, packed += packedShape.back() * width) {
      row(index, source, packed, width, padding);
      advance(MutableArrayRef(index).drop_back(), ArrayRef(packedShape).drop_back());
    }
  }
};

/// Returns the bytes of one padding element: zeros if the pack pads nothing, nothing if the padding
/// value is not constant.
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

/// Packed constants by what makes them: nodes that share a weight share the packed one.
class PackedConstants {
public:
  /// Returns why the pack was not folded; empty if it was; nothing if its source is not constant.
  std::optional<StringRef> fold(linalg::PackOp pack);

private:
  /// The packed elements; null if the padding is not constant, or the constant has no data.
  TypedAttr elementsOf(linalg::PackOp pack, ElementsAttr constant);

  llvm::DenseMap<Attribute, TypedAttr> known;
};

/// A name for a packed constant: MLIR finds a free one by counting, which takes quadratic time if
/// all have the same.
std::string packedName(ElementsAttr constant) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  return resource ? (resource.getRawHandle().getKey() + "_packed").str() : "packed";
}

TypedAttr PackedConstants::elementsOf(linalg::PackOp pack, ElementsAttr constant) {
  Attribute padded;
  if (Value padding = pack.getPaddingValue())
    if (!matchPattern(padding, m_Constant(&padded)))
      return {};
  MLIRContext *context = pack.getContext();
  auto key = ArrayAttr::get(context, {constant, pack->getPropertiesAsAttribute(),
                                      TypeAttr::get(pack.getDestType()),
                                      padded ? padded : UnitAttr::get(context)});
  TypedAttr &packed = known[key];
  if (packed)
    return packed;
  SmallVector<char> storage;
  ArrayRef<char> source = constantBytes(constant, storage);
  int64_t width = pack.getDestType().getElementTypeBitWidth() / 8;
  std::optional<SmallVector<char>> padding = paddingBytes(pack, width);
  if (source.empty() || !padding)
    return {};
  auto bytes = static_cast<size_t>(pack.getDestType().getNumElements() * width);
  AsmResourceBlob blob = allocateInLargePages(bytes);
  Gather(pack).run(source.data(), blob.getMutableData().data(), width, *padding);
  packed = DenseResourceElementsAttr::get(pack.getDestType(), packedName(constant),
                                          shared(std::move(blob)));
  return packed;
}

std::optional<StringRef> PackedConstants::fold(linalg::PackOp pack) {
  ElementsAttr constant;
  Type element = pack.getDestType().getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (!matchPattern(pack.getSource(), m_Constant(&constant)))
    return std::nullopt;
  if (bits == 0 || bits % 8 || !pack.getDestType().hasStaticShape())
    return "elements are not whole bytes, or sizes are not static";
  TypedAttr packed = elementsOf(pack, constant);
  if (!packed)
    return "the padding is not constant, or the constant has no data";
  OpBuilder builder(pack);
  Value folded = arith::ConstantOp::create(builder, pack.getLoc(), pack.getDestType(), packed);
  Operation *old = pack.getSource().getDefiningOp();
  pack.getResult().replaceAllUsesWith(folded);
  pack.erase();
  if (old->use_empty())
    old->erase();
  return "";
}

struct FoldConstantPacksPass : impl::FoldConstantPacksPassBase<FoldConstantPacksPass> {
  void runOnOperation() override {
    SmallVector<linalg::PackOp> packs;
    getOperation()->walk([&](linalg::PackOp pack) { packs.push_back(pack); });
    FreeUnusedResources freeUnused(getOperation());
    PackedConstants constants;
    llvm::MapVector<Operation *, std::unique_ptr<DecisionLog>> logs; // of functions
    for (linalg::PackOp pack : packs) {
      auto function = pack->getParentOfType<func::FuncOp>();
      std::unique_ptr<DecisionLog> &kept = logs[function];
      if (!kept)
        kept = std::make_unique<DecisionLog>(function, getArgument());
      DecisionLog &log = *kept;
      Location loc = pack.getLoc();
      std::optional<StringRef> refusal = constants.fold(pack);
      if (!refusal)
        continue;
      ++(refusal->empty() ? numFolded : numRefused);
      if (refusal->empty())
        log.add("applied", loc, log.details().set("what", "a constant is packed at build time"));
      else
        log.add("refused", loc, log.details().set("why", *refusal));
    }
  }
};

} // namespace
} // namespace kgen
