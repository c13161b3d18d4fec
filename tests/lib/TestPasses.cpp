#include "lib/TestPasses.h"

namespace kgen::tests {

void registerTestPasses() { mlir::registerPass(createEmulateAmxPass); }

} // namespace kgen::tests
