#include "backend/x86/Intrinsics.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include <llvm/ADT/StringExtras.h>

using namespace mlir;

namespace kgen::x86 {

bool hasFeature(TargetAttr target, StringRef name) {
  return llvm::any_of(llvm::split(target.getFeatures(), ','), [&](StringRef feature) {
    return feature.consume_front("+") && feature == name;
  });
}

Value intrinsic(OpBuilder &b, Location loc, Type type, const Twine &name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), operands).getResult(0);
}

} // namespace kgen::x86
