// Passes of the WebAssembly back end, made from Passes.td.
#pragma once

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

namespace kgen {

#define GEN_PASS_DECL
#include "backend/wasm/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "backend/wasm/Passes.h.inc"

} // namespace kgen
