// Kernels that multiply a row of B with one element of A after another: f32 and f64 by
// multiply-add, integers by multiplication and addition, bf16 by dot products of pairs or by
// widening.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class Products : VectorKernel {
public:
  Products(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder), pairs(kernel.getVnni() == 2),
        // Its instruction adds up a pair in an order and a rounding of its own.
        hasDotProduct(target.vectorProductForm(element, element) == ProductForm::dotProduct &&
                      !kernel.getSequential()),
        steps(llvm::divideCeil(kernel.getK(), kernel.getVnni())),
        sets(independentSums(rows * columns.size(), steps)) {
    while (sets > 1 && registers() > target.getVectorRegisters())
      sets /= 2;
  }

  void build();

private:
  /// An operand of a product: the element itself, or the two of a pair.
  using Terms = SmallVector<Value, 2>;

  void prefetch(Value row);
  Tile start();
  Terms termsOfB(Value row, const Column &column);
  Terms termsOfA(Value at, bool wholePair, const Column &column);
  Value multiplyAdd(Value x, Value y, Value sum, const Column &column);
  void step(Tile &tile, Value aAt, Value bAt, int64_t set, bool wholePair);
  void depth(Tile &tile, Value aAt, Value bAt);

  /// How many a step needs: sums, B's row and an element of A, both halves of them if they are
  /// widened, and the mask of the upper one.
  int64_t registers() {
    int64_t halves = pairs && !hasDotProduct ? 2 : 1;
    int64_t vectors = columns.size();
    return sets * rows * vectors + halves * (vectors + 1) + (halves - 1);
  }
  bool usesDotProduct(const Column &column) {
    return pairs && hasDotProduct && column.width * 32 >= 128;
  }
  Value widened(Value bits, const Column &column) {
    return LLVM::BitcastOp::create(b, loc, type(column), bits);
  }
  /// The even (lower) and odd (upper) elements of pairs of bf16, as f32.
  Terms widenPairs(Value pair, const Column &column) {
    Value half = splat(number32(16), column), upper = splat(number32(-65536), column);
    return {widened(arith::ShLIOp::create(b, loc, pair, half), column),
            widened(arith::AndIOp::create(b, loc, pair, upper), column)};
  }
  Value number32(int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }

  bool pairs, hasDotProduct;
  int64_t steps, sets;
};

/// Asks for the cache lines of B that lie `b_prefetch` elements after the row at `row`.
void Products::prefetch(Value row) {
  if (kernel.getBPrefetch() == 0)
    return;
  int64_t line = 64 / bytes(element);
  for (int64_t at = 0; at < static_cast<int64_t>(kernel.getN() * kernel.getVnni()); at += line)
    LLVM::Prefetch::create(b, loc, address(element, row, at + kernel.getBPrefetch()),
                           /*rw=*/0, /*hint=*/2, /*cache=*/1);
}

VectorKernel::Tile Products::start() {
  Tile tile;
  for (int64_t set = 0; set < sets; ++set)
    for (int64_t row = 0; row < rows; ++row)
      for (const Column &column : columns) {
        bool fromC = kernel.getAccumulate() && set == 0;
        Value at = fromC ? address(accumulator, c, row * kernel.getCRow() + column.start) : Value();
        tile.push_back(fromC ? load(accumulator, at, column) : zero(type(column)));
      }
  return tile;
}

Products::Terms Products::termsOfB(Value row, const Column &column) {
  Value at = address(element, row, column.start * kernel.getVnni());
  if (element == accumulator)
    return {load(element, at, column, kernel.getBPadded())};
  if (!pairs) {
    Value bits = load(b.getI16Type(), at, column, kernel.getBPadded());
    Value wide = arith::ExtUIOp::create(b, loc, type(column, b.getI32Type()), bits);
    return {widened(arith::ShLIOp::create(b, loc, wide, splat(number32(16), column)), column)};
  }
  Value pair = load(b.getI32Type(), at, column, kernel.getBPadded(), element);
  return usesDotProduct(column) ? Terms{pair} : widenPairs(pair, column);
}

/// The element of A at `at` in all lanes, or a pair of them, whose second one is zero beyond the
/// end of the row.
Products::Terms Products::termsOfA(Value at, bool wholePair, const Column &column) {
  if (element == accumulator)
    return {splat(loadScalar(element, at), column)};
  Type i32 = b.getI32Type();
  auto bits = [&](Value where) -> Value {
    return arith::ExtUIOp::create(b, loc, i32, loadScalar(b.getI16Type(), where));
  };
  if (!pairs) {
    Value high = arith::ShLIOp::create(b, loc, bits(at), number32(16));
    return {splat(LLVM::BitcastOp::create(b, loc, accumulator, high), column)};
  }
  Value pair;
  if (!wholePair)
    pair = bits(at);
  else if (kernel.getACol() == 1)
    pair = LLVM::LoadOp::create(b, loc, i32, at, bytes(element));
  else
    pair = arith::OrIOp::create(
        b, loc, bits(at),
        arith::ShLIOp::create(b, loc, bits(address(element, at, kernel.getACol())), number32(16)));
  pair = splat(pair, column);
  return usesDotProduct(column) ? Terms{pair} : widenPairs(pair, column);
}

Value Products::multiplyAdd(Value x, Value y, Value sum, const Column &column) {
  if (isa<IntegerType>(accumulator))
    return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
  if (!usesDotProduct(column))
    return LLVM::FMulAddOp::create(b, loc, type(column), x, y, sum);
  auto bf16 = VectorType::get({2 * column.width}, element);
  std::string name = "llvm.x86.avx512bf16.dpbf16ps." + std::to_string(column.width * 32);
  SmallVector<Value> operands{sum, LLVM::BitcastOp::create(b, loc, bf16, x),
                              LLVM::BitcastOp::create(b, loc, bf16, y)};
  return LLVM::CallIntrinsicOp::create(b, loc, type(column), b.getStringAttr(name), operands)
      .getResult(0);
}

/// tile[set] += A[:, k] * B[k, :], or the same for a pair of k.
void Products::step(Tile &tile, Value aAt, Value bAt, int64_t set, bool wholePair) {
  SmallVector<Terms> bRow;
  for (const Column &column : columns)
    bRow.push_back(termsOfB(bAt, column));
  prefetch(bAt);
  int64_t position = set * rows * columns.size();
  for (int64_t row = 0; row < rows; ++row) {
    Value at = address(element, aAt, row * kernel.getARow());
    for (auto [column, terms] : llvm::zip(columns, bRow)) {
      for (auto [x, y] : llvm::zip(termsOfA(at, wholePair, column), terms))
        tile[position] = multiplyAdd(x, y, tile[position], column);
      ++position;
    }
  }
}

/// All of k for one product: a loop over `sets` steps at a time, and what is left of it unrolled.
void Products::depth(Tile &tile, Value aAt, Value bAt) {
  int64_t vnni = kernel.getVnni(), aStep = kernel.getACol() * vnni;
  int64_t wholeSteps = kernel.getK() / vnni, looped = wholeSteps / sets * sets;
  if (looped > 0)
    tile = repeat(looped, sets, tile, [&](Value k, Tile &inner) {
      for (int64_t set = 0; set < sets; ++set)
        step(inner, address(element, aAt, set * aStep, k, aStep),
             address(element, bAt, set * kernel.getBRow(), k, kernel.getBRow()), set, true);
    });
  for (int64_t k = looped; k < steps; ++k)
    step(tile, address(element, aAt, 0, number(k), aStep),
         address(element, bAt, 0, number(k), kernel.getBRow()), k - looped, k < wholeSteps);
}

void Products::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  Tile tile = start();
  overProducts(tile, [&](Tile &inner, Value aAt, Value bAt) { depth(inner, aAt, bAt); });
  addUp(tile, sets);
  finish(tile);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  Products(kernel, target, builder).build();
}

} // namespace kgen
