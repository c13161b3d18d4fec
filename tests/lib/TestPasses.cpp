#include "lib/TestPasses.h"

namespace kgen::tests {

void registerTestPasses() {
  mlir::registerPass(createEmulateAmxPass);
  mlir::registerPass(createCrashPass);
}

} // namespace kgen::tests
