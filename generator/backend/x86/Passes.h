// Passes of the x86 back end, made from Passes.td, and the patterns of kgen-lower-to-x86.
#pragma once

#include "backend/x86/Intrinsics.h"
#include "dialect/ukernel/Ukernel.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Pass/Pass.h>

namespace kgen {

#define GEN_PASS_DECL
#include "backend/x86/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "backend/x86/Passes.h.inc"

namespace x86 {

/// Patterns for kgen.dynamic_permute, and for extrema that propagate NaN.
void populateDynamicPermutePatterns(mlir::RewritePatternSet &patterns, TargetAttr target);
void populateExtremumPatterns(mlir::RewritePatternSet &patterns, TargetAttr target);

/// Lowers ukernel.configure_tiles and ukernel.release_tiles; returns how many configurations there
/// were.
int64_t lowerAmxConfigurations(mlir::ModuleOp module);

} // namespace x86
} // namespace kgen
