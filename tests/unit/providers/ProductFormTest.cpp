// Instructions that multiply two types on each target, and what follows from its costs.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "target/TargetSpec.h"

#include <mlir/IR/Builders.h>

#include <catch2/catch.hpp>

#include <map>

using namespace kgen;

namespace {

const char *nameOf(ProductForm form) {
  switch (form) {
  case ProductForm::multiplyAdd:
    return "multiply-add";
  case ProductForm::upconvert:
    return "up-convert";
  case ProductForm::dotProduct:
    return "dot product";
  case ProductForm::multiplyAddI16:
    return "pairs of i16";
  case ProductForm::matrix:
    return "matrix product";
  case ProductForm::tile:
    return "AMX";
  }
  return "?";
}

class Forms {
public:
  Forms() : b(&context) { context.loadDialect<KgenDialect>(); }

  TargetSpec builtIn(const std::string &name) {
    Diagnostics diagnostics;
    auto spec = findTarget({name, {}}, "", {}, diagnostics);
    REQUIRE(spec);
    return *spec;
  }
  std::string formOf(const TargetSpec &spec, mlir::Type a, mlir::Type b) {
    return nameOf(makeTargetAttr(spec, &context).productForm(a, b));
  }
  std::string inVectors(const TargetSpec &spec, mlir::Type type) {
    return nameOf(makeTargetAttr(spec, &context).vectorProductForm(type, type));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::Builder b;
};

} // namespace

TEST_CASE("built-in targets multiply bf16 and bytes with their fastest instructions") {
  struct Case {
    const char *bf16, *i8, *bf16InVectors, *i8InVectors;
  };
  const Case pairs{"up-convert", "pairs of i16", "up-convert", "pairs of i16"},
      dots{"up-convert", "dot product", "up-convert", "dot product"};
  const std::map<std::string, Case> cases = {
      {"x86-64-v2", pairs},
      {"x86-64-v3", pairs},
      {"x86-64-v3-vnni", dots},
      {"x86-64-v4", pairs},
      {"x86-64-v4-vnni", dots},
      {"x86-64-v4-bf16", dots},
      {"zen4", {"dot product", "dot product", "dot product", "dot product"}},
      {"zen5", {"dot product", "dot product", "dot product", "dot product"}},
      {"x86-64-v4-fp16", dots},
      {"x86-64-v4-amx", {"AMX", "AMX", "up-convert", "dot product"}},
  };
  Forms forms;
  mlir::Type bf16 = forms.b.getBF16Type(), i8 = forms.b.getI8Type(), f32 = forms.b.getF32Type();
  for (const auto &[name, c] : cases) {
    INFO(name);
    TargetSpec spec = forms.builtIn(name);
    CHECK(forms.formOf(spec, bf16, bf16) == c.bf16);
    CHECK(forms.formOf(spec, i8, i8) == c.i8);
    CHECK(forms.inVectors(spec, bf16) == c.bf16InVectors);
    CHECK(forms.inVectors(spec, i8) == c.i8InVectors);
    CHECK(forms.formOf(spec, f32, f32) == "multiply-add");
    CHECK(forms.formOf(spec, forms.b.getF64Type(), forms.b.getF64Type()) == "multiply-add");
    CHECK(forms.formOf(spec, forms.b.getI32Type(), forms.b.getI32Type()) == "multiply-add");
    CHECK(forms.formOf(spec, f32, bf16) == "up-convert");
    CHECK(forms.formOf(spec, forms.b.getF16Type(), forms.b.getF16Type()) == "up-convert");
  }
}

TEST_CASE("costs decide between the forms that the features allow") {
  Forms forms;
  mlir::Type bf16 = forms.b.getBF16Type(), i8 = forms.b.getI8Type();
  TargetSpec amx = forms.builtIn("x86-64-v4-amx");
  amx.costs["tile_bf16"] = 1000;
  CHECK(forms.formOf(amx, bf16, bf16) == "up-convert");
  amx.costs["dot_bf16"] = 1;
  CHECK(forms.formOf(amx, bf16, bf16) == "dot product");
  CHECK(forms.formOf(amx, i8, i8) == "AMX");
  amx.costs["widen_bf16"] = 0.01;
  amx.costs["dot_bf16"] = 1.1;
  CHECK(forms.formOf(amx, bf16, bf16) == "up-convert");
  TargetSpec v4 = forms.builtIn("x86-64-v4");
  v4.costs["dot_bf16"] = 0.01; // it has no such instruction
  CHECK(forms.formOf(v4, bf16, bf16) == "up-convert");
}

TEST_CASE("instructions whose cost a target does not say") {
  Forms forms;
  TargetSpec spec = forms.builtIn("x86-64-v4-amx");
  spec.costs = {{"fma_f32", 0.75}, {"dot_i8", 0.25}};
  TargetAttr target = makeTargetAttr(spec, &forms.context);
  CHECK(target.cost("fma_f32") == 0.75);
  CHECK(target.cost("dot_i8") == 0.25);
  CHECK(target.cost("fma_f64") == 0.75);
  CHECK(target.cost("convert_f16") == 1.5);
  CHECK(target.cost("tile_bf16") == 16);
  CHECK(target.cost("tile_i8") == 16);
  spec.costs.clear();
  CHECK(makeTargetAttr(spec, &forms.context).cost("dot_bf16") == 0.5);
  // Half the rate of f32, in twice the lanes.
  CHECK(target.productCost(ProductForm::multiplyAdd, forms.b.getF64Type(), forms.b.getF64Type()) ==
        0.75 / 8);
}
