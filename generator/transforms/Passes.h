// Declarations of kgen's passes, generated from Passes.td.
#pragma once

#include "dialect/bench/Bench.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"
#include "dialect/ukernel/Ukernel.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Pass/Pass.h>

namespace kgen {

/// Tiles that kgen-select-tiling chooses: those of tasks, or those of sequential loops.
enum class TilingLevel { distribution, cache, vector };

/// Pads that kgen-lower-packs lowers: none, all, or all but those that reduce-windows fold.
enum class LoweredPads { none, outsideWindows, all };

#define GEN_PASS_DECL
#include "transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/Passes.h.inc"

/// Maxima and minima that ignore NaN as comparisons and selections, where an operand is no NaN.
void populateMinMaxPatterns(mlir::RewritePatternSet &patterns);

} // namespace kgen
