// Kernels that multiply bytes by fours along k, which share 32 bits: in B as it is packed, or put
// together from four rows of B in place.
//
// Where the target has an instruction for it, four products are added up at once (vpdpbusd). It
// takes one operand without sign and one with it. For two of the same kind, the highest bit of B's
// bytes is flipped in registers, which makes them the other kind and 128 more or less; 128 times
// the sum of A's row makes up for it.
//
// Elsewhere the bytes become 16 bits wide, and pairs of products are added up (vpmaddwd), which is
// exact for any signs: first the even values of each four, then the odd ones, which shifts and
// masks separate without moving them to other lanes. B is widened in registers, A once in blocks of
// k on the stack.
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
        hasDotProduct(target.vectorProductForm(element, bElement) == ProductForm::dotProduct),
        flipsB(hasDotProduct && kernel.getAUnsigned() == kernel.getBUnsigned()),
        lanes(target.lanes(accumulator)), steps(llvm::divideCeil(kernel.getK(), four)),
        bStep(kernel.getBRow() * four / kernel.getVnni()) {
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

  Value number32(int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }
  Value number16(int64_t value, Value like);
  Value extend(Value vector, int64_t width);
  Value flip(Value fours);
  Terms halves(Value fours, bool isUnsigned);
  Value joined(Value low, Value high, Value shift);
  Value packedFours(Value at, const Column &column);
  Value gatheredFours(Value at, const Column &column, int64_t count);
  Terms termsOfB(Value at, const Column &column, int64_t count);
  Value dot(Value x, Value y, Value sum, int64_t width);
  Value multiplyAdd(Value x, Value y, Value sum, const Column &column);
  /// A's term of that row, a scalar.
  using TermOfA = llvm::function_ref<Value(int64_t row, int64_t term)>;
  void multiply(Tile &tile, int64_t set, int64_t row, int64_t index, Value x, Value y);
  void step(Tile &tile, int64_t set, Value bAt, int64_t count, TermOfA termOfA);
  void depth(Tile &tile, Value aAt, Value bAt);
  void dotProducts(Tile &tile, const Step &at, Value aAt, Value bAt);
  void lastSteps(Tile &tile, int64_t from, int64_t to);

  /// Fours of a row of A: the first is number `constant` + `index` (if given) * `scale`.
  struct Place {
    int64_t row, constant;
    Value index;
    int64_t scale;
  };
  /// What is done with a vector of fours of A.
  using Visitor = llvm::function_ref<void(Tile &, Value fours, const Place &)>;
  void visitVectors(Tile &carried, Value aAt, int64_t count, Visitor visit);
  void visitOneByOne(Tile &carried, Value aAt, int64_t count, Visitor visit);
  void visitRows(Tile &carried, Value aAt, int64_t k, Visitor visit);
  void addForFlip(Tile &tile, Value aAt);

  Value widened(int64_t term, const Place &place);
  void widenRows(Value aAt, int64_t k);
  void blockDepth(Tile &tile, Value aAt, Value bAt, int64_t k);
  void overBlocks(Tile &tile, Value aAt, Value bAt);

  bool hasDotProduct, flipsB, prefetchesC = false;
  int64_t lanes, steps, sets = 1;
  int64_t byRows = 0;            ///< of the last steps
  int64_t first = 0, end = rows; ///< rows that a step is about
  int64_t bStep;                 ///< elements of B from one step to the next
  Value pairs; ///< a block of A: for each row the even values of its fours, then the odd ones
};

Value IntegerProducts::number16(int64_t value, Value like) {
  auto vector = cast<VectorType>(like.getType());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vector, b.getI16IntegerAttr(static_cast<int16_t>(value))));
}

/// `high` in the bits above `low`.
Value IntegerProducts::joined(Value low, Value high, Value shift) {
  return arith::OrIOp::create(b, loc, low, arith::ShLIOp::create(b, loc, high, shift));
}

/// `vector` with zeros behind it.
Value IntegerProducts::extend(Value vector, int64_t width) {
  int64_t own = cast<VectorType>(vector.getType()).getDimSize(0);
  if (own == width)
    return vector;
  SmallVector<int64_t> positions;
  for (int64_t lane = 0; lane < width; ++lane)
    positions.push_back(std::min(lane, own));
  return vector::ShuffleOp::create(b, loc, vector, zero(vector.getType()), positions);
}

/// Bytes with sign become bytes without, 128 more, and the other way round.
Value IntegerProducts::flip(Value fours) {
  auto bits = b.getI32IntegerAttr(static_cast<int32_t>(0x80808080));
  auto all = DenseElementsAttr::get(cast<VectorType>(fours.getType()), Attribute(bits));
  return arith::XOrIOp::create(b, loc, fours, arith::ConstantOp::create(b, loc, all));
}

/// The even and the odd values of vectors of fours.
IntegerProducts::Terms IntegerProducts::halves(Value fours, bool isUnsigned) {
  int64_t width = cast<VectorType>(fours.getType()).getDimSize(0);
  Value all = LLVM::BitcastOp::create(b, loc, VectorType::get({2 * width}, b.getI16Type()), fours);
  Value eight = number16(8, all);
  if (isUnsigned)
    return {arith::AndIOp::create(b, loc, all, number16(255, all)),
            arith::ShRUIOp::create(b, loc, all, eight)};
  Value high = arith::ShLIOp::create(b, loc, all, eight);
  return {arith::ShRSIOp::create(b, loc, high, eight), arith::ShRSIOp::create(b, loc, all, eight)};
}

/// A vector of fours of packed B. Of panels narrower than the vector, only the panel is read.
Value IntegerProducts::packedFours(Value at, const Column &column) {
  Column read = column;
  if (kernel.getBPadded())
    read.width = static_cast<int64_t>(llvm::PowerOf2Ceil(column.lanes));
  at = address(bElement, at, column.start * four);
  return extend(load(b.getI32Type(), at, read, kernel.getBPadded(), bElement), column.width);
}

/// The same from `count` rows of B.
Value IntegerProducts::gatheredFours(Value at, const Column &column, int64_t count) {
  Value fours;
  for (int64_t i = 0; i < count; ++i) {
    Value row = load(bElement, address(bElement, at, i * kernel.getBRow() + column.start), column);
    row = arith::ExtUIOp::create(b, loc, type(column), row);
    fours = i == 0 ? row : joined(fours, row, splat(number32(8 * i), column));
  }
  return fours;
}

/// sum + the sums of four products of bytes each: of x without sign and of y with it.
Value IntegerProducts::dot(Value x, Value y, Value sum, int64_t width) {
  auto bytes = VectorType::get({four * width}, b.getI8Type());
  auto name = b.getStringAttr("llvm.x86.avx512.vpdpbusd." + Twine(width * 32));
  SmallVector<Value> operands{sum, LLVM::BitcastOp::create(b, loc, bytes, x),
                              LLVM::BitcastOp::create(b, loc, bytes, y)};
  return LLVM::CallIntrinsicOp::create(b, loc, sum.getType(), name, operands).getResult(0);
}

/// sum + x * y, where x comes from A and y from B.
Value IntegerProducts::multiplyAdd(Value x, Value y, Value sum, const Column &column) {
  if (hasDotProduct)
    return kernel.getAUnsigned() ? dot(x, y, sum, column.width) : dot(y, x, sum, column.width);
  auto twos = VectorType::get({2 * column.width}, b.getI16Type());
  StringRef name = column.width == 4   ? "llvm.x86.sse2.pmadd.wd"
                   : column.width == 8 ? "llvm.x86.avx2.pmadd.wd"
                                       : "llvm.x86.avx512.pmaddw.d.512";
  SmallVector<Value> operands{LLVM::BitcastOp::create(b, loc, twos, x),
                              LLVM::BitcastOp::create(b, loc, twos, y)};
  auto pairs = LLVM::CallIntrinsicOp::create(b, loc, type(column), b.getStringAttr(name), operands);
  return arith::AddIOp::create(b, loc, sum, pairs.getResult(0));
}

IntegerProducts::Terms IntegerProducts::termsOfB(Value at, const Column &column, int64_t count) {
  Value fours = kernel.getVnni() == 1 ? gatheredFours(at, column, count) : packedFours(at, column);
  if (flipsB)
    fours = flip(fours);
  return hasDotProduct ? Terms{fours} : halves(fours, kernel.getBUnsigned());
}

/// tile[set][row][index] += A * B for a term.
void IntegerProducts::multiply(Tile &tile, int64_t set, int64_t row, int64_t index, Value x,
                               Value y) {
  Value &sum = tile[(set * rows + row) * columns.size() + index];
  sum = multiplyAdd(splat(x, columns[index]), y, sum, columns[index]);
}

/// tile[set] += A * B for one step of `count` values of k, where B's are at `bAt`. Of many columns,
/// one after another is read; of few, all terms stay in registers while A's go by.
void IntegerProducts::step(Tile &tile, int64_t set, Value bAt, int64_t count, TermOfA termOfA) {
  int64_t width = columns.size();
  SmallVector<Terms> bRow;
  for (int64_t index = 0; index < width; ++index) {
    bRow.push_back(termsOfB(bAt, columns[index], count));
    for (int64_t row = first; width > rows && row < end; ++row)
      for (auto [term, y] : llvm::enumerate(bRow.back()))
        multiply(tile, set, row, index, termOfA(row, term), y);
  }
  for (int64_t row = first; width <= rows && row < end; ++row)
    for (size_t term = 0; term < bRow.front().size(); ++term) {
      Value x = termOfA(row, term);
      for (int64_t index = 0; index < width; ++index)
        multiply(tile, set, row, index, x, bRow[index][term]);
    }
}

/// All of k for one product, by dot products.
void IntegerProducts::depth(Tile &tile, Value aAt, Value bAt) {
  if (flipsB)
    addForFlip(tile, aAt);
  int64_t k = kernel.getK();
  int64_t products = rows * static_cast<int64_t>(columns.size());
  Loop loop{k / four - byRows, sets, products, /*mayUnroll=*/false,
            static_cast<int64_t>(kernel.getBStreams())};
  loop.prefetchesC = prefetchesC;
  overSteps(tile, steps - byRows, loop,
            [&](Tile &inner, const Step &at) { dotProducts(inner, at, aAt, bAt); });
}

/// One step of one product.
void IntegerProducts::dotProducts(Tile &tile, const Step &at, Value aAt, Value bAt) {
  int64_t aStep = kernel.getACol() * four, k = kernel.getK();
  Value a = address(element, aAt, at.constant * aStep, at.index, aStep);
  int64_t count = at.index ? four : std::min(four, k - at.constant * four);
  step(tile, at.set, address(bElement, bAt, at.constant * bStep, at.index, bStep), count,
       [&](int64_t row, int64_t) {
         return groupOfA(address(element, a, row * kernel.getARow()), count);
       });
}

/// The last steps of rows `from` to `to`.
void IntegerProducts::lastSteps(Tile &tile, int64_t from, int64_t to) {
  std::tie(first, end) = {from, to};
  bPointer = hidden(bPointer); // registers have no room for all that groups share
  for (int64_t at = steps - byRows; at < steps; ++at)
    dotProducts(tile, {{}, at, 0}, a, bPointer);
}

/// The first `count` fours of contiguous rows: as many whole vectors as there are, then shorter
/// ones.
void IntegerProducts::visitVectors(Tile &carried, Value aAt, int64_t count, Visitor visit) {
  auto visitAll = [&](Tile &tile, int64_t width, int64_t constant, Value index) {
    for (int64_t row = 0; row < rows; ++row) {
      Value at =
          address(element, aAt, row * kernel.getARow() + constant * four, index, lanes * four);
      Value fours = load(b.getI32Type(), at, {0, width, width}, /*padded=*/false, element);
      visit(tile, fours, {row, constant, index, lanes});
    }
  };
  int64_t whole = count / lanes, done = whole * lanes;
  if (whole > 0)
    carried = repeat(whole, 1, carried,
                     [&](Value index, Tile &inner) { visitAll(inner, lanes, 0, index); });
  for (int64_t width = lanes / 2; width > 0; width /= 2)
    if (count - done >= width) {
      visitAll(carried, width, done, {});
      done += width;
    }
}

/// The first `count` fours of rows whose values lie apart.
void IntegerProducts::visitOneByOne(Tile &carried, Value aAt, int64_t count, Visitor visit) {
  int64_t col = kernel.getACol();
  carried = repeat(count, 1, carried, [&](Value index, Tile &inner) {
    for (int64_t row = 0; row < rows; ++row) {
      Value at = address(element, aAt, row * kernel.getARow(), index, four * col);
      visit(inner, splat(groupOfA(at, four), {0, 1, 1}), {row, 0, index, 1});
    }
  });
}

/// All fours of the next `k` values of A's rows; the last one has zeros in place of what is
/// missing.
void IntegerProducts::visitRows(Tile &carried, Value aAt, int64_t k, Visitor visit) {
  int64_t whole = k / four, rest = k % four, col = kernel.getACol();
  col == 1 ? visitVectors(carried, aAt, whole, visit) : visitOneByOne(carried, aAt, whole, visit);
  for (int64_t row = 0; rest > 0 && row < rows; ++row) {
    Value at = address(element, aAt, row * kernel.getARow() + whole * four * col);
    visit(carried, splat(groupOfA(at, rest), {0, 1, 1}), {row, whole, {}, 1});
  }
}

/// Adds what B's flipped bits take away: 128 times the sum of A's row; or takes it away.
void IntegerProducts::addForFlip(Tile &tile, Value aAt) {
  Column vector{0, lanes, lanes};
  Value ones = splat(number32(0x01010101), vector);
  Tile sums(rows, zero(type(vector)));
  visitRows(sums, aAt, kernel.getK(), [&](Tile &inner, Value fours, const Place &place) {
    Value &sum = inner[place.row];
    fours = extend(fours, lanes);
    sum = kernel.getAUnsigned() ? dot(fours, ones, sum, lanes) : dot(ones, fours, sum, lanes);
  });
  for (int64_t row = 0; row < rows; ++row) {
    Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sums[row]);
    sum = arith::MulIOp::create(b, loc, sum, number32(kernel.getAUnsigned() ? 128 : -128));
    for (auto [index, column] : llvm::enumerate(columns)) {
      Value &to = tile[row * columns.size() + index];
      to = arith::AddIOp::create(b, loc, to, splat(sum, column));
    }
  }
}

/// Where `pairs` has a term of fours of A.
Value IntegerProducts::widened(int64_t term, const Place &place) {
  return address(b.getI32Type(), pairs, (2 * place.row + term) * block + place.constant,
                 place.index, place.scale);
}

/// The next `k` values of each row of A, at most a block, into `pairs`.
void IntegerProducts::widenRows(Value aAt, int64_t k) {
  Tile nothing;
  visitRows(nothing, aAt, k, [&](Tile &, Value fours, const Place &place) {
    for (auto [term, value] : llvm::enumerate(halves(fours, kernel.getAUnsigned())))
      LLVM::StoreOp::create(b, loc, value, widened(term, place), 4);
  });
}

/// A block of `k` values for one product, by pairs.
void IntegerProducts::blockDepth(Tile &tile, Value aAt, Value bAt, int64_t k) {
  widenRows(aAt, k);
  overSteps(tile, llvm::divideCeil(k, four), {k / four, sets}, [&](Tile &inner, const Step &at) {
    int64_t count = at.index ? four : std::min(four, k - at.constant * four);
    step(inner, at.set, address(bElement, bAt, at.constant * bStep, at.index, bStep), count,
         [&](int64_t row, int64_t term) {
           return loadScalar(b.getI32Type(), widened(term, {row, at.constant, at.index, 1}));
         });
  });
}

/// All of k for one product, by pairs.
void IntegerProducts::overBlocks(Tile &tile, Value aAt, Value bAt) {
  int64_t values = block * four, whole = kernel.getK() / values, rest = kernel.getK() % values,
          aStep = values * kernel.getACol(), blockOfB = block * bStep;
  if (whole > 0)
    tile = repeat(whole, 1, tile, [&](Value index, Tile &inner) {
      blockDepth(inner, address(element, aAt, 0, index, aStep),
                 address(bElement, bAt, 0, index, blockOfB), values);
    });
  if (rest > 0)
    blockDepth(tile, address(element, aAt, whole * aStep), address(bElement, bAt, whole * blockOfB),
               rest);
}

void IntegerProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (!hasDotProduct)
    pairs = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                                   b.getI32Type(), number(rows * 2 * block), 64);
  prefetchesC = hasDotProduct && mayPrefetchCInSteps() && !kernel.getAccumulate();
  if (hasDotProduct)
    byRows = stepsByRows(steps, sets);
  Tile tile = start(sets, /*readsC=*/true, /*prefetchesC=*/!prefetchesC);
  overProducts(tile, [&](Tile &inner, Value aAt, Value bAt) {
    hasDotProduct ? depth(inner, aAt, bAt) : overBlocks(inner, aAt, bAt);
  });
  addUp(tile, sets);
  if (byRows > 0)
    finishByRows(tile, [&](int64_t from, int64_t to) { lastSteps(tile, from, to); });
  else
    finish(tile);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorIntegerProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  IntegerProducts(kernel, target, builder).build();
}

} // namespace kgen
