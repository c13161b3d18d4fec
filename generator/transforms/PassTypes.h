// The dialects and types that declarations of passes name.
#pragma once

#include "dialect/bench/Bench.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"
#include "dialect/ukernel/Ukernel.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Pass/Pass.h>
