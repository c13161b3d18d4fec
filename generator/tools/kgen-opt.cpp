// mlir-opt with kgen's dialects, passes and stages.
#include "pipeline/Pipeline.h"

#include <mlir/InitAllPasses.h>
#include <mlir/Tools/mlir-opt/MlirOptMain.h>

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  kgen::registerPassesAndPipelines();
  mlir::DialectRegistry registry;
  kgen::registerDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "kgen's optimizer driver\n", registry));
}
