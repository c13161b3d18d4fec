// Kernels that multiply a row of B with one element of A after another: f32 and f64 by
// multiply-add, integers by multiplication and addition, bf16 by dot products of pairs or by
// widening. Bytes have kernels of their own.
#include "providers/VectorKernels.h"
#include "providers/VectorSingleRow.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/ADT/BitVector.h>

using namespace mlir;

namespace kgen {
namespace {

class Products : VectorKernel {
public:
  Products(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder), vnni(kernel.getVnni()),
        // Its instruction adds up a pair in an order and a rounding of its own.
        hasDotProduct(element.isBF16() && bElement.isBF16() && vnni == 2 &&
                      target.vectorProductForm(element, bElement) == ProductForm::dotProduct &&
                      !kernel.getSequential()),
        steps(llvm::divideCeil(kernel.getK(), vnni)),
        sets(independentSums(rows * columns.size(), steps)), inside(rows, true),
        asking(rowsThatAsk()), singleRow(kernel, builder, element) {
    for (Column &column : columns) // one column is a vector, too
      if (column.width == 1)
        column.width = 16 / bytes(accumulator);
    while (sets > 1 && registers() > target.getVectorRegisters())
      sets /= 2;
    // LLVM mixes the steps of a body: it needs a register more, and several where it widens or has
    // no instruction for multiply-add.
    mayUnroll = element == accumulator && vnni == 1 && target.hasFeature("fma") &&
                registers() < target.getVectorRegisters();
    readsLanes = rows == 1 && element == accumulator && isa<FloatType>(element) && vnni == 1 &&
                 kernel.getACol() == 1 && singleRow.fits(columns);
  }

  void build();

private:
  /// An operand of the products of one step: its values of k one by one, as accumulators, or all in
  /// one vector of 32 bits each, as dot products take them.
  using Terms = SmallVector<Value, 4>;

  Value widen(Value value);
  Terms spread(Value group, const Column &column);
  Value groupOfA(Value at, int64_t count);
  Terms termsOfB(Value row, const Column &column);
  Terms termsOfA(Value at, int64_t count, const Column &column);
  Value multiplyAdd(Value x, Value y, Value sum, const Column &column);
  /// Where the operands of a step begin, and how many values of k they have, at most vnni.
  struct Place {
    Value a, b, wide;
    int64_t count;
    int64_t following; ///< steps from this one on that the same body has
  };
  void keep(Value wide, Value row, const Column &column);
  void step(Tile &tile, const Place &at, int64_t set);
  void singleRowStep(Tile &tile, const Place &at, int64_t set);
  void widenedStep(Tile &tile, const Place &at, int64_t set);
  void depth(Tile &tile, Value aAt, Value bAt, int64_t from, int64_t end, bool asks);
  llvm::BitVector rowsWith(llvm::function_ref<bool(const ukernel::RowInside &)> holds);
  llvm::BitVector rowsThatAsk();
  void overParts(Tile &tile);
  void partsOfDepth(Tile &tile, Value aAt, Value bAt, const llvm::BitVector &present);

  /// How many a step needs: sums, B's row and an element of A, all values of k of them if they are
  /// spread, and a mask; two more where B alone is spread, of which LLVM keeps the next one, too.
  int64_t registers() {
    int64_t terms = hasDotProduct ? 1 : vnni, vectors = columns.size();
    int64_t next = terms > 1 && element != bElement ? 2 : 0;
    return sets * rows * vectors + terms * (vectors + 1) + (terms > 1) + next;
  }
  /// Whether a row of B has all of the column's lanes: some panels are narrower than any vector.
  bool isPadded(const Column &column) {
    int64_t end = (column.start + column.width) * vnni;
    return kernel.getBPadded() && end <= static_cast<int64_t>(kernel.getBRow());
  }
  bool usesDotProduct(const Column &column) { return hasDotProduct && column.width * 32 >= 128; }
  /// Integers that are loaded in place of values of `type`: bf16 has no registers on most CPUs.
  Type loaded(Type type) { return type.isBF16() ? b.getI16Type() : type; }
  Value number32(int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }

  int64_t vnni;
  bool hasDotProduct;
  int64_t steps, sets;
  llvm::BitVector inside; ///< rows of which A has what is multiplied now
  llvm::BitVector asking; ///< rows that ask for what the batch's next product reads
  bool mayUnroll, asksForCInSteps = false;
  bool readsLanes; ///< whether several elements of A are read at once
  VectorSingleRow singleRow;
};

/// `value`, a scalar or a vector as it was loaded, as accumulators.
Value Products::widen(Value value) {
  Type from = getElementTypeOrSelf(value);
  auto with = [&](Type scalar) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(VectorType::get(vector.getShape(), scalar)) : scalar;
  };
  if (from == accumulator)
    return value;
  if (isa<FloatType>(from))
    return arith::ExtFOp::create(b, loc, with(accumulator), value);
  Type wide = with(b.getI32Type());
  Value high = number32(16);
  if (auto vector = dyn_cast<VectorType>(wide))
    high = vector::BroadcastOp::create(b, loc, vector, high);
  Value bits = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, wide, value), high);
  return LLVM::BitcastOp::create(b, loc, with(accumulator), bits);
}

/// The pairs of bf16 that share 32 bits in `group`, lowest first, as accumulators.
Products::Terms Products::spread(Value group, const Column &column) {
  Terms terms;
  Value half = splat(number32(16), column), upper = splat(number32(-65536), column);
  for (Value bits : {arith::ShLIOp::create(b, loc, group, half).getResult(),
                     arith::AndIOp::create(b, loc, group, upper).getResult()})
    terms.push_back(LLVM::BitcastOp::create(b, loc, type(column), bits));
  return terms;
}

Products::Terms Products::termsOfB(Value row, const Column &column) {
  Value at = address(bElement, row, column.start * vnni);
  if (vnni == 1)
    return {widen(load(loaded(bElement), at, column, isPadded(column)))};
  Value group = load(b.getI32Type(), at, column, isPadded(column), bElement);
  return usesDotProduct(column) ? Terms{group} : spread(group, column);
}

/// `count` values of A along k in 32 bits, lowest first, zeros in place of what is missing.
Value Products::groupOfA(Value at, int64_t count) {
  Type i32 = b.getI32Type();
  if (count == vnni && kernel.getACol() == 1)
    return LLVM::LoadOp::create(b, loc, i32, at, bytes(element));
  Value group;
  for (int64_t i = 0; i < count; ++i) {
    auto bits = b.getIntegerType(8 * bytes(element));
    Value value = loadScalar(bits, address(element, at, i * kernel.getACol()));
    value = arith::ExtUIOp::create(b, loc, i32, value);
    if (i == 0) {
      group = value;
      continue;
    }
    value = arith::ShLIOp::create(b, loc, value, number32(8 * bytes(element) * i));
    group = arith::OrIOp::create(b, loc, group, value);
  }
  return group;
}

/// `count` values of A along k from `at` on, each one in all lanes.
Products::Terms Products::termsOfA(Value at, int64_t count, const Column &column) {
  if (vnni == 1)
    return {splat(widen(loadScalar(loaded(element), at)), column)};
  Value group = splat(groupOfA(at, count), column);
  return usesDotProduct(column) ? Terms{group} : spread(group, column);
}

void Products::singleRowStep(Tile &tile, const Place &at, int64_t set) {
  bool fromLanes = singleRow.begin(at.a, at.following, columns.front());
  for (auto [index, column] : llvm::enumerate(columns)) {
    Value x = fromLanes ? singleRow.inAllLanes(column) : termsOfA(at.a, 1, column)[0];
    Value &sum = tile[set * columns.size() + index];
    sum = multiplyAdd(x, termsOfB(at.b, column)[0], sum, column);
  }
}

Value Products::multiplyAdd(Value x, Value y, Value sum, const Column &column) {
  if (isa<IntegerType>(accumulator))
    return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
  if (!usesDotProduct(column))
    return LLVM::FMulAddOp::create(b, loc, type(column), x, y, sum);
  auto bf16 = VectorType::get({vnni * column.width}, element);
  std::string name = "llvm.x86.avx512bf16.dpbf16ps." + std::to_string(column.width * 32);
  SmallVector<Value> operands{sum, LLVM::BitcastOp::create(b, loc, bf16, x),
                              LLVM::BitcastOp::create(b, loc, bf16, y)};
  return LLVM::CallIntrinsicOp::create(b, loc, type(column), b.getStringAttr(name), operands)
      .getResult(0);
}

/// Leaves a vector of widened B for other kernels: all of it, so that they may read it as a whole.
void Products::keep(Value wide, Value row, const Column &column) {
  if (wide)
    store(row, address(accumulator, wide, column.start),
          {column.start, column.width, column.width});
}

/// The same for A whose elements are read one by one, one value of k after the other: fewer widened
/// vectors of B are alive at a time.
void Products::widenedStep(Tile &tile, const Place &at, int64_t set) {
  for (int64_t k = 0; k < at.count; ++k) {
    Value wideRow = at.wide ? address(accumulator, at.wide, k * kernel.getBWide()) : Value();
    SmallVector<Value> bRow;
    for (const Column &column : columns) {
      bRow.push_back(termsOfB(at.b, column)[k]);
      keep(wideRow, bRow.back(), column);
    }
    int64_t position = set * rows * columns.size();
    for (int64_t row = 0; row < rows; ++row) {
      if (!inside[row]) {
        position += columns.size();
        continue;
      }
      Value from = address(element, at.a, kernel.getPlaceInA(row) + k * kernel.getACol());
      Value x = widen(loadScalar(loaded(element), from));
      for (auto [column, y] : llvm::zip(columns, bRow)) {
        tile[position] = multiplyAdd(splat(x, column), y, tile[position], column);
        ++position;
      }
    }
  }
}

/// tile[set] += A[:, k...] * B[k..., :] for some values of k.
void Products::step(Tile &tile, const Place &at, int64_t set) {
  if (element != bElement)
    return widenedStep(tile, at, set);
  if (readsLanes)
    return singleRowStep(tile, at, set);
  SmallVector<Terms> bRow;
  for (const Column &column : columns)
    bRow.push_back(termsOfB(at.b, column));
  int64_t position = set * rows * columns.size();
  for (int64_t row = 0; row < rows; ++row) {
    if (!inside[row]) {
      position += columns.size();
      continue;
    }
    Value from = address(element, at.a, kernel.getPlaceInA(row));
    if (asking[row])
      LLVM::Prefetch::create(b, loc, address(element, from, kernel.getABatch()), /*rw=*/0,
                             /*hint=*/3, /*cache=*/1);
    for (auto [column, terms] : llvm::zip(columns, bRow)) {
      for (auto [x, y] : llvm::zip(termsOfA(from, at.count, column), terms))
        tile[position] = multiplyAdd(x, y, tile[position], column);
      ++position;
    }
  }
}

/// Steps over k from `from`, a multiple of vnni, to `end`; not all of a kernel's steps that are
/// apart ask for B's next panel.
void Products::depth(Tile &tile, Value aAt, Value bAt, int64_t from, int64_t end, bool asks) {
  int64_t aStep = kernel.getACol() * vnni, bStep = kernel.getBRow(), k = end - from;
  int64_t products = inside.count() * static_cast<int64_t>(columns.size());
  Loop loop{k / vnni, sets, products, mayUnroll, static_cast<int64_t>(kernel.getBStreams())};
  loop.asksForC = asksForCInSteps;
  if (readsLanes && mayUnroll)
    loop.least = singleRow.size();
  if (!asks)
    loop.lines = 0;
  if (k < static_cast<int64_t>(kernel.getK()))
    loop.streams = 0;
  aAt = address(element, aAt, from * kernel.getACol());
  bAt = address(bElement, bAt, from / vnni * bStep);
  overSteps(tile, llvm::divideCeil(k, vnni), loop, [&](Tile &inner, const Step &at) {
    int64_t wideStep = vnni * kernel.getBWide();
    Value wideAt =
        wide ? address(accumulator, wide, at.constant * wideStep, at.index, wideStep) : Value();
    step(inner,
         {address(element, aAt, at.constant * aStep, at.index, aStep),
          address(bElement, bAt, at.constant * bStep, at.index, bStep), wideAt,
          at.index ? vnni : std::min(vnni, k - at.constant * vnni), at.following},
         at.set);
  });
}

llvm::BitVector Products::rowsWith(llvm::function_ref<bool(const ukernel::RowInside &)> holds) {
  llvm::BitVector result(rows);
  for (int64_t row = 0; row < rows; ++row)
    if (ukernel::RowInside part = kernel.getInside(row); !part.isEmpty() && holds(part))
      result.set(row);
  return result;
}

/// A window's rows of an image lie apart, and the one behind the batch's last is what the windows
/// below read next: each product asks for the row after its own. Where windows overlap, some rows
/// of A read all there is, and these few instructions are for nothing only if A is in the first
/// cache.
llvm::BitVector Products::rowsThatAsk() {
  llvm::BitVector result(rows);
  if (kernel.getBatch() == 1 || kernel.getACol() != 1)
    return result;
  int64_t asked = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t start = kernel.getPlaceInA(row), next = kernel.getPlaceInA(std::min(row + 1, rows - 1));
    if (start >= asked || next > asked) {
      result.set(row);
      asked = start + kernel.getK();
    }
  }
  bool isApart = static_cast<int64_t>(kernel.getABatch()) >= asked;
  return isApart && 2 * static_cast<int64_t>(result.count()) <= rows ? result
                                                                     : llvm::BitVector(rows);
}

/// Calls `visit` with each stretch between two of `cuts` that follow each other.
static void betweenCuts(SmallVector<int64_t> cuts,
                        llvm::function_ref<void(int64_t, int64_t)> visit) {
  llvm::sort(cuts);
  for (size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i - 1] < cuts[i])
      visit(cuts[i - 1], cuts[i]);
}

/// Products that A has the same rows of, and of each of them values of k.
void Products::overParts(Tile &tile) {
  a = address(element, a, -kernel.getSpanOfA().first);
  SmallVector<int64_t> cuts;
  llvm::BitVector all = rowsWith([](const ukernel::RowInside &) { return true; });
  for (int64_t row : all.set_bits()) {
    cuts.push_back(kernel.getInside(row).firstProduct);
    cuts.push_back(kernel.getInside(row).endOfProducts);
  }
  betweenCuts(cuts, [&](int64_t first, int64_t end) {
    llvm::BitVector present = rowsWith([&](const ukernel::RowInside &part) {
      return part.firstProduct <= first && end <= part.endOfProducts;
    });
    if (present.any())
      overProducts(tile, first, end, [&](Tile &inner, Value aAt, Value bAt) {
        partsOfDepth(inner, aAt, bAt, present);
      });
  });
  inside.set();
}

void Products::partsOfDepth(Tile &tile, Value aAt, Value bAt, const llvm::BitVector &present) {
  SmallVector<int64_t> cuts;
  for (int64_t row : present.set_bits()) {
    cuts.push_back(kernel.getInside(row).firstK);
    cuts.push_back(kernel.getInside(row).endOfK);
  }
  int64_t longest = 0;
  betweenCuts(cuts, [&](int64_t from, int64_t end) { longest = std::max(longest, end - from); });
  betweenCuts(cuts, [&](int64_t from, int64_t end) {
    inside = rowsWith(
        [&](const ukernel::RowInside &part) { return part.firstK <= from && end <= part.endOfK; });
    inside &= present;
    if (inside.none())
      return;
    depth(tile, aAt, bAt, from, end, /*asks=*/end - from == longest);
    longest = end - from == longest ? -1 : longest; // one of them asks
  });
}

void Products::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  // C comes from far: a long kernel reads it when it is here.
  bool addsC = kernel.getAccumulate() && !kernel.getSequential() && !sums && isLong();
  asksForCInSteps =
      mayAskForCInSteps() && !kernel.getAInside() && (addsC || !kernel.getAccumulate());
  asksForCInProducts = isLong() && kernel.getBatch() > 1 && !kernel.getAccumulate();
  Tile tile = start(sets, /*readsC=*/!addsC, /*asksForC=*/!asksForCInSteps && !asksForCInProducts);
  if (kernel.getAInside())
    overParts(tile);
  else
    overProducts(tile, [&](Tile &inner, Value aAt, Value bAt) {
      depth(inner, aAt, bAt, 0, kernel.getK(), /*asks=*/true);
    });
  addUp(tile, sets);
  if (addsC)
    addC(tile);
  finish(tile);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  Products(kernel, target, builder).build();
}

} // namespace kgen
