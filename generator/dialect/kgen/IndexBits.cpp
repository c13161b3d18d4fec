#include "dialect/kgen/IndexBits.h"

#include "dialect/kgen/Kgen.h"

#include <llvm/TargetParser/Triple.h>

namespace kgen {

unsigned indexBitsOf(llvm::StringRef triple) {
  return llvm::Triple(triple).isArch32Bit() ? 32 : 64;
}

unsigned indexBits(mlir::Operation *op) {
  TargetAttr target = targetOf(op);
  return indexBitsOf(target ? target.getTriple() : "");
}

} // namespace kgen
