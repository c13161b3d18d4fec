#include "ingress/mlir/ImportParts.h"

#include "dialect/kgen/EmptyTensor.h"
#include "ops/SymbolicSizes.h"

#include <mlir/Conversion/TosaToArith/TosaToArith.h>
#include <mlir/Conversion/TosaToLinalg/TosaToLinalg.h>
#include <mlir/Conversion/TosaToSCF/TosaToSCF.h>
#include <mlir/Conversion/TosaToTensor/TosaToTensor.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Index/IR/IndexOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Utils/Utils.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Dialect/Tosa/IR/TosaOps.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>
#include <mlir/Transforms/Passes.h>

#include <llvm/ADT/SmallBitVector.h>

using namespace mlir;

namespace kgen {
namespace {

/// Of the iterations of a loop, and of all loops.
constexpr int64_t maxUnrolledOperations = 4096, maxUnrolledInAll = 1 << 16;
/// Of the body of an operation that others were fused into.
constexpr size_t maxFusedOperations = 64;

/// A call that was not inlined is an error.
bool checkCalls(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  bool isRight = true;
  function.walk([&](func::CallOp call) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    bool isDeclared = callee && callee.isExternal();
    call.emitError() << "function '" << call.getCallee() << "' cannot be inlined: "
                     << (isDeclared ? "it has no body" : "it calls itself");
    isRight = false;
  });
  return isRight;
}

/// Tensors that are only written become new ones: an argument for the result, as some compilers
/// have it, is none of the graph's inputs.
void replaceUnreadInits(func::FuncOp function) {
  function.walk([](linalg::LinalgOp op) {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || !isa<BlockArgument>(init.get()) || !shapeOfTensor(init.get()) ||
          op.payloadUsesValueFromOperand(&init))
        continue;
      OpBuilder b(op);
      init.set(emptyTensor(b, op.getLoc(), sizeValues(b, *shapeOfTensor(init.get())),
                           type.getElementType()));
    }
  });
}

/// Iterations follow each other, as in every other way in. A loop that has too many, or does not
/// say how many, is an error.
bool unrollLoops(func::FuncOp function) {
  SmallVector<scf::ForOp> loops; // inner ones first
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  int64_t all = 0;
  for (scf::ForOp loop : loops) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips)
      return loop.emitError() << "the bounds of the loop are not constant", false;
    int64_t operations = 0;
    loop.getBody()->walk([&](Operation *) { ++operations; });
    if (trips->uge(maxUnrolledOperations) ||
        static_cast<int64_t>(trips->getZExtValue()) * operations > maxUnrolledOperations)
      return loop.emitError() << "all iterations of the loop together have more than "
                              << maxUnrolledOperations << " operations",
             false;
    all += static_cast<int64_t>(trips->getZExtValue()) * operations;
    if (all > maxUnrolledInAll)
      return loop.emitError() << "all iterations of all loops together have more than "
                              << maxUnrolledInAll << " operations",
             false;
    if (failed(loopUnrollFull(loop)))
      return loop.emitError() << "the loop cannot be unrolled", false;
  }
  return true;
}

/// Sums that keep the dimension that they add up as one of 1 lose it, as do the operations that
/// read them. Outer ones stay: images and their batch of 1 are as they were.
bool dropInnerUnitDims(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  linalg::ControlDropUnitDims options;
  options.controlFn = [](Operation *op) {
    SmallVector<unsigned> dims;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      return dims;
    SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
    bool isOuter = true;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      isOuter &= size == 1;
      if (!isOuter)
        dims.push_back(dim);
    }
    return dims;
  };
  linalg::populateFoldUnitExtentDimsPatterns(patterns, options);
  linalg::populateMoveInitOperandsToInputPattern(patterns);
  return succeeded(applyPatternsGreedily(function, std::move(patterns)));
}

/// The map of a tensor of `shape` with a loop of one iteration in the place of each index of a
/// dimension of 1, as far as the result has such loops that the map does not have.
AffineMap withUnitLoops(AffineMap map, ArrayRef<int64_t> shape, ArrayRef<int64_t> loops,
                        AffineMap result) {
  SmallVector<AffineExpr> indices(map.getResults());
  llvm::SmallBitVector isUsed(loops.size());
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    isUsed[loop] = loops[loop] != 1 || map.isFunctionOfDim(loop) || !result.isFunctionOfDim(loop);
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    if (int loop = isUsed.find_first_unset(); index == 0 && size == 1 && loop >= 0) {
      index = getAffineDimExpr(loop, map.getContext());
      isUsed.set(loop);
    }
  return AffineMap::get(map.getNumDims(), 0, indices, map.getContext());
}

/// Elements that are read at index 0 of a dimension of 1, whatever the loop of one iteration is,
/// are read at that loop: operations fuse where they compute and read the same elements.
void readAtUnitLoops(func::FuncOp function) {
  function.walk([](linalg::GenericOp op) {
    SmallVector<int64_t> loops = op.getStaticLoopRanges();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto type = dyn_cast<RankedTensorType>(input->get().getType()))
        maps[input->getOperandNumber()] =
            withUnitLoops(op.getMatchingIndexingMap(input), type.getShape(), loops, result);
    op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  });
}

/// Elementwise operations at the same position, of which one alone reads the other, become one:
/// exporters write exp(x - max) in two. Reshapes of tensors of unknown content are such tensors.
bool fuseChains(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *link) {
    auto producer = link->get().getDefiningOp<linalg::GenericOp>();
    auto consumer = dyn_cast<linalg::GenericOp>(link->getOwner());
    auto size = [](linalg::GenericOp op) { return op.getBody()->getOperations().size(); };
    return producer && consumer && size(producer) + size(consumer) <= maxFusedOperations &&
           producer->hasOneUse() && producer->getNumResults() == 1 &&
           producer.getNumParallelLoops() == producer.getNumLoops() &&
           consumer.getNumParallelLoops() == consumer.getNumLoops() &&
           consumer.getMatchingIndexingMap(link).isIdentity() &&
           producer.getMatchingIndexingMap(producer.getDpsInitOperand(0)).isIdentity();
  });
  tensor::populateFoldTensorEmptyPatterns(patterns);
  linalg::FillOp::getCanonicalizationPatterns(patterns, function.getContext());
  return succeeded(applyPatternsGreedily(function, std::move(patterns)));
}

} // namespace

LogicalResult isolateFunction(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  for (auto other : module.getOps<func::FuncOp>())
    other.setVisibility(other == function ? SymbolTable::Visibility::Public
                                          : SymbolTable::Visibility::Private);
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

template <typename From, typename To> void replaceBinary(ModuleOp module) {
  module.walk([](From op) {
    OpBuilder b(op);
    op.replaceAllUsesWith(To::create(b, op.getLoc(), op.getLhs(), op.getRhs()).getResult());
    op.erase();
  });
}

/// Upstream computes places of Fourier transforms in the dialect index; these are those of arith.
void computeIndicesInArith(ModuleOp module) {
  replaceBinary<index::AddOp, arith::AddIOp>(module);
  replaceBinary<index::SubOp, arith::SubIOp>(module);
  replaceBinary<index::MulOp, arith::MulIOp>(module);
  replaceBinary<index::DivUOp, arith::DivUIOp>(module);
  replaceBinary<index::RemUOp, arith::RemUIOp>(module);
}

LogicalResult tosaToLinalg(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    return isa_and_nonnull<tosa::TosaDialect>(op->getDialect()) ? WalkResult::interrupt()
                                                                : WalkResult::advance();
  });
  if (!walk.wasInterrupted())
    return success();
  PassManager lowering(module.getContext(), ModuleOp::getOperationName());
  tosa::addTosaToLinalgPasses(lowering, {}, {}, std::nullopt);
  lowering.addNestedPass<func::FuncOp>(createTosaToArithPass({/*includeApplyRescale=*/true}));
  lowering.addNestedPass<func::FuncOp>(createTosaToTensorPass());
  lowering.addNestedPass<func::FuncOp>(createTosaToSCFPass());
  if (failed(lowering.run(module)))
    return failure();
  computeIndicesInArith(module);
  return success();
}

bool prepareFunction(func::FuncOp function, const MlirRequest &request) {
  auto module = function->getParentOfType<ModuleOp>();
  // The inliner drops what is written into tensors and read by nobody. Who calls the function
  // counts on its results.
  const bool isCalled = !SymbolTable::symbolKnownUseEmpty(function, module);
  if ((!isCalled && !returnDestinations(function)) || failed(isolateFunction(function)) ||
      !returnDestinations(function) || !addSizeParameters(function, request))
    return false;
  dropProbes(function);
  if (!checkCalls(function) || failed(tosaToLinalg(module)) || !simplifyOperations(function) ||
      !unrollLoops(function))
    return false;
  expandMathForms(function);
  PassManager cleanup(module.getContext(), ModuleOp::getOperationName());
  cleanup.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  cleanup.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  cleanup.addNestedPass<func::FuncOp>(createCSEPass());
  if (failed(cleanup.run(module)))
    return false;
  foldIdentityBroadcasts(function);
  if (!dropInnerUnitDims(function))
    return false;
  readAtUnitLoops(function);
  if (!fuseChains(function))
    return false;
  resolveSizes(function);
  replaceUnreadInits(function);
  fillUnwrittenInits(function);
  widenSums(function);
  return true;
}

std::optional<ElementType> elementTypeOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (!integer.isSignless())
      return std::nullopt;
    switch (integer.getWidth()) {
    case 1:
      return ElementType::boolean;
    case 8:
      return ElementType::i8;
    case 16:
      return ElementType::i16;
    case 32:
      return ElementType::i32;
    case 64:
      return ElementType::i64;
    default:
      return std::nullopt;
    }
  }
  if (type.isF32())
    return ElementType::f32;
  if (type.isF64())
    return ElementType::f64;
  if (type.isF16())
    return ElementType::f16;
  if (type.isBF16())
    return ElementType::bf16;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::f8e4m3fn;
  if (isa<Float8E5M2Type>(type))
    return ElementType::f8e5m2;
  return std::nullopt;
}

} // namespace kgen
