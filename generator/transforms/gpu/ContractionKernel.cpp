// Products in tiles. Sums of an image's windows are products, too: a matrix's rows are then those of
// its windows, whose elements are found by their place in the image.
#include "transforms/gpu/Kernels.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

constexpr int64_t unrolledCopies = 8; ///< elements of a tile that a thread copies without a loop

/// Indices of a tensor that must be within its bounds: what is around it is zero.
struct Bound {
  LinearForm index;
  int64_t size;
};

/// A or B: a memref, an address and bounds as functions of all loops.
struct Factor {
  Value memref;
  LinearForm address;
  SmallVector<Bound> bounds;
  bool isUnsigned = false;
};

std::optional<Factor> factorOf(Value operand, AffineMap map) {
  Factor factor;
  SmallVector<int64_t> low(map.getNumResults(), 0);
  factor.memref = operand;
  auto pad = operand.getDefiningOp<tpp::ImplicitPadOp>();
  if (pad) {
    factor.memref = pad.getSource();
    low.assign(pad.getLow().begin(), pad.getLow().end());
  }
  std::optional<FlatMemory> flat = flatten(factor.memref);
  if (!flat)
    return std::nullopt;
  factor.address.factors.assign(map.getNumDims(), 0);
  factor.address.constant = flat->offset;
  auto shape = cast<MemRefType>(factor.memref.getType()).getShape();
  for (unsigned d = 0; d < map.getNumResults(); ++d) {
    std::optional<LinearForm> index = linearFormOf(map.getResult(d), map.getNumDims());
    if (!index)
      return std::nullopt;
    index->constant -= low[d];
    for (auto [sum, own] : llvm::zip_equal(factor.address.factors, index->factors))
      sum += own * flat->strides[d];
    factor.address.constant += index->constant * flat->strides[d];
    if (pad && (pad.getLow()[d] != 0 || pad.getHigh()[d] != 0))
      factor.bounds.push_back({std::move(*index), shape[d]});
  }
  return factor;
}

/// What a product is: loops by what they index, and operands.
struct Product {
  tpp::ContractionOpInterface op;
  SmallVector<int64_t> sizes;
  FlatLoops batch, m, n, k;
  Factor a, b;
  Type sumType;
};

std::optional<Product> productOf(tpp::ContractionOpInterface op, std::string &reason) {
  if (op.getPanel() || op.getVnni() != 1 || op.getBQuant()) {
    reason = "is of packed or quantized matrices";
    return std::nullopt;
  }
  Type sumType = cast<tpp::TileOpInterface>(op.getOperation()).getAccumulatorType();
  if (!isa<FloatType>(sumType)) {
    reason = "is of integers, which products on graphics cards are not made of yet";
    return std::nullopt;
  }
  auto tile = cast<tpp::TileOpInterface>(op.getOperation());
  SmallVector<int64_t> sizes = tile.getIterationSizes();
  if (llvm::any_of(sizes, ShapedType::isDynamic)) {
    reason = "has sizes that are known at run time only";
    return std::nullopt;
  }
  std::optional<Factor> a = factorOf(op.getA(), op.getAMap()), b = factorOf(op.getB(), op.getBMap());
  if (!a || !b || !flatten(op.getInit()) ||
      llvm::any_of(op.getEpilogueIns(), [](Value value) { return !flatten(value); })) {
    reason = "has a tensor whose place in memory is known at run time only, or of 2^31 elements "
             "and more";
    return std::nullopt;
  }
  SmallVector<unsigned> batch, m, n, k;
  const unsigned parallel = sizes.size() - op.getReductionRank();
  for (unsigned d = 0; d < sizes.size(); ++d) {
    bool inA = op.getAMap().isFunctionOfDim(d), inB = op.getBMap().isFunctionOfDim(d);
    (d >= parallel ? k : inA == inB ? batch : inA ? m : n).push_back(d);
  }
  return Product{op,
                 sizes,
                 FlatLoops(batch, sizes),
                 FlatLoops(m, sizes),
                 FlatLoops(n, sizes),
                 FlatLoops(k, sizes),
                 std::move(*a),
                 std::move(*b),
                 sumType};
}

/// Builds the kernel of a product.
class TileCode {
public:
  TileCode(KernelBuilder &kernel, const Product &product, const GpuTile &tile)
      : kernel(kernel), b(kernel.b), loc(kernel.loc), math(kernel.math), product(product),
        tile(tile) {}

  void build() {
    inShared[0] = kernel.shared(product.sumType, tile.blockK * tile.pitchA());
    inShared[1] = kernel.shared(product.sumType, tile.blockK * tile.pitchB());
    firstM = math.times(kernel.block(1), tile.blockM);
    firstN = math.times(kernel.block(0), tile.blockN);
    batch = kernel.block(2);
    column = kernel.thread(0);
    row = kernel.thread(1);
    thread = math.add(math.times(row, tile.columns()), column);
    finish(addUp());
  }

private:
  Value zero() { return arith::ConstantOp::create(b, loc, b.getZeroAttr(product.sumType)); }

  /// The element of A or B at a point, widened; zero beyond the matrix and around the image.
  Value element(const Factor &factor, const FlatLoops &lines, Value line, Value k) {
    Value inside;
    if (lines.count() % (&factor == &product.a ? tile.blockM : tile.blockN) != 0)
      inside = math.isBelow(line, lines.count());
    if (product.k.count() % tile.blockK != 0)
      inside = math.both(inside, math.isBelow(k, product.k.count()));
    for (const Bound &bound : factor.bounds)
      inside = math.both(inside, math.isBelow(at(bound.index, lines, line, k), bound.size));
    Value address = math.orZero(inside, at(factor.address, lines, line, k));
    Value value = widened(kernel.loadAt(factor.memref, address));
    return inside ? arith::SelectOp::create(b, loc, inside, value, zero()).getResult() : value;
  }

  /// A sum of multiples of loops, at a line of A or B and a term.
  Value at(const LinearForm &form, const FlatLoops &lines, Value line, Value k) {
    Value sum = math.add(lines.dot(math, line, form), product.k.dot(math, k, form));
    return math.add(math.add(sum, product.batch.dot(math, batch, form)), form.constant);
  }

  Value widened(Value value) {
    if (value.getType() == product.sumType)
      return value;
    return arith::ExtFOp::create(b, loc, product.sumType, value);
  }

  /// Each thread copies its share of a tile: neighbours copy what is side by side in memory.
  void copyTile(const Factor &factor, const FlatLoops &lines, Value firstLine, Value firstK,
                int64_t blockLines, Value into, int64_t pitch) {
    const int64_t all = blockLines * tile.blockK, threads = tile.threads();
    const bool alongK = product.k.innerFactor(factor.address) == 1 &&
                        lines.innerFactor(factor.address) != 1;
    auto copyOne = [&](Value number, bool isGuarded) {
      OpBuilder::InsertionGuard afterwards(b);
      if (isGuarded) {
        auto guard = scf::IfOp::create(b, loc, math.isBelow(number, all), false);
        b.setInsertionPointToStart(guard.thenBlock());
      }
      const int64_t inner = alongK ? tile.blockK : blockLines;
      Value fast = math.modulo(number, inner), slow = math.dividedBy(number, inner);
      Value k = alongK ? fast : slow, line = alongK ? slow : fast;
      Value value = element(factor, lines, math.add(firstLine, line), math.add(firstK, k));
      memref::StoreOp::create(b, loc, value, into, math.add(math.times(k, pitch), line));
    };
    if (all > unrolledCopies * threads) {
      auto loop = scf::ForOp::create(b, loc, thread, math.constant(all), math.constant(threads));
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(loop.getBody());
      return copyOne(loop.getInductionVar(), /*isGuarded=*/false);
    }
    for (int64_t begin = 0; begin < all; begin += threads)
      copyOne(math.add(thread, begin), begin + threads > all);
  }

  /// The sums of a thread, row by row.
  SmallVector<Value> addUp() {
    SmallVector<Value> zeros(tile.threadM * tile.threadN, zero());
    if (product.k.count() == 0)
      return zeros;
    auto loop = scf::ForOp::create(b, loc, math.constant(0), math.constant(product.k.count()),
                                   math.constant(tile.blockK), zeros);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstK = loop.getInductionVar();
    copyTile(product.a, product.m, firstM, firstK, tile.blockM, inShared[0], tile.pitchA());
    copyTile(product.b, product.n, firstN, firstK, tile.blockN, inShared[1], tile.pitchB());
    kernel.barrier();
    SmallVector<Value> sums = addTerms(loop.getRegionIterArgs());
    kernel.barrier();
    scf::YieldOp::create(b, loc, sums);
    return llvm::to_vector(llvm::map_range(loop.getResults(), [](OpResult r) { return Value(r); }));
  }

  SmallVector<Value> addTerms(ValueRange before) {
    auto loop = scf::ForOp::create(b, loc, math.constant(0), math.constant(tile.blockK),
                                   math.constant(1), before);
    loop->setAttr("kgen.unroll", b.getUnitAttr());
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value lineA = math.add(math.times(k, tile.pitchA()), math.times(row, tile.threadM));
    Value lineB = math.add(math.times(k, tile.pitchB()), math.times(column, tile.threadN));
    SmallVector<Value> left, right, sums;
    for (int64_t i = 0; i < tile.threadM; ++i)
      left.push_back(memref::LoadOp::create(b, loc, inShared[0], math.add(lineA, i)));
    for (int64_t j = 0; j < tile.threadN; ++j)
      right.push_back(memref::LoadOp::create(b, loc, inShared[1], math.add(lineB, j)));
    for (int64_t i = 0; i < tile.threadM; ++i)
      for (int64_t j = 0; j < tile.threadN; ++j)
        sums.push_back(math::FmaOp::create(b, loc, left[i], right[j],
                                           loop.getRegionIterArg(i * tile.threadN + j)));
    scf::YieldOp::create(b, loc, sums);
    return llvm::to_vector(llvm::map_range(loop.getResults(), [](OpResult r) { return Value(r); }));
  }

  /// The epilogue and the result, element by element.
  void finish(ArrayRef<Value> sums) {
    for (int64_t i = 0; i < tile.threadM; ++i)
      for (int64_t j = 0; j < tile.threadN; ++j) {
        Value m = math.add(math.add(firstM, math.times(row, tile.threadM)), i);
        Value n = math.add(math.add(firstN, math.times(column, tile.threadN)), j);
        Value inside;
        if (product.m.count() % tile.blockM != 0)
          inside = math.isBelow(m, product.m.count());
        if (product.n.count() % tile.blockN != 0)
          inside = math.both(inside, math.isBelow(n, product.n.count()));
        OpBuilder::InsertionGuard afterwards(b);
        if (inside) {
          auto guard = scf::IfOp::create(b, loc, inside, false);
          b.setInsertionPointToStart(guard.thenBlock());
        }
        finish(sums[i * tile.threadN + j], m, n);
      }
  }

  void finish(Value sum, Value m, Value n) {
    tpp::ContractionOpInterface op = product.op;
    SmallVector<Value> all(product.sizes.size());
    product.batch.split(math, batch, all);
    product.m.split(math, m, all);
    product.n.split(math, n, all);
    SmallVector<Value> indices(all.begin(), all.end() - op.getReductionRank());
    if (op.getAccumulate())
      sum = arith::AddFOp::create(b, loc, kernel.load(op.getInit(), indices), sum);
    SmallVector<Value> arguments{sum};
    for (auto [operand, map] : llvm::zip_equal(op.getEpilogueIns(),
                                               op.getEpilogueMaps().getAsValueRange<AffineMapAttr>())) {
      SmallVector<Value> own;
      for (AffineExpr result : map.getResults())
        own.push_back(indices[cast<AffineDimExpr>(result).getPosition()]);
      arguments.push_back(kernel.load(operand, own));
    }
    Value result = kernel.inlineBody(op.getEpilogue().front(), arguments, indices).front();
    kernel.store(result, op.getInit(), indices);
  }

  KernelBuilder &kernel;
  OpBuilder &b;
  const Location loc;
  const IndexMath &math;
  const Product &product;
  const GpuTile &tile;
  Value inShared[2];                                        ///< tiles of A and B, a row for each k
  Value firstM, firstN, batch, column, row, thread; ///< of the block; of the thread
};

} // namespace

bool buildContractionKernel(gpu::GPUModuleOp module, StringRef name, const GpuFacts &gpu,
                            tpp::ContractionOpInterface op, std::string &reason) {
  std::optional<Product> product = productOf(op, reason);
  if (!product)
    return false;
  GpuTile tile = chooseGpuTile(
      gpu, {product->batch.count(), product->m.count(), product->n.count(), product->k.count()});
  Grid grid;
  grid.threads = {tile.columns(), tile.rows(), 1};
  grid.blocks = {int64_t(llvm::divideCeil(product->n.count(), tile.blockN)),
                 int64_t(llvm::divideCeil(product->m.count(), tile.blockM)), product->batch.count()};
  if (llvm::any_of(grid.blocks, [](int64_t blocks) { return blocks > 65535; })) {
    reason = "takes more blocks than a grid may have";
    return false;
  }
  SmallVector<Value> memrefs{product->a.memref, product->b.memref, op.getInit()};
  llvm::append_range(memrefs, op.getEpilogueIns());
  KernelBuilder kernel(module, op, name, memrefs, grid);
  TileCode(kernel, *product, tile).build();
  kernel.finish();
  return true;
}

} // namespace kgen::gpu_kernels
