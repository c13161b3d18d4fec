// Numbers to bytes, independent of the build machine's byte order.
#include "spec/WeightFiles.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>

namespace kgen {

void appendInteger(std::vector<char> &bytes, ElementType type, int64_t value) {
  uint64_t bits = static_cast<uint64_t>(value);
  for (size_t i = 0; i < byteWidth(type); ++i)
    bytes.push_back(static_cast<char>(bits >> (8 * i)));
}

static const llvm::fltSemantics &semantics(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return llvm::APFloat::IEEEhalf();
  case ElementType::bf16:
    return llvm::APFloat::BFloat();
  case ElementType::f32:
    return llvm::APFloat::IEEEsingle();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

void appendFloat(std::vector<char> &bytes, ElementType type, double value) {
  llvm::APFloat number(value);
  bool inexact; // rounding is the point
  number.convert(semantics(type), llvm::APFloat::rmNearestTiesToEven, &inexact);
  appendInteger(bytes, type, static_cast<int64_t>(number.bitcastToAPInt().getZExtValue()));
}

} // namespace kgen
