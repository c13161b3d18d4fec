// Matmuls with constant blockwise quantized weights become tpp.gemm: weights, scales and zero
// points are prepacked into one contiguous constant when the library is generated.
#include "analysis/ConstantBytes.h"
#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/layout/MatmulNbits.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

#include <llvm/Support/Endian.h>

using namespace mlir;

namespace kgen {
namespace {

/// The bytes of a constant of any form.
struct Bytes {
  SmallVector<char> storage;
  ArrayRef<char> data;

  bool read(Value value) {
    ElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      data = constantBytes(constant, storage);
    return !data.empty();
  }
};

/// Writes the blocks of one matrix, as #kgen.blockwise_quant says.
class Packer {
public:
  explicit Packer(MatmulNbitsOp op)
      : op(op), blocks(op.getQuant()), n(op.getN()),
        count(llvm::divideCeil(op.getK(), op.getBlock())),
        scaleType(cast<FloatType>(getElementTypeOrSelf(op.getScales().getType()))) {}

  /// True if weights, scales and zero points are constant.
  bool read() {
    return weights.read(op.getWeights()) && scales.read(op.getScales()) &&
           (!op.getZeros() || zeros.read(op.getZeros()));
  }

  RankedTensorType type() {
    return RankedTensorType::get(
        {static_cast<int64_t>(llvm::divideCeil(n, panel)), count, blocks.bytes(panel)},
        IntegerType::get(op.getContext(), 8));
  }

  DenseResourceElementsAttr pack() {
    RankedTensorType packed = type();
    AsmResourceBlob blob = allocateBlob(packed.getNumElements());
    MutableArrayRef<char> data = blob.getMutableData();
    llvm::fill(data, 0);
    for (int64_t column = 0; column < n; ++column)
      for (int64_t block = 0; block < count; ++block)
        packBlock(column, block,
                  data.data() + ((column / panel) * count + block) * blocks.bytes(panel));
    return DenseResourceElementsAttr::get(packed, "packed", std::move(blob));
  }

private:
  static constexpr int64_t panel = BlockwiseQuantAttr::panelWidth;

  /// Bytes of a column that stay contiguous: 4 with 4 bits, or if rows are quantized, else 1.
  int64_t groupBytes() const { return blocks.getBits() == 4 || blocks.quantizesRows() ? 4 : 1; }

  /// Byte `byte` of a block of a column as the kernels read it.
  char packedByte(const char *block, int64_t byte) const {
    if (!blocks.quantizesRows()) // subtracting half of the range flips the highest bit
      return static_cast<char>(block[byte] ^ (blocks.getBits() == 4 ? 0x88 : 0x80));
    if (blocks.getBits() == 8)
      return block[byte];
    // Four weights and the four after them, instead of neighbours, share bytes.
    auto weight = [&](int64_t k) { return (block[k / 2] >> (k % 2 * 4)) & 15; };
    int64_t first = byte / 4 * 8 + byte % 4;
    return static_cast<char>(weight(first) | weight(first + 4) << 4);
  }

  void packBlock(int64_t column, int64_t block, char *packed) {
    int64_t bytes = blocks.weightBytes(1), group = groupBytes(), index = column * count + block;
    const char *from = weights.data.data() + index * bytes;
    char *to = packed + (column % panel) * group;
    for (int64_t byte = 0; byte < bytes; ++byte)
      to[byte / group * panel * group + byte % group] = packedByte(from, byte);
    char *floats = packed + blocks.weightBytes(panel);
    if (blocks.getF16Scales()) {
      llvm::copy(scales.data.slice(2 * index, 2), floats + 2 * (column % panel));
      return;
    }
    auto store = [&](int64_t number, float value) {
      llvm::support::endian::write32le(floats + 4 * number, llvm::bit_cast<uint32_t>(value));
    };
    store(column % panel, scale(index));
    if (blocks.getZeros())
      store(panel + column % panel, zero(column, block));
  }

  float scale(int64_t index) {
    unsigned width = scaleType.getWidth();
    APInt bits(width, 0);
    const char *from = scales.data.data() + index * (width / 8);
    bits = width == 16 ? APInt(16, llvm::support::endian::read16le(from))
                       : APInt(32, llvm::support::endian::read32le(from));
    APFloat value(scaleType.getFloatSemantics(), bits);
    return value.convertToFloat();
  }

  /// The zero point minus half of its range, as the weights are stored.
  float zero(int64_t column, int64_t block) {
    int64_t bits = blocks.getBits(), row = llvm::divideCeil(count * bits, 8);
    int value = static_cast<unsigned char>(zeros.data[column * row + block * bits / 8]);
    if (bits == 4)
      value = (value >> (block % 2 * 4)) & 15;
    return value - (1 << (bits - 1));
  }

  MatmulNbitsOp op;
  BlockwiseQuantAttr blocks;
  int64_t n, count;
  FloatType scaleType;
  Bytes weights, scales, zeros;
};

/// A as bytes; an operation with the same operand, if there is one in front, is used again.
Value quantizedRows(OpBuilder &b, MatmulNbitsOp op) {
  int64_t block = op.getQuant().getRowBlock();
  auto scaleBlock = static_cast<int64_t>(*op.getRowScaleBlock());
  for (Operation *user : op.getA().getUsers()) {
    auto same = dyn_cast<QuantizeRowsOp>(user);
    if (same && same->getBlock() == op->getBlock() && same->isBeforeInBlock(op) &&
        static_cast<int64_t>(same.getBlock()) == block &&
        static_cast<int64_t>(same.getScaleBlock()) == scaleBlock)
      return same;
  }
  int64_t bytes = llvm::divideCeil(op.getK(), block) * BlockwiseQuantAttr::rowBlockBytes(block);
  auto type = RankedTensorType::get({op.getM(), bytes}, b.getI8Type());
  return QuantizeRowsOp::create(b, withPurpose(op.getLoc(), "quantize"), type, op.getA(), block,
                                scaleBlock);
}

tpp::GemmOp createGemm(OpBuilder &b, MatmulNbitsOp op, Value packed) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  AffineExpr m, n, k;
  bindDims(b.getContext(), m, n, k);
  auto map = [&](AffineExpr row, AffineExpr column) {
    return AffineMap::get(3, 0, {row, column}, b.getContext());
  };
  Value a = op.getRowScaleBlock() ? quantizedRows(b, op) : op.getA();
  SmallVector<OpFoldResult> sizes{sizeOf(b, loc, op.getA(), 0), b.getIndexAttr(op.getN())};
  Value c = emptyTensor(b, loc, sizes, type.getElementType());
  auto gemm = tpp::GemmOp::create(b, loc, type, a, packed, ValueRange(), c, map(m, k), map(k, n),
                                  b.getAffineMapArrayAttr({}),
                                  b.getI64IntegerAttr(BlockwiseQuantAttr::panelWidth), /*vnni=*/1,
                                  /*accumulate=*/false, /*sequential=*/false,
                                  /*a_unsigned=*/false, /*b_unsigned=*/false, op.getQuant(),
                                  /*reduced=*/DenseI64ArrayAttr(), /*f16_accumulate=*/false);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&gemm.getEpilogue(), {}, {type.getElementType()}, {loc});
  tpp::YieldOp::create(b, loc, body->getArgument(0));
  return gemm;
}

void recordPanels(MatmulNbitsOp op, Value packed, DecisionLog &log) {
  log.add("contraction", op.getLoc(), log.details());
  Details details = log.details().setNames("operand", op.getWeights().getLoc());
  details.set("when", "build").set("why", "it is constant");
  details.set("panel", BlockwiseQuantAttr::panelWidth);
  log.add("operand-b", op.getLoc(), details.set("bytes", bytesOf(packed.getType())));
}

} // namespace

bool prepack(MatmulNbitsOp op, DecisionLog &log) {
  Packer packer(op);
  if (!packer.read()) {
    log.add("refused", op.getLoc(),
            log.details().set("why", "weights, scales or zero points are not constant"));
    return false;
  }
  OpBuilder b(op);
  Location loc = withPurpose(b.getFusedLoc({op.getLoc(), op.getWeights().getLoc()}), "pack");
  Value packed = arith::ConstantOp::create(b, loc, packer.type(), packer.pack());
  recordPanels(op, packed, log);
  SmallVector<Value> constants{op.getWeights(), op.getScales()};
  if (op.getZeros())
    constants.push_back(op.getZeros());
  op.getResult().replaceAllUsesWith(createGemm(b, op, packed)->getResult(0));
  op.erase();
  llvm::SmallSetVector<Operation *, 4> unused;
  for (Value constant : constants)
    unused.insert(constant.getDefiningOp());
  for (Operation *constant : unused)
    if (constant->use_empty())
      constant->erase();
  return true;
}

} // namespace kgen
