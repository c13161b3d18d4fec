#include "driver/compile/WorkspaceDims.h"

#include "ops/SymbolicSizes.h"

#include <mlir/AsmParser/AsmParser.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/MLIRContext.h>

namespace kgen {

std::vector<Dim> workspaceDims(const std::string &map,
                               llvm::ArrayRef<std::shared_ptr<const DimSymbol>> dims) {
  if (map.empty())
    return {};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto sizes = llvm::cast<mlir::AffineMapAttr>(mlir::parseAttribute(map, &context)).getValue();
  std::vector<Dim> symbols(dims.begin(), dims.end()), result;
  for (mlir::AffineExpr size : sizes.getResults())
    result.push_back(dimOf(size, symbols));
  return result;
}

} // namespace kgen
