// Products in tiles. Sums of an image's windows are products, too: a matrix's rows are then those
// of its windows, whose elements are found by their place in the image.
#include "transforms/gpu/Kernels.h"
#include "transforms/gpu/TileOperand.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

constexpr int64_t copyWidth = 4;         ///< elements of f32 in the widest access of memory
constexpr int64_t prefetchedValues = 16; ///< of a thread and a tile, in registers

/// Builds the kernel of a product.
class TileCode {
public:
  TileCode(KernelBuilder &kernel, const Product &product, const GpuTile &tile)
      : kernel(kernel), b(kernel.b), loc(kernel.loc), math(kernel.math), product(product),
        tile(tile) {}

  void build() {
    firstM = math.times(kernel.block(1), tile.blockM);
    firstN = math.times(kernel.block(0), tile.blockN);
    batch = kernel.block(2);
    column = kernel.thread(0);
    row = kernel.thread(1);
    thread = math.add(math.times(row, tile.columns()), column);
    operands = {operandOf(product.a, product.m, firstM, tile.blockM, tile.pitchA()),
                operandOf(product.b, product.n, firstN, tile.blockN, tile.pitchB())};
    finish(addUp());
  }

private:
  Value zero() { return arith::ConstantOp::create(b, loc, b.getZeroAttr(product.sumType)); }

  TileOperand operandOf(const Factor &factor, const FlatLoops &lines, Value first,
                        int64_t blockLines, int64_t pitch) {
    TileOperand operand{&factor,
                        &lines,
                        first,
                        blockLines,
                        pitch,
                        kernel.shared(product.sumType, tile.blockK * pitch),
                        product.k.innerFactor(factor.address) == 1 &&
                            lines.innerFactor(factor.address) != 1,
                        1};
    const int64_t inner = operand.isAlongK ? tile.blockK : blockLines;
    if (inner % (2 * copyWidth) == 0 &&
        blockLines * tile.blockK % (copyWidth * tile.threads()) == 0)
      operand.width = copyWidth;
    // Else neighbours are copied by neighbouring threads.
    if (!operand.isAligned(product))
      operand.width = 1;
    return operand;
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

  /// True where a point is within the matrix and the image; null: everywhere. `isAhead`: the terms
  /// may be those after the last.
  Value isInside(const TileOperand &operand, Value line, Value k, bool isAhead) {
    Value inside;
    if (operand.lines->count() % operand.blockLines != 0)
      inside = math.isBelow(line, operand.lines->count());
    if (isAhead || product.k.count() % tile.blockK != 0)
      inside = math.both(inside, math.isBelow(k, product.k.count()));
    for (const Bound &bound : operand.factor->bounds)
      inside =
          math.both(inside, math.isBelow(at(bound.index, *operand.lines, line, k), bound.size));
    return inside;
  }

  /// The line and the term of a thread's share: number `share`, and there neighbour `e`.
  std::pair<Value, Value> pointOf(const TileOperand &operand, Value share, int64_t e) {
    const int64_t width = operand.width;
    if (!operand.isAlongK) {
      const int64_t inner = operand.blockLines / width;
      Value line = math.add(math.times(math.modulo(share, inner), width), e);
      return {line, math.dividedBy(share, inner)};
    }
    if (width == 1)
      return {math.dividedBy(share, tile.blockK), math.modulo(share, tile.blockK)};
    // Two neighbours fill a sector of 32 bytes; the lines after them are in other banks.
    Value rest = math.dividedBy(share, 2);
    Value group =
        math.add(math.times(math.dividedBy(rest, operand.blockLines), 2), math.modulo(share, 2));
    return {math.modulo(rest, operand.blockLines), math.add(math.times(group, width), e)};
  }

  int64_t sharesOf(const TileOperand &operand) const {
    return llvm::divideCeil(operand.blockLines * tile.blockK, operand.width * tile.threads());
  }

  /// The elements of a thread's share; zero beyond the matrix and around the image.
  void loadShare(const TileOperand &operand, Value share, Value firstK, bool isAhead,
                 SmallVectorImpl<Value> &values) {
    Value inside, address;
    SmallVector<Value> vector;
    for (int64_t e = 0; e < operand.width; ++e) {
      auto [line, k] = pointOf(operand, share, e);
      line = math.add(operand.first, line);
      k = math.add(firstK, k);
      if (e == 0 || !operand.isUniform(product)) {
        inside = isInside(operand, line, k, isAhead);
        address = math.orZero(inside, at(operand.factor->address, *operand.lines, line, k));
      }
      if (e == 0 && operand.isVector(product))
        vector = kernel.loadVectorAt(operand.factor->memref, address, operand.width);
      Value place = operand.isUniform(product) ? math.add(address, e) : address;
      Value value =
          vector.empty() ? widened(kernel.loadAt(operand.factor->memref, place)) : vector[e];
      values.push_back(inside ? arith::SelectOp::create(b, loc, inside, value, zero()).getResult()
                              : value);
    }
  }

  void storeShare(const TileOperand &operand, Value share, ArrayRef<Value> values) {
    if (!operand.isAlongK && product.sumType.isF32()) {
      auto [line, k] = pointOf(operand, share, 0);
      return kernel.storeShared(values, operand.shared,
                                math.add(math.times(k, operand.pitch), line));
    }
    for (int64_t e = 0; e < operand.width; ++e) {
      auto [line, k] = pointOf(operand, share, e);
      memref::StoreOp::create(b, loc, values[e], operand.shared,
                              math.add(math.times(k, operand.pitch), line));
    }
  }

  /// Copies a tile whose shares are too many to be in registers.
  void copyInLoop(const TileOperand &operand, Value firstK) {
    const int64_t all = operand.blockLines * tile.blockK / operand.width;
    auto loop =
        scf::ForOp::create(b, loc, thread, math.constant(all), math.constant(tile.threads()));
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values;
    loadShare(operand, loop.getInductionVar(), firstK, /*isAhead=*/false, values);
    storeShare(operand, loop.getInductionVar(), values);
  }

  Value shareOf(int64_t number) { return math.add(thread, number * tile.threads()); }

  bool isGuarded(const TileOperand &operand, int64_t number) const {
    return (number + 1) * tile.threads() > operand.blockLines * tile.blockK / operand.width;
  }

  /// True if a thread's shares are read into registers while the tile before is computed with.
  bool isPrefetched(const TileOperand &operand) const {
    return sharesOf(operand) * operand.width <= prefetchedValues &&
           !isGuarded(operand, sharesOf(operand) - 1);
  }

  void prefetch(const TileOperand &operand, Value firstK, bool isAhead,
                SmallVectorImpl<Value> &values) {
    if (isPrefetched(operand))
      for (int64_t number = 0; number < sharesOf(operand); ++number)
        loadShare(operand, shareOf(number), firstK, isAhead, values);
  }

  /// Fills a tile; takes what has been prefetched from the front of `values`.
  void fill(const TileOperand &operand, Value firstK, ArrayRef<Value> &values) {
    if (!isPrefetched(operand))
      return copyInLoop(operand, firstK);
    for (int64_t number = 0; number < sharesOf(operand); ++number) {
      storeShare(operand, shareOf(number), values.take_front(operand.width));
      values = values.drop_front(operand.width);
    }
  }

  /// The sums of a thread, row by row.
  SmallVector<Value> addUp() {
    SmallVector<Value> begin(tile.threadM * tile.threadN, zero());
    const size_t sums = begin.size();
    if (product.k.count() == 0)
      return begin;
    for (const TileOperand &operand : operands)
      prefetch(operand, math.constant(0), /*isAhead=*/false, begin);
    auto loop = scf::ForOp::create(b, loc, math.constant(0), math.constant(product.k.count()),
                                   math.constant(tile.blockK), begin);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstK = loop.getInductionVar();
    SmallVector<Value> carried(loop.getRegionIterArgs());
    ArrayRef<Value> prefetched = ArrayRef(carried).drop_front(sums);
    for (const TileOperand &operand : operands)
      fill(operand, firstK, prefetched);
    kernel.barrier();
    SmallVector<Value> next;
    for (const TileOperand &operand : operands)
      prefetch(operand, math.add(firstK, tile.blockK), /*isAhead=*/true, next);
    SmallVector<Value> yielded = addTerms(ArrayRef(carried).take_front(sums));
    llvm::append_range(yielded, next);
    kernel.barrier();
    scf::YieldOp::create(b, loc, yielded);
    return llvm::to_vector(
        llvm::map_range(loop.getResults().take_front(sums), [](OpResult r) { return Value(r); }));
  }

  /// The neighbours of a thread's `count` that are one access of shared memory.
  int64_t atOnce(int64_t count) const {
    return product.sumType.isF32() && count % copyWidth == 0 ? copyWidth : 1;
  }

  /// The column of a thread's sum in the block: groups of four, so that vectors of neighbours are
  /// side by side.
  Value columnOf(int64_t j) {
    const int64_t group = std::min<int64_t>(tile.threadN, copyWidth);
    return math.add(math.times(column, group), j / group * group * tile.columns() + j % group);
  }

  SmallVector<Value> addTerms(ValueRange before) {
    auto loop = scf::ForOp::create(b, loc, math.constant(0), math.constant(tile.blockK),
                                   math.constant(1), before);
    loop->setAttr("kgen.unroll", b.getUnitAttr());
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value lineA = math.add(math.times(k, tile.pitchA()), math.times(row, tile.threadM));
    Value lineB = math.times(k, tile.pitchB());
    SmallVector<Value> left, right, sums;
    const int64_t rowsAtOnce = atOnce(tile.threadM), columnsAtOnce = atOnce(tile.threadN);
    for (int64_t i = 0; i < tile.threadM; i += rowsAtOnce)
      llvm::append_range(left,
                         kernel.loadShared(operands[0].shared, math.add(lineA, i), rowsAtOnce));
    for (int64_t j = 0; j < tile.threadN; j += columnsAtOnce)
      llvm::append_range(right, kernel.loadShared(operands[1].shared, math.add(lineB, columnOf(j)),
                                                  columnsAtOnce));
    for (int64_t i = 0; i < tile.threadM; ++i)
      for (int64_t j = 0; j < tile.threadN; ++j)
        sums.push_back(math::FmaOp::create(b, loc, left[i], right[j],
                                           loop.getRegionIterArg(i * tile.threadN + j)));
    scf::YieldOp::create(b, loc, sums);
    return llvm::to_vector(llvm::map_range(loop.getResults(), [](OpResult r) { return Value(r); }));
  }

  /// The epilogue and the result, element by element.
  void finish(ArrayRef<Value> sums) {
    const int64_t count = storedAtOnce();
    for (int64_t i = 0; i < tile.threadM; ++i)
      for (int64_t j = 0; j < tile.threadN; j += count) {
        Value m = math.add(math.add(firstM, math.times(row, tile.threadM)), i);
        Value n = math.add(firstN, columnOf(j));
        Value inside;
        if (product.m.count() % tile.blockM != 0)
          inside = math.isBelow(m, product.m.count());
        if (product.n.count() % tile.blockN != 0)
          inside = math.both(inside, math.isBelow(n, product.n.count()));
        kernel.where(inside, [&] {
          SmallVector<Value> results;
          for (int64_t e = 0; e < count; ++e)
            results.push_back(
                resultOf(sums[i * tile.threadN + j + e], indicesAt(m, math.add(n, e))));
          Value first = kernel.address(init(), indicesAt(m, n));
          kernel.storeVectorAt(results, init(), first);
        });
      }
  }

  Value init() {
    tpp::ContractionOpInterface op = product.op;
    return op.getInit();
  }

  unsigned reductionRank() {
    tpp::ContractionOpInterface op = product.op;
    return op.getReductionRank();
  }

  /// The neighbours of a row that a thread stores as a vector: they are all inside or all outside.
  int64_t storedAtOnce() {
    tpp::ContractionOpInterface op = product.op;
    FlatMemory flat = *flatten(op.getInit());
    auto type = cast<MemRefType>(op.getInit().getType());
    const unsigned last = type.getRank() - 1;
    const bool isOfN = !op.getAMap().isFunctionOfDim(last) && op.getBMap().isFunctionOfDim(last);
    auto isMultiple = [](int64_t stride) { return stride % copyWidth == 0; };
    const bool fits = isOfN && type.getElementType().isF32() && flat.strides.back() == 1 &&
                      isMultiple(type.getShape().back()) && isMultiple(flat.offset) &&
                      llvm::all_of(ArrayRef(flat.strides).drop_back(), isMultiple);
    return fits ? atOnce(tile.threadN) : 1;
  }

  SmallVector<Value> indicesAt(Value m, Value n) {
    SmallVector<Value> all(product.sizes.size());
    product.batch.split(math, batch, all);
    product.m.split(math, m, all);
    product.n.split(math, n, all);
    all.truncate(all.size() - reductionRank());
    return all;
  }

  Value resultOf(Value sum, ArrayRef<Value> indices) {
    tpp::ContractionOpInterface op = product.op;
    if (op.getAccumulate())
      sum = arith::AddFOp::create(b, loc, kernel.load(op.getInit(), indices), sum);
    SmallVector<Value> arguments{sum};
    for (auto [operand, map] : llvm::zip_equal(
             op.getEpilogueIns(), op.getEpilogueMaps().getAsValueRange<AffineMapAttr>())) {
      SmallVector<Value> own;
      for (AffineExpr result : map.getResults())
        own.push_back(indices[cast<AffineDimExpr>(result).getPosition()]);
      arguments.push_back(kernel.load(operand, own));
    }
    return kernel.inlineBody(op.getEpilogue().front(), arguments, indices).front();
  }

  KernelBuilder &kernel;
  OpBuilder &b;
  const Location loc;
  const IndexMath &math;
  const Product &product;
  const GpuTile &tile;
  SmallVector<TileOperand, 2> operands;             ///< tiles of A and B, a row for each term
  Value firstM, firstN, batch, column, row, thread; ///< of the block; of the thread
};

} // namespace

std::optional<BuiltKernel> buildContractionKernel(gpu::GPUModuleOp module, StringRef name,
                                                  const GpuFacts &gpu,
                                                  tpp::ContractionOpInterface op,
                                                  std::string &reason) {
  std::optional<Product> product = productOf(op, reason);
  if (!product)
    return std::nullopt;
  const GpuProduct size = product->size();
  std::vector<GpuTileOffer> offers = tileOffers(gpu, *product);
  const GpuTile tile = chooseGpuTile(offers);
  Grid grid;
  grid.threads = {tile.columns(), tile.rows(), 1};
  grid.blocks = {int64_t(llvm::divideCeil(size.n, tile.blockN)),
                 int64_t(llvm::divideCeil(size.m, tile.blockM)), size.batch};
  if (llvm::any_of(grid.blocks, [](int64_t blocks) { return blocks > 65535; })) {
    reason = "takes more blocks than a grid may have";
    return std::nullopt;
  }
  SmallVector<Value> memrefs{product->a.memref, product->b.memref, op.getInit()};
  llvm::append_range(memrefs, op.getEpilogueIns());
  KernelBuilder kernel(module, op, name, memrefs, grid);
  TileCode(kernel, *product, tile).build();
  return BuiltKernel{kernel.finish(),
                     "product",
                     kernel.leastBytes(),
                     size,
                     tile,
                     std::move(offers),
                     product->sumRegisters() * tile.registers()};
}

} // namespace kgen::gpu_kernels
