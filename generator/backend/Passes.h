// Passes that back ends share, made from Passes.td.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

namespace kgen {

#define GEN_PASS_DECL
#include "backend/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "backend/Passes.h.inc"

} // namespace kgen
