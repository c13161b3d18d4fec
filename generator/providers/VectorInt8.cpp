// Kernels for bytes, in groups of four along k, which share 32 bits: packed B has them, of a B in
// place they are combined from four rows.
//
// With dot products of bytes, an instruction adds up four products. One of its operands is unsigned
// and the other one signed, or both are the same (Product::Signs). If the
// target has not the one that A and B need, the highest bits of B's bytes are flipped in registers,
// which converts between signed and unsigned with a difference of 128; 128 times the sum of A's row
// compensates for it. Where instructions take lanes (hasLaneProducts), a load of A serves four
// steps.
//
// Without them, bytes are up-converted to 16 bits, and an instruction adds up pairs of products,
// exactly for any signs: first the even values of each group, then the odd ones, which shifts and
// masks separate without moving them to other lanes. B is up-converted in registers, A once per
// block of k on the stack.
#include "providers/VectorKernels.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

class Int8Kernel : VectorKernel {
public:
  Int8Kernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : VectorKernel(kernel, target, builder),
        hasDotProduct(target.vectorProductForm(element, bElement) == ProductForm::dotProduct),
        flipsSignsOfB(hasDotProduct &&
                      !cpu.multipliesBytes(kernel.getAUnsigned(), kernel.getBUnsigned())),
        lanes(target.lanes(accumulator)), steps(llvm::divideCeil(kernel.getK(), four)),
        bStep(kernel.getBRow() * four / kernel.getVnni()) {
    for (Column &column : columns) // the instructions take at least 128 bits
      column.width = std::max<int64_t>(column.width, 4);
    // With pairs of 16 bits only the addition is in the dependence chain, so one set is enough.
    sets = hasDotProduct ? independentSums(rows * columns.size(), steps) : 1;
    while (sets > 1 && (sets * rows + 1) * static_cast<int64_t>(columns.size()) + 1 >
                           target.getVectorRegisters())
      sets /= 2;
    int64_t vectors = columns.size(), masks = flipsSignsOfB ? 1 : 0;
    bool areFull = llvm::all_of(columns, [&](const Column &c) { return c.width == lanes; });
    lanesOfA.isOn = rows > 1 && hasDotProduct && cpu.hasLaneProducts && areFull &&
                    kernel.getACol() == 1 &&
                    (sets * rows + 1) * vectors + rows + masks <= target.getVectorRegisters();
  }

  void build();

private:
  /// Values of k in 32 bits, and groups of A in a block on the stack.
  static constexpr int64_t four = 4, block = 64;
  /// Operands of products: groups of bytes, or their even and their odd values as pairs of 16 bits.
  using Terms = SmallVector<Value, 2>;

  Value number32(int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }
  Value number16(int64_t value, Value like);
  Value extend(Value vector, int64_t width);
  Value flipSigns(Value groups);
  Terms evenAndOdd(Value groups, bool isUnsigned);
  Value joined(Value low, Value high, Value shift);
  Value packedGroups(Value at, const Column &column);
  Value gatheredGroups(Value at, const Column &column, int64_t count);
  Terms termsOfB(Value at, const Column &column, int64_t count);
  Value dot(Value x, bool isXUnsigned, Value y, bool isYUnsigned, Value sum);
  Value multiplyAdd(Value x, Value y, Value sum, const Column &column);
  /// Builds term `term` of a row of A, a scalar.
  using TermOfA = llvm::function_ref<Value(int64_t row, int64_t term)>;
  void multiply(Tile &tile, int64_t set, int64_t row, int64_t index, Value x, Value y);
  void step(Tile &tile, int64_t set, Value bAt, int64_t count, TermOfA termOfA);
  void depth(Tile &tile, Value aAt, Value bAt);
  void dotProducts(Tile &tile, const Step &at, Value aAt, Value bAt);
  void lastSteps(Tile &tile, int64_t from, int64_t to);

  /// Groups of a row of A, from number `constant` + `index` (if not null) * `scale` on.
  struct GroupsOfA {
    int64_t row, constant;
    Value index;
    int64_t scale;
  };
  /// Called for a vector of groups of A.
  using Visitor = llvm::function_ref<void(Tile &, Value groups, const GroupsOfA &)>;
  void visitVectors(Tile &carried, Value aAt, int64_t count, Visitor visit);
  void visitOneByOne(Tile &carried, Value aAt, int64_t count, Visitor visit);
  void visitRows(Tile &carried, Value aAt, int64_t k, Visitor visit);
  void addCompensation(Tile &tile, Value aAt);

  Value addressOfPairs(int64_t term, const GroupsOfA &where);
  void upconvertRows(Value aAt, int64_t k);
  void blockDepth(Tile &tile, Value aAt, Value bAt, int64_t k);
  void emitBlockLoop(Tile &tile, Value aAt, Value bAt);

  bool hasDotProduct, flipsSignsOfB, prefetchesC = false;
  int64_t lanes, steps, sets = 1;
  int64_t byRows = 0;            ///< last steps that are executed by groups of rows
  int64_t first = 0, end = rows; ///< rows that a step computes
  int64_t bStep;                 ///< elements of B between steps
  LanesOfA lanesOfA;             ///< groups of A
  Value pairs; ///< a block of A: for each row the even values of its groups, then the odd ones
};

Value Int8Kernel::number16(int64_t value, Value like) {
  auto vector = cast<VectorType>(like.getType());
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(vector,
                             b.getIntegerAttr(b.getI16Type(), static_cast<int16_t>(value))));
}

/// low | high << shift.
Value Int8Kernel::joined(Value low, Value high, Value shift) {
  return arith::OrIOp::create(b, loc, low, arith::ShLIOp::create(b, loc, high, shift));
}

/// `vector`, with zeros appended up to `width` lanes.
Value Int8Kernel::extend(Value vector, int64_t width) {
  int64_t own = cast<VectorType>(vector.getType()).getDimSize(0);
  if (own == width)
    return vector;
  SmallVector<int64_t> positions;
  for (int64_t lane = 0; lane < width; ++lane)
    positions.push_back(std::min(lane, own));
  return vector::ShuffleOp::create(b, loc, vector, zero(vector.getType()), positions);
}

/// Flips the highest bit of each byte: adds 128 to signed bytes, which become unsigned, or the
/// reverse.
Value Int8Kernel::flipSigns(Value groups) {
  auto bits = b.getI32IntegerAttr(static_cast<int32_t>(0x80808080));
  auto all = DenseElementsAttr::get(cast<VectorType>(groups.getType()), Attribute(bits));
  return arith::XOrIOp::create(b, loc, groups, arith::ConstantOp::create(b, loc, all));
}

/// The even and the odd values of a vector of groups, as 16-bit integers.
Int8Kernel::Terms Int8Kernel::evenAndOdd(Value groups, bool isUnsigned) {
  int64_t width = cast<VectorType>(groups.getType()).getDimSize(0);
  Value all = LLVM::BitcastOp::create(b, loc, VectorType::get({2 * width}, b.getI16Type()), groups);
  Value eight = number16(8, all);
  if (isUnsigned)
    return {arith::AndIOp::create(b, loc, all, number16(255, all)),
            arith::ShRUIOp::create(b, loc, all, eight)};
  Value high = arith::ShLIOp::create(b, loc, all, eight);
  return {arith::ShRSIOp::create(b, loc, high, eight), arith::ShRSIOp::create(b, loc, all, eight)};
}

/// A vector of groups of packed B. If the panel is narrower than the vector, only the panel is
/// read.
Value Int8Kernel::packedGroups(Value at, const Column &column) {
  Column read = column;
  if (kernel.getBPadded())
    read.width = static_cast<int64_t>(llvm::PowerOf2Ceil(column.lanes));
  at = address(bElement, at, column.start * four);
  return extend(load(b.getI32Type(), at, read, kernel.getBPadded(), bElement), column.width);
}

/// Returns a vector of groups that is combined from `count` rows of B in where.
Value Int8Kernel::gatheredGroups(Value at, const Column &column, int64_t count) {
  Value groups;
  for (int64_t i = 0; i < count; ++i) {
    Value row = load(bElement, address(bElement, at, i * kernel.getBRow() + column.start), column);
    row = arith::ExtUIOp::create(b, loc, type(column), row);
    groups = i == 0 ? row : joined(groups, row, splat(number32(8 * i), column));
  }
  return groups;
}

/// sum + four products of bytes of x and y in each lane.
Value Int8Kernel::dot(Value x, bool isXUnsigned, Value y, bool isYUnsigned, Value sum) {
  bool areOfOneSign = isXUnsigned == isYUnsigned;
  if (!areOfOneSign && !isXUnsigned)
    std::swap(x, y);
  int64_t width = cast<VectorType>(sum.getType()).getDimSize(0);
  auto bytes = VectorType::get({four * width}, b.getI8Type());
  Value first = LLVM::BitcastOp::create(b, loc, bytes, x),
        second = LLVM::BitcastOp::create(b, loc, bytes, y);
  return DotOp::create(b, loc, sum.getType(), first, second, sum,
                       /*both_signed=*/areOfOneSign && !isXUnsigned,
                       /*both_unsigned=*/areOfOneSign && isXUnsigned);
}

/// sum + x * y, where x comes from A and y from B.
Value Int8Kernel::multiplyAdd(Value x, Value y, Value sum, const Column &column) {
  if (hasDotProduct)
    return dot(x, kernel.getAUnsigned(), y, kernel.getBUnsigned() != flipsSignsOfB, sum);
  auto twos = VectorType::get({2 * column.width}, b.getI16Type());
  Value ofA = LLVM::BitcastOp::create(b, loc, twos, x),
        ofB = LLVM::BitcastOp::create(b, loc, twos, y);
  return DotOp::create(b, loc, ofA, ofB, sum);
}

Int8Kernel::Terms Int8Kernel::termsOfB(Value at, const Column &column, int64_t count) {
  Value groups =
      kernel.getVnni() == 1 ? gatheredGroups(at, column, count) : packedGroups(at, column);
  if (flipsSignsOfB)
    groups = flipSigns(groups);
  return hasDotProduct ? Terms{groups} : evenAndOdd(groups, kernel.getBUnsigned());
}

/// tile[set][row][index] += A * B for a term.
void Int8Kernel::multiply(Tile &tile, int64_t set, int64_t row, int64_t index, Value x, Value y) {
  Value &sum = tile[(set * rows + row) * columns.size() + index];
  sum = multiplyAdd(splat(x, columns[index]), y, sum, columns[index]);
}

/// tile[set] += A * B for one step of `count` values of k, with B at `bAt`. If there are more
/// vectors of columns than rows, the outer loop is over columns; else all terms of B stay in
/// registers.
void Int8Kernel::step(Tile &tile, int64_t set, Value bAt, int64_t count, TermOfA termOfA) {
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
void Int8Kernel::depth(Tile &tile, Value aAt, Value bAt) {
  if (flipsSignsOfB)
    addCompensation(tile, aAt);
  int64_t k = kernel.getK();
  int64_t products = rows * static_cast<int64_t>(columns.size());
  Loop loop{k / four - byRows, sets, products, /*mayUnroll=*/false,
            static_cast<int64_t>(kernel.getBStreams())};
  loop.prefetchesC = prefetchesC;
  if (lanesOfA.isOn)
    loop.minSteps = LanesOfA::bytes / four;
  emitStepLoop(tile, steps - byRows, loop,
               [&](Tile &inner, const Step &at) { dotProducts(inner, at, aAt, bAt); });
}

/// One step of one product.
void Int8Kernel::dotProducts(Tile &tile, const Step &at, Value aAt, Value bAt) {
  int64_t aStep = kernel.getACol() * four, k = kernel.getK();
  Value a = address(element, aAt, at.constant * aStep, at.index, aStep);
  int64_t count = at.index ? four : std::min(four, k - at.constant * four);
  if (lanesOfA.begin(LanesOfA::bytes / four, at.following))
    for (int64_t row = 0; row < rows; ++row)
      lanesOfA.load(b, loc, row, b.getI32Type(), address(element, a, row * kernel.getARow()));
  step(tile, at.set, address(bElement, bAt, at.constant * bStep, at.index, bStep), count,
       [&](int64_t row, int64_t) {
         return lanesOfA.hasLanes() ? lanesOfA.lane(b, loc, row, lanes)
                                    : groupOfA(address(element, a, row * kernel.getARow()), count);
       });
}

/// The last steps for rows `from` to `to`.
void Int8Kernel::lastSteps(Tile &tile, int64_t from, int64_t to) {
  std::tie(first, end) = {from, to};
  bPointer = hidden(bPointer); // LLVM would keep all addresses that groups share in registers
  for (int64_t at = steps - byRows; at < steps; ++at)
    dotProducts(tile, {{}, at, 0}, a, bPointer);
}

/// Visits the first `count` groups of contiguous rows, in full vectors, then in shorter ones.
void Int8Kernel::visitVectors(Tile &carried, Value aAt, int64_t count, Visitor visit) {
  auto visitAll = [&](Tile &tile, int64_t width, int64_t constant, Value index) {
    for (int64_t row = 0; row < rows; ++row) {
      Value at =
          address(element, aAt, row * kernel.getARow() + constant * four, index, lanes * four);
      Value groups = load(b.getI32Type(), at, {0, width, width}, /*padded=*/false, element);
      visit(tile, groups, {row, constant, index, lanes});
    }
  };
  int64_t full = count / lanes, done = full * lanes;
  if (full > 0)
    carried = repeat(full, 1, carried,
                     [&](Value index, Tile &inner) { visitAll(inner, lanes, 0, index); });
  for (int64_t width = lanes / 2; width > 0; width /= 2)
    if (count - done >= width) {
      visitAll(carried, width, done, {});
      done += width;
    }
}

/// Visits the first `count` groups of rows that are not contiguous, one by one.
void Int8Kernel::visitOneByOne(Tile &carried, Value aAt, int64_t count, Visitor visit) {
  int64_t col = kernel.getACol();
  carried = repeat(count, 1, carried, [&](Value index, Tile &inner) {
    for (int64_t row = 0; row < rows; ++row) {
      Value at = address(element, aAt, row * kernel.getARow(), index, four * col);
      visit(inner, splat(groupOfA(at, four), {0, 1, 1}), {row, 0, index, 1});
    }
  });
}

/// Visits all groups of the next `k` values of A's rows; the last group is padded with zeros.
void Int8Kernel::visitRows(Tile &carried, Value aAt, int64_t k, Visitor visit) {
  int64_t full = k / four, rest = k % four, col = kernel.getACol();
  col == 1 ? visitVectors(carried, aAt, full, visit) : visitOneByOne(carried, aAt, full, visit);
  for (int64_t row = 0; rest > 0 && row < rows; ++row) {
    Value at = address(element, aAt, row * kernel.getARow() + full * four * col);
    visit(carried, splat(groupOfA(at, rest), {0, 1, 1}), {row, full, {}, 1});
  }
}

/// Compensates for flipped bits of B, which are 128 less or more than B: adds or subtracts 128
/// times the sum of A's row.
void Int8Kernel::addCompensation(Tile &tile, Value aAt) {
  Column vector{0, lanes, lanes};
  Value ones = splat(number32(0x01010101), vector);
  Tile sums(rows, zero(type(vector)));
  visitRows(sums, aAt, kernel.getK(), [&](Tile &inner, Value groups, const GroupsOfA &where) {
    Value &sum = inner[where.row];
    groups = extend(groups, lanes);
    bool areUnequal = cpu.hasByteDots(Product::Signs::unequal);
    sum = dot(groups, kernel.getAUnsigned(), ones, kernel.getAUnsigned() != areUnequal, sum);
  });
  for (int64_t row = 0; row < rows; ++row) {
    Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sums[row]);
    sum = arith::MulIOp::create(b, loc, sum, number32(kernel.getBUnsigned() ? 128 : -128));
    for (auto [index, column] : llvm::enumerate(columns)) {
      Value &to = tile[row * columns.size() + index];
      to = arith::AddIOp::create(b, loc, to, splat(sum, column));
    }
  }
}

/// The address of a term of groups of A in `pairs`.
Value Int8Kernel::addressOfPairs(int64_t term, const GroupsOfA &where) {
  return address(b.getI32Type(), pairs, (2 * where.row + term) * block + where.constant,
                 where.index, where.scale);
}

/// Up-converts the next `k` values of each row of A, at most a block, into `pairs`.
void Int8Kernel::upconvertRows(Value aAt, int64_t k) {
  Tile nothing;
  visitRows(nothing, aAt, k, [&](Tile &, Value groups, const GroupsOfA &where) {
    for (auto [term, value] : llvm::enumerate(evenAndOdd(groups, kernel.getAUnsigned())))
      LLVM::StoreOp::create(b, loc, value, addressOfPairs(term, where), 4);
  });
}

/// A block of `k` values for one product, by pairs.
void Int8Kernel::blockDepth(Tile &tile, Value aAt, Value bAt, int64_t k) {
  upconvertRows(aAt, k);
  emitStepLoop(tile, llvm::divideCeil(k, four), {k / four, sets}, [&](Tile &inner, const Step &at) {
    int64_t count = at.index ? four : std::min(four, k - at.constant * four);
    step(inner, at.set, address(bElement, bAt, at.constant * bStep, at.index, bStep), count,
         [&](int64_t row, int64_t term) {
           return loadScalar(b.getI32Type(), addressOfPairs(term, {row, at.constant, at.index, 1}));
         });
  });
}

/// All of k for one product, by pairs.
void Int8Kernel::emitBlockLoop(Tile &tile, Value aAt, Value bAt) {
  int64_t values = block * four, full = kernel.getK() / values, rest = kernel.getK() % values,
          aStep = values * kernel.getACol(), blockOfB = block * bStep;
  if (full > 0)
    tile = repeat(full, 1, tile, [&](Value index, Tile &inner) {
      blockDepth(inner, address(element, aAt, 0, index, aStep),
                 address(bElement, bAt, 0, index, blockOfB), values);
    });
  if (rest > 0)
    blockDepth(tile, address(element, aAt, full * aStep), address(bElement, bAt, full * blockOfB),
               rest);
}

void Int8Kernel::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  if (!hasDotProduct)
    pairs = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                                   b.getI32Type(), number(rows * 2 * block), 64);
  prefetchesC = hasDotProduct && mayPrefetchCInSteps() && !kernel.getAccumulate();
  if (hasDotProduct)
    byRows = stepsByRows(steps, sets);
  Tile tile = start(sets, /*readsC=*/true, /*prefetchesC=*/!prefetchesC);
  emitProductLoop(tile, [&](Tile &inner, Value aAt, Value bAt) {
    hasDotProduct ? depth(inner, aAt, bAt) : emitBlockLoop(inner, aAt, bAt);
  });
  addUp(tile, sets);
  if (byRows > 0)
    finishByRows(tile, [&](int64_t from, int64_t to) { lastSteps(tile, from, to); });
  else
    finish(tile);
  func::ReturnOp::create(b, loc);
}

} // namespace

void buildVectorInt8(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  Int8Kernel(kernel, target, builder).build();
}

} // namespace kgen
