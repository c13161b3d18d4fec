// Elementwise tile operations on tiles in memory become calls of micro-kernels.
#include "transforms/KernelTable.h"
#include "transforms/Passes.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TILEOPSTOKERNELSPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ElementwiseOpInterface;

/// The strides of an operand along the rows and columns of the tile, if they are static.
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

/// The descriptor's strides; nothing if the operation has no such kernel.
struct Strides {
  SmallVector<int64_t> inRows, inCols;
  int64_t outRow;
};

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

struct TileOpsToKernelsPass : impl::TileOpsToKernelsPassBase<TileOpsToKernelsPass> {
  void runOnOperation() override {
    KernelTable kernels(getOperation());
    SmallVector<ElementwiseOpInterface> tiles;
    getOperation().walk([&](ElementwiseOpInterface op) { tiles.push_back(op); });
    for (ElementwiseOpInterface op : tiles) {
      std::optional<Strides> strides = kernelStrides(op);
      if (!strides)
        continue;
      OpBuilder b(op);
      ukernel::CallOp::create(b, op.getLoc(), makeKernel(kernels, op, *strides), op->getOperands());
      op->erase();
    }
  }
};

} // namespace
} // namespace kgen
