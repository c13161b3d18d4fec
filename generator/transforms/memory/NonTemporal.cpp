#include "transforms/memory/NonTemporal.h"

#include "dialect/kgen/TypeSizes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

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

void createStoreFence(OpBuilder &b, Location loc) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange{});
}

} // namespace kgen
