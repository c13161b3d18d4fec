// KGEN_TEST_PASSES="kgen-test-crash{how=abort}" in the environment of kgen: passes after the
// conversions to the LLVM dialect.
#include "lib/TestPasses.h"

#include "driver/compile/TestPasses.h"

#include <mlir/Pass/PassRegistry.h>

#include <llvm/Support/ErrorHandling.h>

#include <cstdlib>

namespace kgen::tests {

void addPassesOfEnvironment() {
  const char *text = std::getenv("KGEN_TEST_PASSES");
  if (!text)
    return;
  registerTestPasses();
  testPasses() = [text](mlir::OpPassManager &pm) {
    if (failed(mlir::parsePassPipeline(text, pm)))
      llvm::report_fatal_error("KGEN_TEST_PASSES is no pipeline");
  };
}

} // namespace kgen::tests
