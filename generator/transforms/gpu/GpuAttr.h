// The graphics card that a module is for, as its attribute `kgen.gpu`.
#pragma once

#include "target/Gpu.h"

#include <mlir/IR/BuiltinOps.h>

#include <optional>

namespace kgen {

constexpr char gpuAttrName[] = "kgen.gpu";

void setGpu(mlir::ModuleOp module, const GpuFacts &facts);
/// Returns nothing where the module has no such attribute, or one without all figures.
std::optional<GpuFacts> gpuOf(mlir::ModuleOp module);

} // namespace kgen
