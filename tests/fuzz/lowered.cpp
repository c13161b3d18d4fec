#include "lowered.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/MakeTarget.h"
#include "ingress/Ingress.h"
#include "pipeline/Pipeline.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/MLIRContext.h>

#include <cstdlib>

using namespace kgen;

const TargetSpec &targetOfFuzzers() {
  static const TargetSpec found = [] {
    Diagnostics diagnostics;
    return *findTarget({"x86-64-v3", {}}, "fuzz.yaml", {}, diagnostics);
  }();
  return found;
}

void requireLowered(const Graph &graph) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<KgenDialect>();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  Diagnostics diagnostics;
  mlir::Attribute target = makeTargetAttr(targetOfFuzzers(), &context);
  if (!ingress(graph, target, context, "f", diagnostics) || diagnostics.hasErrors())
    std::abort();
}
