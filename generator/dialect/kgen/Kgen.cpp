#include "dialect/kgen/Kgen.h"

#include "dialect/kgen/NamedOps.h"

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

using namespace mlir;

namespace kgen {

// Tasks are not bound to particular processors.
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
  addOperations<
#define GET_OP_LIST
#include "dialect/kgen/NamedOps.cpp.inc"
      >();
}

/// True if blocks may have `size` values.
static bool isBlockSize(int64_t size) { return size >= 16 && llvm::isPowerOf2_64(size); }

LogicalResult BlockwiseQuantAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t bits,
                                         int64_t size, bool zeros, int64_t rowBlock,
                                         bool f16Scales) {
  if (bits != 4 && bits != 8)
    return emitError() << "blockwise-quantized weights have 4 or 8 bits, found " << bits;
  if (!isBlockSize(size))
    return emitError() << "blocks hold a power of two of weights, at least 16, found " << size;
  if (rowBlock != 0 && (!isBlockSize(rowBlock) || rowBlock > size))
    return emitError() << "blocks of rows hold a power of two of values, at least 16 and at most "
                       << size << " as the weights' do, found " << rowBlock;
  if (zeros && f16Scales)
    return emitError() << "scales of blocks with zero points are in f32";
  return success();
}

BlockwiseQuantAttr MatmulNbitsOp::getQuant() {
  int64_t block = getBlock(), rowBlock = 0;
  if (auto scaleBlock = getRowScaleBlock())
    rowBlock = std::min<int64_t>(block, *scaleBlock);
  bool hasZeros = getZeros() != nullptr;
  return BlockwiseQuantAttr::get(getContext(), getBits(), block, hasZeros, rowBlock,
                                 !hasZeros && getElementTypeOrSelf(getScales().getType()).isF16());
}

LogicalResult QuantizeRowsOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  int64_t block = getBlock(), scaleBlock = getScaleBlock();
  if (!isBlockSize(block) || !isBlockSize(scaleBlock) || scaleBlock < block)
    return emitOpError() << "has blocks of a power of two of values, at least 16, and scales for "
                            "one or several of them, found "
                         << block << " and " << scaleBlock;
  if (a.isDynamicDim(1))
    return emitOpError("needs rows of a length that is known");
  int64_t bytes = llvm::divideCeil(getK(), block) * BlockwiseQuantAttr::rowBlockBytes(block);
  if (result.getDimSize(0) != a.getDimSize(0) || result.getDimSize(1) != bytes)
    return emitOpError() << "has a row of " << bytes << " bytes for each row of A, found "
                         << result;
  return success();
}

LogicalResult MatmulNbitsOp::verify() {
  if (failed(BlockwiseQuantAttr::verify([&] { return emitOpError(); }, getBits(), getBlock(), false,
                                        0, false)))
    return failure();
  if (getRowScaleBlock() && !isBlockSize(*getRowScaleBlock()))
    return emitOpError() << "rows have scales for blocks of a power of two of values, at least 16, "
                            "found "
                         << *getRowScaleBlock();
  auto a = cast<RankedTensorType>(getA().getType()),
       weights = cast<RankedTensorType>(getWeights().getType());
  if (a.isDynamicDim(1) || !accumulatorOf(a.getElementType()).isF32() || weights.getRank() != 3)
    return emitOpError("multiplies a matrix of floats that are added up in f32, whose rows have a "
                       "length that is known, with weights of three dimensions");
  int64_t n = getN(), blocks = llvm::divideCeil(getK(), getBlock()), bits = getBits();
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

int64_t TargetAttr::lanes(Type element) const {
  return std::max<int64_t>(1, getVectorBits() / std::max(8u, element.getIntOrFloatBitWidth()));
}

Type accumulatorOf(Type element) {
  return element.isBF16() || element.isF16() ? Float32Type::get(element.getContext()) : element;
}

Type accumulatorOf(Type a, Type b) {
  if (accumulatorOf(a) != accumulatorOf(b))
    return {};
  return a.isInteger(8) ? IntegerType::get(a.getContext(), 32) : accumulatorOf(a);
}

bool isMathFunction(Operation *op) {
  return isa<GeluOp, GeluTanhOp, SigmoidOp, SigmoidProductOp, SoftplusOp, ExpOrZeroOp,
             Exp2OrZeroOp>(op) ||
         op->getName().getDialectNamespace() == "math";
}

const Cpu &cpuOf(Operation *op) {
  static const Cpu defaults;
  TargetAttr target = targetOf(op);
  return target ? target.cpu() : defaults;
}

} // namespace kgen
