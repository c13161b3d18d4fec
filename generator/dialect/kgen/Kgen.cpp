#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/DialectImplementation.h>

#include <llvm/ADT/TypeSwitch.h>

#include <limits>

#include "dialect/kgen/KgenDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/kgen/KgenAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/kgen/KgenOps.cpp.inc"

#include <numeric>

using namespace mlir;

namespace kgen {

// All pieces are equal: tasks are not bound to a place.
int64_t GridPartitionAttr::getMappingId() const { return 0; }
bool GridPartitionAttr::isLinearMapping() const { return false; }
int64_t GridPartitionAttr::getRelativeIndex() const { return 0; }

void KgenDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/kgen/KgenAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/kgen/KgenOps.cpp.inc"
      >();
}

LogicalResult BlockwiseQuantAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t bits,
                                         int64_t size, bool) {
  if (bits != 4 && bits != 8)
    return emitError() << "weights in blocks have 4 or 8 bits, found " << bits;
  if (size < 16 || !llvm::isPowerOf2_64(size))
    return emitError() << "blocks hold a power of two of weights, at least 16, found " << size;
  return success();
}

LogicalResult PermuteOp::verify() {
  int64_t lanes = getPlaces().getType().getNumElements(),
          from = getFrom().getType().getNumElements();
  if (lanes != 8 && lanes != 16)
    return emitOpError("has 8 or 16 lanes, found ") << lanes;
  if (from != lanes && from != 2 * lanes)
    return emitOpError("takes lanes of one register or two, found ") << from;
  return success();
}

BlockwiseQuantAttr MatmulNbitsOp::getBlocks() {
  return BlockwiseQuantAttr::get(getContext(), getBits(), getBlock(), getZeros() != nullptr);
}

LogicalResult MatmulNbitsOp::verify() {
  if (failed(
          BlockwiseQuantAttr::verify([&] { return emitOpError(); }, getBits(), getBlock(), false)))
    return failure();
  auto a = cast<RankedTensorType>(getA().getType()),
       weights = cast<RankedTensorType>(getWeights().getType());
  if (a.getRank() != 2 || !accumulatorOf(a.getElementType()).isF32() || weights.getRank() != 3)
    return emitOpError("multiplies a matrix of floats that are added up in f32 with weights of "
                       "three dimensions");
  int64_t n = getN(), blocks = getBlocks().count(getK()), bits = getBits();
  Type byte = IntegerType::get(getContext(), 8), f32 = Float32Type::get(getContext());
  auto is = [](Value value, ArrayRef<int64_t> shape) {
    return cast<RankedTensorType>(value.getType()).getShape() == shape;
  };
  Type scale = getElementTypeOrSelf(getScales().getType());
  int64_t bytes = getBlock() * bits / 8;
  if (!is(getWeights(), {n, blocks, bytes}) || weights.getElementType() != byte)
    return emitOpError() << "needs weights of " << n << "x" << blocks << "x" << bytes << " bytes";
  if (!is(getScales(), {n, blocks}) || !isa<FloatType>(scale) || !accumulatorOf(scale).isF32())
    return emitOpError() << "needs scales of " << n << "x" << blocks << " floats";
  int64_t zeroBytes = llvm::divideCeil(blocks * bits, 8);
  if (getZeros() &&
      (!is(getZeros(), {n, zeroBytes}) || getElementTypeOrSelf(getZeros().getType()) != byte))
    return emitOpError() << "needs zero points in " << n << "x" << zeroBytes << " bytes";
  if (getResult().getType() != RankedTensorType::get({getM(), n}, f32))
    return emitOpError() << "has a result of " << getM() << "x" << n << " f32";
  return success();
}

bool canBeCaptured(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type.isIntOrIndexOrFloat() || isa<VectorType, LLVM::LLVMPointerType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  return memref.hasStaticShape() && succeeded(memref.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) && llvm::none_of(strides, ShapedType::isDynamic);
}

LogicalResult LaunchOp::verify() {
  if (static_cast<int64_t>(getTasks()) > maxTasks)
    return emitOpError() << "has more tasks than a uint32_t can count";
  for (Type type : getCaptures().getTypes())
    if (!canBeCaptured(type))
      return emitOpError() << "cannot capture " << type;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *callee = symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
  if (!isa_and_nonnull<FunctionOpInterface>(callee))
    return emitOpError() << "needs a function called " << getCalleeAttr();
  // Functions in another form than func.func are of the LLVM dialect: types differ there.
  auto task = dyn_cast<func::FuncOp>(callee);
  SmallVector<Type> wanted(getCaptures().getTypes());
  wanted.append(getSlots() ? 2 : 1, IndexType::get(getContext()));
  if (task && (task.getArgumentTypes() != ArrayRef(wanted) || task.getNumResults() != 0))
    return emitOpError() << "passes its captures"
                         << (getSlots() ? ", an index and a slot" : " and an index") << ", but "
                         << getCalleeAttr() << " has the type " << task.getFunctionType();
  return success();
}

TargetAttr targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttrName))
      return target;
  return {};
}

TargetAttr requireTarget(Operation *op) {
  TargetAttr target = targetOf(op);
  if (!target)
    op->emitError("needs a target: the module has no 'kgen.target'");
  return target;
}

bool TargetAttr::hasFeature(StringRef name) const {
  SmallVector<StringRef> features;
  getFeatures().split(features, ',');
  return llvm::any_of(
      features, [&](StringRef feature) { return feature.consume_front("+") && feature == name; });
}

int64_t TargetAttr::lanes(Type element) const {
  return std::max<int64_t>(1, getVectorBits() / std::max(8u, element.getIntOrFloatBitWidth()));
}

int64_t TargetAttr::block(StringRef kind, StringRef name, int64_t otherwise) const {
  auto table = getGemmTiles().getAs<DictionaryAttr>(kind);
  auto number = table ? table.getAs<IntegerAttr>(name) : IntegerAttr();
  return number ? number.getInt() : otherwise;
}

int64_t TargetAttr::vnniFactor(Type b) const { return b.isBF16() ? 2 : b.isInteger(8) ? 4 : 1; }

Type accumulatorOf(Type element) {
  return element.isBF16() || element.isF16() ? Float32Type::get(element.getContext()) : element;
}

Type accumulatorOf(Type a, Type b) {
  if (accumulatorOf(a) != accumulatorOf(b))
    return {};
  return a.isInteger(8) ? IntegerType::get(a.getContext(), 32) : accumulatorOf(a);
}

bool isFunction(Operation *op) {
  return isa<GeluOp, GeluTanhOp, SigmoidOp, SoftplusOp, ExpOrZeroOp, Exp2OrZeroOp>(op) ||
         op->getName().getDialectNamespace() == "math";
}

bool crowdsSet(TargetAttr target, int64_t rows, int64_t distance) {
  int64_t places = pageBytes / std::gcd(distance, pageBytes), ways = target.getL1d() / pageBytes;
  return 2 * llvm::divideCeilSigned(rows, places) > ways;
}

/// A panel holds 128 bytes of sums, two cache lines: every target's register tile divides it, so
/// that all variants share one copy of the packed weights. Few columns get a panel of their own
/// width, rounded up to a power of two.
static int64_t panelWidth(int64_t accumulatorBytes, int64_t n) {
  int64_t widest = 128 / accumulatorBytes;
  return std::min<int64_t>(widest, llvm::PowerOf2Ceil(std::max<int64_t>(n, 1)));
}

/// Rows of a register tile of `vectors` for B that is widened in registers: beside the sums, they
/// hold B's vectors as they are and widened, an element of A, and a mask.
static int64_t rowsBesideWidening(TargetAttr target, Type b, int64_t mr, int64_t vectors) {
  int64_t others = vectors * target.vnniFactor(b) + 2;
  if (!target.hasFeature("fma")) // products on their way to their sums
    others += 3;
  if (b.isF16() && !target.hasFeature("f16c")) // numbers of kgen-expand-f16
    others += 4;
  return std::clamp<int64_t>((target.getVectorRegisters() - others) / vectors, 1, mr);
}

/// Rows of a block of A with all of `k` that has as many elements as one of mc x kc, in whole
/// register tiles: two at least, so that a panel of B serves more than one.
static int64_t rowsOfBlock(const GemmBlocking &blocking, int64_t k) {
  int64_t rows = blocking.mc * blocking.kc / std::max<int64_t>(k, 1);
  return std::max<int64_t>(2, rows / blocking.mr) * blocking.mr;
}

/// Blocks of kernels on tile registers: as many rows of A as fill half of the second cache, and as
/// many k as let a panel of B fill two thirds of the first one.
static void blockForTiles(TargetAttr target, StringRef kind, Type b, int64_t k,
                          GemmBlocking &blocking) {
  constexpr int64_t rowsOfTile = 16;
  int64_t bytes = b.getIntOrFloatBitWidth() / 8, depth = std::max<int64_t>(k, 1);
  // The sums of all rows wait between blocks of k, which limits them, too.
  constexpr int64_t leastRows = 64, maxRows = 512;
  int64_t rows =
      std::max(leastRows, target.getL2() / 2 / (depth * bytes) / rowsOfTile * rowsOfTile);
  blocking.mc = std::clamp(std::min(rows, target.block(kind, "mc", 256)), blocking.mr, maxRows);
  int64_t lines = std::max<int64_t>(1, target.getL1d() * 2 / 3 / (blocking.nr * lineBytes));
  blocking.kc = std::max<int64_t>(1, target.block(kind, "kc", lines * lineBytes / bytes));
  // A remainder of less than a quarter of a block is cheaper as part of the others.
  if (depth <= blocking.kc + blocking.kc / 4)
    blocking.kc = depth;
}

/// Where each number comes from:
///
///     accumulators  mr * nr / lanes of the target's table, measured: sums that hide the latency of
///                   a multiply-add, and leave registers for a row of B and an element of A.
///                   Without a table, half of the registers.
///     panel         two cache lines of sums (panelWidth), or less for few columns
///     nr            the table's, at most a panel; few rows take all of a panel that the registers
///                   have room for, or, of a B in place, up to four vectors
///     mr            accumulators / (nr / lanes)
///     kc            the table's: a panel's part of k stays in the second cache beside A's block.
///                   All of k where sums have another type than C, which could not keep them, where
///                   k is less than half a block more, and where one tile has all rows, and, of a
///                   B in place, all columns. Of that, few rows take a few rows at a time.
///     mc            the table's; where all of k is a block, as rowsOfBlock says, but no fewer rows
///                   than the table's if panels are widened for all of them: A comes from further
///                   away then, once for each pair of panels
GemmBlocking TargetAttr::gemmBlocking(Type a, Type bType, int64_t m, int64_t n, int64_t k,
                                      bool packed, bool mayUseTiles, bool f16Accumulate) const {
  GemmBlocking blocking;
  blocking.tiles =
      packed && mayUseTiles && !f16Accumulate && productForm(a, bType) == ProductForm::tiles;
  Type accumulator = accumulatorOf(a, bType);
  auto kindOf = [&](Type type) {
    std::string kind = blocking.tiles ? "amx_" : "gemm_";
    llvm::raw_string_ostream(kind) << type;
    return kind;
  };
  std::string kind = kindOf(bType);
  // What is widened to f32 in registers is worked on in the tiles of f32, if there is room.
  bool isWidened = !blocking.tiles && !f16Accumulate && bType != accumulator &&
                   accumulator.isF32() && (bType.isF16() || !getGemmTiles().get(kind));
  if (isWidened)
    kind = kindOf(accumulator);
  int64_t width = lanes(f16Accumulate ? bType : accumulator);
  // Without measured values: half the registers hold C in tiles two vectors wide, or four of the
  // eight tile registers. Sums in f16 have tiles as wide as a panel, one vector: three quarters of
  // the registers.
  int64_t registers = getVectorRegisters();
  int64_t nr = block(kind, "nr", f16Accumulate ? width : 2 * width),
          mr = block(kind, "mr",
                     blocking.tiles  ? 32
                     : f16Accumulate ? 3 * registers / 4
                                     : std::max<int64_t>(1, registers / 4));
  if (isWidened)
    mr = rowsBesideWidening(*this, bType, mr, llvm::divideCeil(nr, width));
  blocking.panel = panelWidth(accumulator.getIntOrFloatBitWidth() / 8, n);
  blocking.accumulators = std::max<int64_t>(1, mr * llvm::divideCeil(nr, width));
  // In place, few rows take a few columns of some rows of B and then the next ones, so that each of
  // these rows is a stream that what fetches ahead by itself can follow.
  bool fewRows = !packed && m < mr;
  constexpr int64_t mostVectors = 4;
  // Beside the sums there are a row of B, unless its vectors are used once, and an element of A.
  auto registersFor = [&](int64_t columns) {
    auto vectors = static_cast<int64_t>(llvm::divideCeil(columns, width));
    return vectors * (m + 1) + 1;
  };
  int64_t vectors = std::max<int64_t>(blocking.accumulators / std::max<int64_t>(m, 1), 1),
          all = llvm::divideCeil(std::max<int64_t>(n, 1), width);
  bool fits = all <= vectors && (m <= 1 || registersFor(n) <= registers);
  bool takesRows = fewRows && fits; // by one tile, for which B is one stream
  vectors = takesRows ? all : std::min(vectors, mostVectors);
  blocking.nr = fewRows ? vectors * width : std::min(nr, blocking.panel);
  // Few rows of a packed B take all of a panel if the registers allow it: one stream of memory
  // instead of parts of it at a stride.
  while (packed && bType == accumulator && m > 0 && 2 * blocking.nr <= blocking.panel &&
         registersFor(2 * blocking.nr) <= registers &&
         m * static_cast<int64_t>(llvm::divideCeil(2 * blocking.nr, width)) <=
             blocking.accumulators)
    blocking.nr *= 2;
  blocking.mr = std::max<int64_t>(1, blocking.accumulators / llvm::divideCeil(blocking.nr, width));
  if (blocking.tiles) {
    blockForTiles(*this, kind, bType, k, blocking);
    return blocking;
  }
  blocking.mc = std::max(blocking.mr, block(kind, "mc", 96));
  // ... and few rows of B at a time, so that all of B goes by as that many streams while C stays in
  // the cache: as many as give the way of C there and back something to hide behind.
  auto rowsOfB = std::max<int64_t>(8, llvm::PowerOf2Ceil(4 * m));
  blocking.kc = takesRows ? std::max<int64_t>(k, 1)
                : fewRows ? rowsOfB
                          : std::max<int64_t>(1, block(kind, "kc", 1024));
  // Sums of another type than C's have no place between blocks of k, so all of k is one block, and
  // what a block of A may hold decides about its rows.
  if (accumulator != bType) {
    int64_t least = packed && isWidened ? blocking.mc : 0;
    blocking.mc = std::max(least, rowsOfBlock(blocking, k));
    blocking.kc = std::max<int64_t>(k, 1);
  }
  // With one tile of rows, a panel is read once: blocks of it would only move C.
  if (packed && m <= blocking.mr && blocking.nr == blocking.panel)
    blocking.kc = std::max<int64_t>(k, 1);
  // A remainder of less than half a block is cheaper as part of the last one.
  if (k < blocking.kc + blocking.kc / 2)
    blocking.kc = std::max<int64_t>(k, 1);
  return blocking;
}

} // namespace kgen
