#include "transforms/memory/NonTemporal.h"

#include "analysis/IndexRange.h"
#include "analysis/ViewSource.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/Stores.h"
#include "dialect/kgen/TypeSizes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
namespace {

int64_t bytesOfVector(vector::TransferWriteOp write) {
  return write.getVectorType().getNumElements() * bytesOfElement(write.getVectorType());
}

/// True if the vector is a contiguous, unmasked part of the memory's last dimension, in whole
/// bytes.
bool isPartOfRow(vector::TransferWriteOp write) {
  auto memory = dyn_cast<MemRefType>(write.getBase().getType());
  VectorType vector = write.getVectorType();
  return memory && vector.getRank() == 1 && vector.getElementType().isIntOrFloat() &&
         vector.getElementTypeBitWidth() % 8 == 0 && write.getPermutationMap().isMinorIdentity() &&
         !write.getMask() && !write.hasOutOfBoundsDim() && memory.isLastDimUnitStride();
}

/// The alignment of the element at `indices` relative to the first one, in bytes, at most
/// `alignment`; 0 if strides are not known.
int64_t alignmentAt(MemRefType type, ArrayRef<OpFoldResult> indices, int64_t alignment) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return 0;
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    int64_t distance = knownDivisor(index) * stride * bytesOfElement(type);
    if (distance != 0)
      alignment = std::min(alignment, distance & -distance);
  }
  return alignment;
}

/// The alignment of the vector relative to the memory that `write` names.
int64_t alignmentInMemory(vector::TransferWriteOp write) {
  if (!isPartOfRow(write))
    return 0;
  return alignmentAt(cast<MemRefType>(write.getBase().getType()),
                     getAsOpFoldResult(write.getIndices()), cpuOf(write).lineBytes);
}

/// Returns the alignment relative to the whole memory.
int64_t alignmentInSource(vector::TransferWriteOp write) {
  int64_t alignment = alignmentInMemory(write);
  for (Operation *view = write.getBase().getDefiningOp(); view && isViewLike(view);
       view = view->getOperand(0).getDefiningOp())
    if (auto slice = dyn_cast<memref::SubViewOp>(view); slice && alignment != 0)
      alignment = alignmentAt(slice.getSourceType(), slice.getMixedOffsets(), alignment);
  return alignment;
}

/// Bytes that the innermost loop writes if its vectors follow each other; 0 if they do not.
int64_t bytesOfRun(vector::TransferWriteOp write) {
  auto loop = dyn_cast<scf::ForOp>(write->getParentOp());
  if (!loop || LinearIndex(write.getIndices().back()).coefficientOf(loop.getInductionVar()) != 1)
    return 0;
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return trips && step ? trips->getSExtValue() * *step * bytesOfElement(write.getVectorType()) : 0;
}

} // namespace

StoredVector storedVectorOf(vector::TransferWriteOp write) {
  StoredVector vector;
  vector.bytes = bytesOfVector(write);
  vector.elementBytes = bytesOfElement(write.getVectorType());
  vector.startAlignment = alignmentInSource(write);
  vector.runBytes = bytesOfRun(write);
  vector.isInLoop = write->getParentOfType<scf::ForOp>() != nullptr;
  vector.isAtConstantColumn = getConstantIntValue(write.getIndices().back()).has_value();
  return vector;
}

std::optional<bool> wantsNonTemporal(ArrayRef<vector::TransferWriteOp> writes) {
  std::optional<bool> wanted;
  for (vector::TransferWriteOp write : writes)
    if (auto written = write->getAttrOfType<BoolAttr>(wantsNonTemporalAttrName))
      wanted = wanted.value_or(false) || written.getValue();
  return wanted;
}

bool shouldBeNonTemporal(ArrayRef<vector::TransferWriteOp> writes, const Cpu &cpu, int64_t bytes,
                         StoreOrder order) {
  if (std::optional<bool> demanded = wantsNonTemporal(writes))
    return *demanded;
  Stores wanted = order == StoreOrder::alongRows ? Stores::alongRows : Stores::acrossRows;
  bool isChosen = llvm::any_of(writes, [&](vector::TransferWriteOp write) {
    return bitEnumContainsAny(writtenStores(write).value_or(Stores::cached), wanted);
  });
  return isChosen || isNonTemporalProfitable(cpu, bytes, order);
}

bool fillsLines(vector::TransferWriteOp write) {
  int64_t line = cpuOf(write).lineBytes;
  return alignmentInMemory(write) == line && bytesOfVector(write) % line == 0;
}

Value isAlignedTo(OpBuilder &b, Location loc, Value memory, int64_t bytes) {
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memory);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, metadata.getBaseBuffer());
  Value width = index(bytesOfElement(memory.getType()));
  Value offset = arith::MulIOp::create(b, loc, metadata.getOffset(), width);
  Value first = arith::AddIOp::create(b, loc, base, offset);
  Value excess = arith::AndIOp::create(b, loc, first, index(bytes - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, excess, index(0));
}

} // namespace kgen
