// Scales of channels after contractions become part of constant weights, and what is added by
// channel stays one addition.
#include "analysis/ConstantBytes.h"
#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/RefusalListener.h"
#include "transforms/layout/ChannelFunctions.h"
#include "transforms/layout/FrontScales.h"
#include "transforms/layout/Passes.h"
#include "transforms/layout/WeightBytes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

#include <cmath>
#include <cstring>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDSCALESPASS
#include "transforms/layout/Passes.h.inc"

namespace {

/// A contraction or convolution, and which of its inputs is constant.
struct ScaledProduct {
  linalg::LinalgOp op;
  unsigned weights;
  ElementsAttr constant;
  Channels result; ///< of its result: the dimensions that the weights have, too
};

/// An operation between the product and the last one that is a function of it by channel.
struct Step {
  Operation *op;
  unsigned input = 0; ///< of an elementwise operation
  Value value;        ///< in its body: the function of the input; null: a reshape
};

std::optional<ScaledProduct> productOf(linalg::LinalgOp op) {
  if (!sumsProducts(op))
    return std::nullopt;
  Type element = getElementTypeOrSelf(op->getResult(0));
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (out.getNumResults() == 0 || !out.isProjectedPermutation() ||
      !(element.isF32() || element.isF64()))
    return std::nullopt;
  for (unsigned weights : {1u, 0u}) {
    ElementsAttr constant;
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(weights));
    if (!matchPattern(op.getDpsInputs()[weights], m_Constant(&constant)) ||
        !map.isProjectedPermutation())
      continue;
    ScaledProduct product{op, weights, constant, {}};
    product.result.strides.assign(out.getNumResults(), 0);
    for (int64_t d = int64_t(out.getNumResults()) - 1; d >= 0; --d)
      if (map.isFunctionOfDim(out.getDimPosition(d))) {
        product.result.strides[d] = product.result.count;
        product.result.count *= cast<ShapedType>(op->getResult(0).getType()).getDimSize(d);
      }
    return product;
  }
  return std::nullopt;
}

class Folder {
public:
  explicit Folder(ScaledProduct product)
      : product(std::move(product)), front(this->product.op, this->product.weights) {
    total.factor.assign(this->product.result.count, 1);
    total.term.assign(this->product.result.count, 0);
  }

  /// Follows the only reader of the result as long as each value is a function of the product's
  /// channel.
  void follow() {
    Value value = product.op->getResult(0);
    Channels channels = product.result;
    while (Operation *user = onlyUser(value)) {
      auto computed = dyn_cast<linalg::LinalgOp>(user);
      std::optional<Channels> next =
          computed ? throughElementwise(computed, value, channels) : throughReshape(user, channels);
      if (!next)
        return;
      channels = std::move(*next);
      value = user->getResult(0);
    }
  }

  bool hasScale() const { return isBehind() || front.hasScale(); }
  /// Says what was done.
  StringRef title() const {
    if (!front.hasScale())
      return "a scale of channels is part of the weights";
    return isBehind() ? "scales in front and behind are part of the weights"
                      : "a scale in front is part of the weights";
  }
  /// Returns what scales in front and adds something; null if nothing does.
  Operation *shifted() const { return front.shifted(); }

  /// Of the product and what it takes in.
  Location location() const {
    SmallVector<Location> all{product.op->getLoc()};
    if (isBehind())
      for (const Step &step : steps)
        all.push_back(step.op->getLoc());
    for (Operation *op : front.operations())
      all.push_back(op->getLoc());
    return FusedLoc::get(product.op->getContext(), all);
  }

  /// Empty: done. Else why not.
  StringRef fold() {
    ElementsAttr scaled = weights();
    if (!scaled)
      return "a scaled weight would not be a normal number, or the constant has no data";
    if (isBehind() && !llvm::all_of(total.term, [](double one) { return std::isfinite(one); }))
      return "what is added is not finite";
    OpBuilder b(product.op);
    Value constant = arith::ConstantOp::create(
        b, product.op.getDpsInputs()[product.weights].getLoc(), cast<TypedAttr>(scaled));
    product.op->setOperand(product.weights, constant);
    front.drop();
    if (!isBehind())
      return "";
    b.setInsertionPointAfter(product.op);
    steps.front().op->setOperand(steps.front().input, added(b));
    for (const Step &step : steps)
      if (step.value)
        dropBodyFunction(cast<linalg::LinalgOp>(step.op), step.input, step.value);
    return "";
  }

private:
  bool isBehind() const {
    return !steps.empty() && llvm::any_of(total.factor, [](double one) { return one != 1; });
  }

  static Operation *onlyUser(Value value) {
    Operation *user = nullptr;
    for (Operation *each : value.getUsers()) {
      if (user && user != each)
        return nullptr;
      user = each;
    }
    return user && user->getNumResults() == 1 &&
                   user->getBlock() == value.getDefiningOp()->getBlock()
               ? user
               : nullptr;
  }

  std::optional<Channels> throughReshape(Operation *op, const Channels &channels) {
    auto from = [&] { return cast<ShapedType>(op->getOperand(0).getType()).getShape(); };
    auto to = [&] { return cast<ShapedType>(op->getResult(0).getType()).getShape(); };
    std::optional<Channels> next;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      next = reshaped(channels, from(), to(), expand.getReassociationIndices(), false);
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      next = reshaped(channels, from(), to(), collapse.getReassociationIndices(), true);
    if (next)
      pending.push_back({op, 0, Value()});
    return next;
  }

  std::optional<Channels> throughElementwise(linalg::LinalgOp op, Value value,
                                             const Channels &channels) {
    if (!op.hasPureTensorSemantics() || op.getNumParallelLoops() != op.getNumLoops() ||
        llvm::count(op->getOperands(), value) != 1 ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) || op.getDpsInits()[0] == value)
      return std::nullopt;
    auto input = static_cast<unsigned>(
        std::distance(op->operand_begin(), llvm::find(op->getOperands(), value)));
    AffineMap in = op.getMatchingIndexingMap(op.getDpsInputOperand(input)),
              out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (!in.isPermutation() || !out.isPermutation())
      return std::nullopt;
    Channels loops{channels.count, SmallVector<int64_t>(op.getNumLoops(), 0)};
    for (auto [d, stride] : llvm::enumerate(channels.strides))
      loops.strides[in.getDimPosition(d)] = stride;
    ChannelFunctions functions(op, input, loops);
    Value last = functions.last();
    if (!last)
      return std::nullopt;
    const ChannelFunction &f = functions.function();
    if (isComputed(f)) {
      for (int64_t c = 0; c < channels.count; ++c) {
        total.factor[c] *= f.factor[c];
        total.term[c] = total.term[c] * f.factor[c] + f.term[c];
      }
      llvm::append_range(steps, pending);
      pending.clear();
      steps.push_back({op, input, last});
    } else {
      pending.push_back({op, input, last});
    }
    if (op.getBlock()->getTerminator()->getOperand(0) != last)
      return std::nullopt;
    Channels after{channels.count, {}};
    for (unsigned d = 0; d < out.getNumResults(); ++d)
      after.strides.push_back(loops.strides[out.getDimPosition(d)]);
    return after;
  }

  /// Something else than the input itself.
  static bool isComputed(const ChannelFunction &f) {
    return llvm::any_of(f.factor, [](double one) { return one != 1; }) ||
           llvm::any_of(f.term, [](double one) { return one != 0; });
  }

  /// The product's weights times the factors of their channels, rounded once; null if one is not a
  /// normal number any more.
  ElementsAttr weights() const {
    auto type = cast<RankedTensorType>(product.constant.getType());
    SmallVector<char> storage;
    ArrayRef<char> bytes = constantBytes(product.constant, storage);
    if (bytes.empty())
      return {};
    AsmResourceBlob blob = allocateBlob(bytes.size());
    char *to = blob.getMutableData().data();
    bool isRight =
        type.getElementType().isF32() ? scale<float>(bytes, to) : scale<double>(bytes, to);
    if (!isRight)
      return {};
    return DenseResourceElementsAttr::get(type, "scaled", shared(std::move(blob)));
  }

  template <typename Number> bool scale(ArrayRef<char> bytes, char *to) const {
    auto type = cast<RankedTensorType>(product.constant.getType());
    SmallVector<int64_t> strides = weightStrides(), index(type.getRank(), 0);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      int64_t channel = 0;
      for (auto [at, stride] : llvm::zip(index, strides))
        channel += at * stride;
      Number number;
      std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
      auto scaled = static_cast<Number>(number * total.factor[channel] * front.factorOf(index));
      bool isZero = scaled == 0 && !std::isnormal(number) && std::isfinite(number);
      if (!std::isnormal(scaled) && !isZero)
        return false;
      std::memcpy(to + i * sizeof scaled, &scaled, sizeof scaled);
      advance(index, type.getShape());
    }
    return true;
  }

  /// The channels of the weights' dimensions.
  SmallVector<int64_t> weightStrides() const {
    linalg::LinalgOp op = product.op;
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(product.weights)),
              out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    SmallVector<int64_t> strides;
    for (AffineExpr result : map.getResults()) {
      std::optional<unsigned> at = out.getResultPosition(result);
      strides.push_back(at ? product.result.strides[*at] : 0);
    }
    return strides;
  }

  /// The product plus the terms, as an operation of the steps' nodes.
  Value added(OpBuilder &b) const {
    Value value = product.op->getResult(0);
    if (llvm::all_of(total.term, [](double one) { return one == 0; }))
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Location> locations;
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> results;
    for (const Step &step : steps)
      if (step.value)
        locations.push_back(step.op->getLoc());
    for (auto [d, stride] : llvm::enumerate(product.result.strides))
      if (stride != 0) {
        shape.push_back(type.getDimSize(d));
        results.push_back(b.getAffineDimExpr(d));
      }
    SmallVector<APFloat> numbers;
    bool isLossy = false;
    const llvm::fltSemantics &format = cast<FloatType>(type.getElementType()).getFloatSemantics();
    for (double term : total.term) {
      numbers.emplace_back(term);
      numbers.back().convert(format, APFloat::rmNearestTiesToEven, &isLossy);
    }
    Location loc = FusedLoc::get(b.getContext(), locations);
    Value terms =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type.clone(shape), numbers));
    Value init = emptyLike(b, loc, value);
    AffineMap all = b.getMultiDimIdentityMap(type.getRank()),
              byChannel = AffineMap::get(type.getRank(), 0, results, b.getContext());
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(b, loc, type, ValueRange{value, terms}, init,
                                     ArrayRef<AffineMap>{all, byChannel, all}, loops,
                                     [](OpBuilder &inner, Location where, ValueRange v) {
                                       Value sum = arith::AddFOp::create(inner, where, v[0], v[1]);
                                       linalg::YieldOp::create(inner, where, sum);
                                     })
        .getResult(0);
  }

  ScaledProduct product;
  FrontScales front;
  SmallVector<Step> steps, pending;
  ChannelFunction total;
};

struct FoldScalesPass : impl::FoldScalesPassBase<FoldScalesPass> {
  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    SmallVector<ScaledProduct> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (std::optional<ScaledProduct> product = productOf(op))
        products.push_back(std::move(*product));
    });
    bool isChanged = false;
    for (ScaledProduct &product : products) {
      Folder folder(std::move(product));
      folder.follow();
      if (Operation *shifted = folder.shifted())
        log.add("refused", shifted->getLoc(),
                log.details().set("why", "what is added in front of a product would be subtracted "
                                         "from sums of larger numbers"));
      if (!folder.hasScale())
        continue;
      Location nodes = folder.location();
      StringRef title = folder.title();
      StringRef refusal = folder.fold();
      isChanged |= refusal.empty();
      ++(refusal.empty() ? numFolded : numRefused);
      if (refusal.empty())
        log.add("applied", nodes, log.details().set("what", title));
      else
        log.add("refused", nodes, log.details().set("why", refusal));
    }
    if (!isChanged)
      return;
    // Parameters that no body reads any more.
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     GreedyRewriteConfig().setListener(refusalListener()))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
