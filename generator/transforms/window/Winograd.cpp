// Rewrites 3 x 3 convolutions by Winograd's minimal filtering, if the graph allows it.
#include "analysis/ConstantBytes.h"
#include "analysis/SizeBounds.h"
#include "analysis/WindowShape.h"
#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"
#include "transforms/layout/WeightBytes.h"
#include "transforms/window/Passes.h"
#include "transforms/window/WinogradLoops.h"
#include "transforms/window/WinogradTransform.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_WINOGRADPASS
#include "transforms/window/Passes.h.inc"

namespace {

/// True for an unpacked gemm of f32 with constant filters that neither accumulates nor has a strict
/// order.
bool hasPlainProducts(tpp::BrgemmOp op) {
  return isa<RankedTensorType>(op.getInit().getType()) && !op.getAccumulate() &&
         !op.getStrictOrder() && !op.getPanel() && op.getAType().isF32() && op.getBType().isF32() &&
         matchPattern(op.getB(), m_Constant());
}

/// True if each epilogue operand is indexed by single dimensions, the filters last if at all, so
/// that vectors along the filters can read it.
bool hasVectorEpilogue(tpp::BrgemmOp op) {
  unsigned filter = op.getCType().getRank() - 1;
  auto fits = [&](AffineMap map) {
    auto position = map.getResultPosition(getAffineDimExpr(filter, op.getContext()));
    return map.isProjectedPermutation() && (!position || *position + 1 == map.getNumResults());
  };
  return llvm::all_of(op.getEpilogueMaps().getAsValueRange<AffineMapAttr>(), fits);
}

/// True if A is [images, height, width * channels], read through 3 x 3 windows of stride 1, and B
/// is [3, 3 * channels, filters].
bool hasWindows(tpp::BrgemmOp op, int64_t channels) {
  MLIRContext *context = op.getContext();
  AffineExpr image, y, x, filter, row, k;
  bindDims(context, image, y, x, filter, row, k);
  return op.getAMap() == AffineMap::get(6, 0, {image, y + row, x * channels + k}, context) &&
         op.getBMap() == AffineMap::get(6, 0, {row, k, filter}, context);
}

/// True if the sizes of the reduction are those of 3 x 3 windows.
bool hasThreeByThreeWindows(tpp::BrgemmOp op) {
  auto reduced = op.getReductionSizes();
  return reduced && (*reduced)[0] == 3 && (*reduced)[1] % 3 == 0;
}

/// Replaces a zero-padded image by the source of the pad and sets `above` and `left`. The pad is
/// [images, height, width, channels], collapsed to [images, height, width * channels].
void makePaddingImplicit(WinogradConvolution &conv) {
  Value value = conv.image;
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse)
    value = collapse.getSrc();
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad || !isZeroPad(pad))
    return;
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  bool isImage =
      low.size() == 4 && collapse &&
      collapse.getReassociationIndices() == ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}};
  if (!isImage || low[0] != 0 || high[0] != 0 || low[3] != 0 || high[3] != 0)
    return;
  OpBuilder b(conv.op);
  ArrayRef<int64_t> shape = pad.getSourceType().getShape();
  conv.image = tensor::CollapseShapeOp::create(b, collapse.getLoc(), pad.getSource(),
                                               collapse.getReassociationIndices());
  conv.height = shape[1];
  conv.width = shape[2];
  conv.above = low[1];
  conv.left = low[2];
}

struct WinogradPass : impl::WinogradPassBase<WinogradPass> {
  using WinogradPassBase::WinogradPassBase;

  void runOnOperation() override {
    FreeUnusedResources freeUnused(getOperation());
    getOperation().walk([&](func::FuncOp function) {
      auto maxTile = function->getAttrOfType<IntegerAttr>(winogradAttrName);
      if (!maxTile)
        return;
      TargetAttr target = requireTarget(function);
      if (!target)
        return signalPassFailure();
      DecisionLog log(function, getArgument());
      RepeatedWork repeated(log);
      SmallVector<tpp::BrgemmOp> found;
      function.walk([&](tpp::BrgemmOp op) { found.push_back(op); });
      for (tpp::BrgemmOp op : found)
        if (auto convolution = WinogradConvolution::match(op)) {
          expand(*convolution, maxTile.getInt(), target, log, repeated);
        } else if (hasThreeByThreeWindows(op)) {
          ++numRefused;
          log.add(
              "refused", op.getLoc(),
              log.details().set("why", "not f32 with constant filters and windows of stride 1"));
        }
    });
  }

private:
  void expand(const WinogradConvolution &conv, int64_t maxTile, TargetAttr target, DecisionLog &log,
              RepeatedWork &repeated) {
    WinogradPlan plan = planWinograd(conv, maxTile, target);
    if (tileRows != 0) {
      plan.tile = maxTile;
      plan.tileRows = plan.possibleTileRows(conv, tileRows);
    }
    Details details = log.details();
    details.set("tile", plan.tile).set("rows", plan.tileRows);
    tpp::BrgemmOp op = conv.op;
    log.add("winograd", op.getLoc(), details.set("cycles", plan.cycles).set("direct", plan.direct));
    if (plan.tile == 0) {
      ++numRefused;
      traceRefusal(op.getLoc(), "windows as they are take fewer cycles");
      return;
    }
    ++numRewritten;
    // Each convolution has a view of its own of the image.
    auto view = conv.image.getDefiningOp<tensor::CollapseShapeOp>();
    repeated.add(view ? view.getSrc() : conv.image, op.getLoc(),
                 "transformed into Winograd's tiles", std::to_string(plan.tile),
                 greatestBytesOf(conv.image));
    expandWinograd(conv, plan, transformedFilters(conv, plan), target, taskWork);
  }

  /// The transformed filters as a constant [products, channels, filters].
  static Value transformedFilters(const WinogradConvolution &conv, const WinogradPlan &plan) {
    WinogradTransform transform(plan.tile);
    tpp::BrgemmOp op = conv.op;
    ElementsAttr constant;
    matchPattern(op.getB(), m_Constant(&constant));
    SmallVector<char> storage;
    ArrayRef<char> bytes = constantBytes(constant, storage);
    ArrayRef<float> taps(reinterpret_cast<const float *>(bytes.data()), bytes.size() / 4);
    int64_t count = conv.channels * conv.filters;
    auto type =
        RankedTensorType::get({transform.products(), conv.channels, conv.filters}, op.getBType());
    AsmResourceBlob blob = allocateBlob(type.getNumElements() * 4);
    MutableArrayRef<char> data = blob.getMutableData();
    transform.filters(taps, count, {reinterpret_cast<float *>(data.data()), data.size() / 4});
    OpBuilder b(op);
    return arith::ConstantOp::create(
        b, op.getB().getLoc(), type,
        DenseResourceElementsAttr::get(type, "winograd", std::move(blob)));
  }
};

} // namespace

std::optional<WinogradConvolution> WinogradConvolution::match(tpp::BrgemmOp op) {
  auto image = dyn_cast<RankedTensorType>(op.getA().getType());
  ShapedType result = op.getCType();
  if (!image || !hasThreeByThreeWindows(op) || image.getRank() != 3 || result.getRank() != 4 ||
      llvm::is_contained(result.getShape(), 0) ||
      llvm::any_of(image.getShape().drop_front(), ShapedType::isDynamic) ||
      llvm::any_of(result.getShape().drop_front(), ShapedType::isDynamic))
    return std::nullopt;
  WinogradConvolution conv;
  conv.op = op;
  conv.channels = (*op.getReductionSizes())[1] / 3;
  if (!hasPlainProducts(op) || !hasWindows(op, conv.channels) || !hasVectorEpilogue(op))
    return std::nullopt;
  conv.image = op.getA();
  conv.images = result.getDimSize(0);
  conv.height = image.getDimSize(1);
  conv.width = image.getDimSize(2) / conv.channels;
  conv.above = conv.left = 0;
  conv.rows = result.getDimSize(1);
  conv.columns = result.getDimSize(2);
  conv.filters = result.getDimSize(3);
  makePaddingImplicit(conv);
  return conv;
}

} // namespace kgen
