// Kernels that multiply bytes whose fours along k share 32 bits in B.
//
// Where the target has an instruction for it and the signs fit, four products are added up at once
// (vpdpbusd: one operand without sign, the other with it). Otherwise the bytes become 16 bits wide,
// and pairs of products are added up (vpmaddwd), which is exact for any signs: first the even
// values of each four, then the odd ones, which shifts and masks separate without moving them to
// other lanes. B is widened in registers, A once in blocks of k on the stack.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class IntegerProducts : VectorKernel {
public:
  IntegerProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder),
        hasDotProduct(target.vectorProductForm(element, bElement) == ProductForm::dotProduct &&
                      kernel.getAUnsigned() != kernel.getBUnsigned()),
        lanes(target.lanes(accumulator)), steps(llvm::divideCeil(kernel.getK(), four)) {
    for (Column &column : columns) // no instruction takes less than 128 bits
      column.width = std::max<int64_t>(column.width, 4);
    // Pairs are added up by additions that do not wait for the multiplication.
    sets = hasDotProduct ? independentSums(rows * columns.size(), steps) : 1;
    while (sets > 1 && (sets * rows + 1) * static_cast<int64_t>(columns.size()) + 1 >
                           target.getVectorRegisters())
      sets /= 2;
  }

  void build();

private:
  /// Values of k in 32 bits, and of how many fours of A a block on the stack has.
  static constexpr int64_t four = 4, block = 64;
  /// What is multiplied: fours of bytes, or the even and the odd values as pairs of 16 bits.
  using Terms = SmallVector<Value, 2>;

  Value splat16(int64_t value, Value like);
  Terms halves(Value fours, bool isUnsigned);
  Value foursOfB(Value at, const Column &column);
  Value fourOfA(Value at, int64_t count);
  Value multiplyAdd(Value x, Value y, Value sum, const Column &column);
  void step(Tile &tile, int64_t set, Value bAt,
            llvm::function_ref<Value(int64_t, int64_t)> termOfA);
  void depth(Tile &tile, Value aAt, Value bAt);

  Value widened(int64_t row, int64_t term, int64_t constant, Value index, int64_t scale);
  void widen(Value fours, int64_t row, int64_t constant, Value index = {}, int64_t scale = 1);
  void widenVectors(Value aAt, int64_t count);
  void widenOneByOne(Value aAt, int64_t count);
  void widenRows(Value aAt, int64_t k);
  void blockDepth(Tile &tile, Value aAt, Value bAt, int64_t k);
  void overBlocks(Tile &tile, Value aAt, Value bAt);

  bool hasDotProduct;
  int64_t lanes, steps, sets;
  Value pairs; ///< a block of A: for each row the even values of its fours, then the odd ones
};

Value IntegerProducts::splat16(int64_t value, Value like) {
  auto vector = cast<VectorType>(like.getType());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vector, b.getI16IntegerAttr(static_cast<int16_t>(value))));
}

/// The even and the odd values of vectors of fours.
IntegerProducts::Terms IntegerProducts::halves(Value fours, bool isUnsigned) {
  int64_t width = cast<VectorType>(fours.getType()).getDimSize(0);
  Value all = LLVM::BitcastOp::create(b, loc, VectorType::get({2 * width}, b.getI16Type()), fours);
  Value eight = splat16(8, all);
  if (isUnsigned)
    return {arith::AndIOp::create(b, loc, all, splat16(255, all)),
            arith::ShRUIOp::create(b, loc, all, eight)};
  Value high = arith::ShLIOp::create(b, loc, all, eight);
  return {arith::ShRSIOp::create(b, loc, high, eight), arith::ShRSIOp::create(b, loc, all, eight)};
}

/// A vector of fours of B. Of panels narrower than the vector, only the panel is read.
Value IntegerProducts::foursOfB(Value at, const Column &column) {
  Type i32 = b.getI32Type();
  Column read = column;
  if (kernel.getBPadded())
    read.width = static_cast<int64_t>(llvm::PowerOf2Ceil(column.lanes));
  Value fours = load(i32, at, read, kernel.getBPadded(), bElement);
  if (read.width == column.width)
    return fours;
  auto positions = llvm::to_vector(llvm::seq<int64_t>(0, column.width));
  for (int64_t &position : positions) // what is no part of the panel is zero
    position = std::min(position, read.width);
  return vector::ShuffleOp::create(b, loc, fours, zero(fours.getType()), positions);
}

/// `count` values of A along k in 32 bits, lowest first, zeros in place of what is missing.
Value IntegerProducts::fourOfA(Value at, int64_t count) {
  Type i32 = b.getI32Type();
  if (count == four && kernel.getACol() == 1)
    return LLVM::LoadOp::create(b, loc, i32, at, bytes(element));
  Value all;
  for (int64_t i = 0; i < count; ++i) {
    Value value = loadScalar(element, address(element, at, i * kernel.getACol()));
    value = arith::ExtUIOp::create(b, loc, i32, value);
    if (i > 0) {
      Value shift = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(8 * i));
      value = arith::OrIOp::create(b, loc, all, arith::ShLIOp::create(b, loc, value, shift));
    }
    all = value;
  }
  return all;
}

/// sum + x * y, where x comes from A and y from B.
Value IntegerProducts::multiplyAdd(Value x, Value y, Value sum, const Column &column) {
  std::string bits = std::to_string(column.width * 32);
  auto call = [&](const Twine &name, Type operand, ArrayRef<Value> factors) -> Value {
    SmallVector<Value> operands;
    if (hasDotProduct)
      operands.push_back(sum);
    for (Value factor : factors)
      operands.push_back(LLVM::BitcastOp::create(b, loc, operand, factor));
    return LLVM::CallIntrinsicOp::create(b, loc, type(column), b.getStringAttr(name), operands)
        .getResult(0);
  };
  if (hasDotProduct) {
    auto fours = VectorType::get({four * column.width}, b.getI8Type());
    if (kernel.getBUnsigned())
      std::swap(x, y);
    return call("llvm.x86.avx512.vpdpbusd." + bits, fours, {x, y});
  }
  StringRef name = column.width == 4   ? "llvm.x86.sse2.pmadd.wd"
                   : column.width == 8 ? "llvm.x86.avx2.pmadd.wd"
                                       : "llvm.x86.avx512.pmaddw.d.512";
  auto twos = VectorType::get({2 * column.width}, b.getI16Type());
  return arith::AddIOp::create(b, loc, sum, call(name, twos, {x, y}));
}

/// tile[set] += A * B for one step of k, where B's row is at `bAt` and termOfA(row, term) a scalar.
void IntegerProducts::step(Tile &tile, int64_t set, Value bAt,
                           llvm::function_ref<Value(int64_t, int64_t)> termOfA) {
  SmallVector<Terms> bRow;
  for (const Column &column : columns) {
    Value fours = foursOfB(address(bElement, bAt, column.start * four), column);
    bRow.push_back(hasDotProduct ? Terms{fours} : halves(fours, kernel.getBUnsigned()));
  }
  prefetch(bAt);
  for (int64_t row = 0; row < rows; ++row)
    for (size_t term = 0; term < bRow.front().size(); ++term) {
      Value scalar = termOfA(row, term);
      for (auto [index, column] : llvm::enumerate(columns)) {
        Value &sum = tile[(set * rows + row) * columns.size() + index];
        sum = multiplyAdd(splat(scalar, column), bRow[index][term], sum, column);
      }
    }
}

/// All of k for one product, by dot products.
void IntegerProducts::depth(Tile &tile, Value aAt, Value bAt) {
  int64_t aStep = kernel.getACol() * four, bStep = kernel.getBRow(), k = kernel.getK();
  overSteps(tile, steps, k / four, sets, [&](Tile &inner, const Step &at) {
    Value a = address(element, aAt, at.constant * aStep, at.index, aStep);
    int64_t count = at.index ? four : std::min(four, k - at.constant * four);
    step(inner, at.set, address(bElement, bAt, at.constant * bStep, at.index, bStep),
         [&](int64_t row, int64_t) {
           return fourOfA(address(element, a, row * kernel.getARow()), count);
         });
  });
}

/// Where `pairs` has a term of four number `constant` + `index` * `scale`.
Value IntegerProducts::widened(int64_t row, int64_t term, int64_t constant, Value index,
                               int64_t scale) {
  return address(b.getI32Type(), pairs, (2 * row + term) * block + constant, index, scale);
}

/// Puts a vector of fours of A into `pairs`.
void IntegerProducts::widen(Value fours, int64_t row, int64_t constant, Value index,
                            int64_t scale) {
  for (auto [term, value] : llvm::enumerate(halves(fours, kernel.getAUnsigned())))
    LLVM::StoreOp::create(b, loc, value, widened(row, term, constant, index, scale), 4);
}

/// The first `count` fours of contiguous rows: as many whole vectors as there are, then shorter
/// ones.
void IntegerProducts::widenVectors(Value aAt, int64_t count) {
  auto loadFours = [&](int64_t row, int64_t width, int64_t constant, Value index) {
    Value at = address(element, aAt, row * kernel.getARow() + constant * four, index, lanes * four);
    return load(b.getI32Type(), at, {0, width, width}, /*padded=*/false, element);
  };
  int64_t whole = count / lanes, done = whole * lanes;
  if (whole > 0)
    repeat(whole, 1, {}, [&](Value index, Tile &) {
      for (int64_t row = 0; row < rows; ++row)
        widen(loadFours(row, lanes, 0, index), row, 0, index, lanes);
    });
  for (int64_t width = lanes / 2; width > 0; width /= 2)
    if (count - done >= width) {
      for (int64_t row = 0; row < rows; ++row)
        widen(loadFours(row, width, done, {}), row, done);
      done += width;
    }
}

/// The first `count` fours of rows whose values lie apart.
void IntegerProducts::widenOneByOne(Value aAt, int64_t count) {
  Column one{0, 1, 1};
  repeat(count, 1, {}, [&](Value index, Tile &) {
    for (int64_t row = 0; row < rows; ++row) {
      Value at = address(element, aAt, row * kernel.getARow(), index, four * kernel.getACol());
      widen(splat(fourOfA(at, four), one), row, 0, index);
    }
  });
}

/// The next `k` values of each row of A, at most a block, into `pairs`.
void IntegerProducts::widenRows(Value aAt, int64_t k) {
  int64_t whole = k / four;
  if (kernel.getACol() == 1)
    widenVectors(aAt, whole);
  else if (whole > 0)
    widenOneByOne(aAt, whole);
  if (int64_t rest = k % four)
    for (int64_t row = 0; row < rows; ++row) {
      Value at = address(element, aAt, row * kernel.getARow() + whole * four * kernel.getACol());
      widen(splat(fourOfA(at, rest), {0, 1, 1}), row, whole);
    }
}

/// A block of `k` values for one product, by pairs.
void IntegerProducts::blockDepth(Tile &tile, Value aAt, Value bAt, int64_t k) {
  widenRows(aAt, k);
  int64_t count = llvm::divideCeil(k, four), bStep = kernel.getBRow();
  overSteps(tile, count, count, sets, [&](Tile &inner, const Step &at) {
    step(inner, at.set, address(bElement, bAt, at.constant * bStep, at.index, bStep),
         [&](int64_t row, int64_t term) {
           return loadScalar(b.getI32Type(), widened(row, term, at.constant, at.index, 1));
         });
  });
}

/// All of k for one product, by pairs.
void IntegerProducts::overBlocks(Tile &tile, Value aAt, Value bAt) {
  int64_t values = block * four, whole = kernel.getK() / values, rest = kernel.getK() % values,
          aStep = values * kernel.getACol(), bStep = block * kernel.getBRow();
  if (whole > 0)
    tile = repeat(whole, 1, tile, [&](Value index, Tile &inner) {
      blockDepth(inner, address(element, aAt, 0, index, aStep),
                 address(bElement, bAt, 0, index, bStep), values);
    });
  if (rest > 0)
    blockDepth(tile, address(element, aAt, whole * aStep), address(bElement, bAt, whole * bStep),
               rest);
}

void IntegerProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (!hasDotProduct)
    pairs = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                                   b.getI32Type(), number(rows * 2 * block), 64);
  Tile tile = start(sets);
  overProducts(tile, [&](Tile &inner, Value aAt, Value bAt) {
    hasDotProduct ? depth(inner, aAt, bAt) : overBlocks(inner, aAt, bAt);
  });
  addUp(tile, sets);
  finish(tile);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorIntegerProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  IntegerProducts(kernel, target, builder).build();
}

} // namespace kgen
