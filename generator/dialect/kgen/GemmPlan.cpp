// #kgen.gemm_plan: how it is made of the cost model's register tile, and back.
#include "dialect/kgen/Kgen.h"

#include <llvm/ADT/StringSwitch.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr llvm::StringLiteral matrixForm = "matrix", tileForm = "tile";

StringRef nameOf(ProductForm form) {
  switch (form) {
  case ProductForm::multiplyAdd:
    return "multiply_add";
  case ProductForm::upconvert:
    return "upconvert";
  case ProductForm::multiplyAddI16:
    return "multiply_add_i16";
  case ProductForm::dotProduct:
    return "dot_product";
  case ProductForm::matrix:
    return matrixForm;
  case ProductForm::tile:
    return tileForm;
  }
  llvm_unreachable("all forms are cases");
}

bool isForm(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("multiply_add", "upconvert", "multiply_add_i16", "dot_product", true)
      .Cases(matrixForm, tileForm, true)
      .Default(false);
}

} // namespace

LogicalResult GemmPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef form,
                                   StringRef, int64_t rows, int64_t columns, int64_t rowGrain,
                                   int64_t depth, Attribute inVectors) {
  if (!isForm(form))
    return emitError() << "products are multiply_add, upconvert, multiply_add_i16, dot_product, "
                          "matrix or tile, found '"
                       << form << "'";
  for (int64_t size : {rows, columns, rowGrain, depth})
    if (size < 1)
      return emitError() << "sizes of a plan are positive, found " << size;
  auto vectors = dyn_cast_or_null<GemmPlanAttr>(inVectors);
  if ((form == tileForm) != static_cast<bool>(inVectors) ||
      (inVectors && (!vectors || vectors.getForm() == tileForm)))
    return emitError() << "a plan with tile registers, and no other, has one without them";
  return success();
}

GemmPlanAttr GemmPlanAttr::inVectors() const {
  return getInVectors() ? cast<GemmPlanAttr>(getInVectors()) : *this;
}

GemmTile GemmPlanAttr::tile() const {
  GemmTile tile;
  tile.products = getForm() == tileForm     ? GemmTile::Products::tiles
                  : getForm() == matrixForm ? GemmTile::Products::matrix
                                            : GemmTile::Products::lanes;
  tile.table = getTable().str();
  tile.rows = getRows();
  tile.columns = getColumns();
  tile.rowGrain = getRowGrain();
  return tile;
}

GemmPlanAttr TargetAttr::gemmPlan(Type a, Type b, bool packed, bool mayUseTiles, bool f16Accumulate,
                                  int64_t depth) const {
  GemmShape shape{elementOf(a), elementOf(b)};
  shape.isPacked = packed;
  shape.mayUseTiles = mayUseTiles;
  shape.f16Accumulate = f16Accumulate;
  shape.depth = depth;
  GemmTile tile = gemmTile(cpu(), shape);
  bool usesTiles = tile.products == GemmTile::Products::tiles;
  StringRef form = usesTiles                                     ? StringRef(tileForm)
                   : tile.products == GemmTile::Products::matrix ? StringRef(matrixForm)
                   : f16Accumulate                               ? nameOf(ProductForm::multiplyAdd)
                                                                 : nameOf(vectorProductForm(a, b));
  Attribute vectors =
      usesTiles ? gemmPlan(a, b, packed, /*mayUseTiles=*/false, f16Accumulate, depth) : Attribute();
  return GemmPlanAttr::get(getContext(), form, tile.table, tile.rows, tile.columns, tile.rowGrain,
                           depth, vectors);
}

GemmBlocking TargetAttr::gemmBlocking(GemmPlanAttr plan, Type a, Type b, int64_t m, int64_t n,
                                      int64_t k, bool packed, bool f16Accumulate) const {
  GemmTile tile = plan.tile();
  bool usesTiles = tile.products == GemmTile::Products::tiles;
  return kgen::gemmBlocking(
      cpu(),
      {elementOf(a), elementOf(b), m, n, k, packed, usesTiles, f16Accumulate, plan.getDepth()},
      tile);
}

} // namespace kgen
