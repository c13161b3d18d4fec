// Elementwise tpp operations on memrefs become calls of micro-kernels.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/macrokernel/KernelTable.h"
#include "transforms/macrokernel/Passes.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TPPTOUKERNELPASS
#include "transforms/macrokernel/Passes.h.inc"

namespace {

using tpp::ElementwiseOpInterface;

/// The strides of an operand along the rows and columns of the tile; nothing unless they are
/// static.
std::optional<std::pair<int64_t, int64_t>> stridesOf(Value value, AffineMap map) {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(value.getType());
  if (failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t along[2] = {0, 0};
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    along[cast<AffineDimExpr>(result).getPosition()] = strides[position];
  if (ShapedType::isDynamic(along[0]) || ShapedType::isDynamic(along[1]))
    return std::nullopt;
  return std::pair(along[0], along[1]);
}

/// The strides of a descriptor, in elements; columns of the output are contiguous.
struct Strides {
  SmallVector<int64_t> inRows, inCols;
  int64_t outRow;
};

/// Nothing if the operation has no micro-kernel.
std::optional<Strides> kernelStrides(ElementwiseOpInterface op) {
  ShapedType type = op.getInitType();
  if (!isa<MemRefType>(type) || type.getRank() != 2 || type.getNumElements() == 0)
    return std::nullopt;
  bool oneColumn = type.getDimSize(1) == 1;
  auto out = stridesOf(op.getInit(), op.getOperandMap(op.getArity()));
  if (!out || (out->second != 1 && !oneColumn))
    return std::nullopt;
  Strides strides{{}, {}, out->first};
  for (unsigned number = 0; number < op.getArity(); ++number) {
    auto in = stridesOf(op.getInputs()[number], op.getInputMap(number));
    if (!in || (in->second > 1 && !oneColumn))
      return std::nullopt;
    strides.inRows.push_back(in->first);
    strides.inCols.push_back(oneColumn ? 0 : in->second);
  }
  return strides;
}

FlatSymbolRefAttr makeKernel(KernelTable &kernels, ElementwiseOpInterface op,
                             const Strides &strides) {
  OpBuilder b(kernels.getModule().getBodyRegion());
  Location loc = UnknownLoc::get(op.getContext());
  auto kernel = ukernel::MapOp::create(b, loc, "uk", op.getInitType().getDimSize(0),
                                       op.getInitType().getDimSize(1), strides.inRows,
                                       strides.inCols, strides.outRow);
  Block *body = b.createBlock(&kernel.getBody());
  for (Value input : op.getInputs())
    body->addArgument(getElementTypeOrSelf(input.getType()), loc);
  ukernel::YieldOp::create(b, loc, tpp::buildElement(op, b, loc, body->getArguments()));
  return kernels.intern(kernel);
}

/// An input as a matrix with these strides, 0 along dimensions in which it is broadcast.
Value asMatrix(OpBuilder &b, ElementwiseOpInterface op, unsigned number, int64_t row, int64_t col) {
  Value input = op.getInputs()[number];
  if (op.getInputMap(number).isIdentity())
    return input;
  Location loc = op.getLoc();
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(input.getType());
  if (failed(type.getStridesAndOffset(strides, offset)))
    llvm_unreachable("it has strides, as kernelStrides saw");
  OpFoldResult start = b.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    start = memref::ExtractStridedMetadataOp::create(b, loc, input).getOffset();
  ArrayRef<int64_t> shape = op.getInitType().getShape();
  auto matrix = MemRefType::get(shape, type.getElementType(),
                                StridedLayoutAttr::get(b.getContext(), offset, {row, col}));
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(shape[0]), b.getIndexAttr(shape[1])},
      steps{b.getIndexAttr(row), b.getIndexAttr(col)};
  return memref::ReinterpretCastOp::create(b, loc, matrix, input, start, sizes, steps);
}

struct TppToUkernelPass : impl::TppToUkernelPassBase<TppToUkernelPass> {
  void runOnOperation() override {
    KernelTable kernels(getOperation());
    DecisionLog log(getOperation(), getArgument());
    SmallVector<ElementwiseOpInterface> tiles;
    getOperation().walk([&](ElementwiseOpInterface op) { tiles.push_back(op); });
    for (ElementwiseOpInterface op : tiles) {
      std::optional<Strides> strides = kernelStrides(op);
      if (!strides) {
        ++numRefused;
        log.add("refused", op.getLoc(),
                log.details().set("why", "no micro-kernel has such strides"));
        continue;
      }
      ++numCalls;
      OpBuilder b(op);
      SmallVector<Value> tiles;
      for (unsigned number = 0; number < op.getArity(); ++number)
        tiles.push_back(asMatrix(b, op, number, strides->inRows[number], strides->inCols[number]));
      tiles.push_back(op.getInit());
      ukernel::CallOp::create(b, op.getLoc(), makeKernel(kernels, op, *strides), tiles);
      op->erase();
    }
  }
};

} // namespace
} // namespace kgen
