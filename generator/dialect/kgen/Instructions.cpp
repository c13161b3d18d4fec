// Verifiers of the operations that stand for instructions (Instructions.td).
#include "dialect/kgen/Kgen.h"

using namespace mlir;

namespace kgen {

LogicalResult DynamicPermuteOp::verify() {
  int64_t lanes = getIndices().getType().getNumElements(),
          from = getFrom().getType().getNumElements();
  if (getFrom().getType().getElementType().isInteger(16)) {
    if (lanes != 32 || from != 32 || !getIndices().getType().getElementType().isInteger(16))
      return emitOpError("has 32 lanes of i16 and as many indices of i16, found ")
             << getFrom().getType() << " and " << getIndices().getType();
    return success();
  }
  if (!getIndices().getType().getElementType().isInteger(32))
    return emitOpError("has indices of i32 for lanes of f32, found ") << getIndices().getType();
  if (lanes != 8 && lanes != 16)
    return emitOpError("has 8 or 16 lanes, found ") << lanes;
  if (from != lanes && from != 2 * lanes)
    return emitOpError("takes lanes of one register or two, found ") << from;
  return success();
}

LogicalResult DotOp::verify() {
  VectorType a = getA().getType(), sum = getSum().getType();
  bool ofBytes = a.getElementType().isInteger(8), isNarrow = sum.getElementType().isInteger(16);
  int64_t group = ofBytes && !isNarrow ? 4 : 2;
  if (a.getNumElements() != group * sum.getNumElements() || (isNarrow && !ofBytes) ||
      a.getElementType().isBF16() != sum.getElementType().isF32())
    return emitOpError("adds ") << group
                                << " products to each sum, f32 for bf16, i16 or i32 for "
                                   "bytes, else i32; found "
                                << a << " and " << sum;
  if ((getBothSigned() || getBothUnsigned()) && (!ofBytes || isNarrow))
    return emitOpError("takes 'both_signed' and 'both_unsigned' for bytes that are added to i32");
  if (getBothSigned() && getBothUnsigned())
    return emitOpError("has factors that are both signed and unsigned");
  return success();
}

LogicalResult PackOp::verify() {
  constexpr int64_t partBits = 128;
  VectorType type = getA().getType();
  if (type.getNumElements() * type.getElementTypeBitWidth() % partBits != 0)
    return emitOpError("packs parts of 128 bits; found ") << type;
  if (getIsUnsigned() && !type.getElementType().isInteger(16))
    return emitOpError("makes unsigned integers of i16 only; found ") << type;
  return success();
}

LogicalResult MatrixDotOp::verify() {
  VectorType a = getA().getType(), sum = getSum().getType();
  bool ofBytes = a.getElementType().isInteger(8);
  if (a.getNumElements() != (ofBytes ? 16 : 8) || ofBytes != sum.getElementType().isInteger(32))
    return emitOpError("multiplies rows of 8 bytes, whose sums are i32, or of 4 bf16, whose sums "
                       "are f32; found ")
           << a << " and " << sum;
  if ((getBothSigned() || getBothUnsigned()) && !ofBytes)
    return emitOpError("takes 'both_signed' and 'both_unsigned' for bytes");
  if (getBothSigned() && getBothUnsigned())
    return emitOpError("has factors that are both signed and unsigned");
  return success();
}

} // namespace kgen
