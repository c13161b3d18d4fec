// The ukernel dialect: descriptors of micro-kernels and calls of them.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "dialect/kgen/Kgen.h"
#include "dialect/ukernel/UkernelDialect.h.inc"

namespace kgen::ukernel {
/// The number of tile registers.
constexpr int64_t tileRegisters = 8;
/// On a kernel's function: the rows and the bytes of a row of each tile register, in the order
/// of ukernel.configure_tiles, as they must be set when the function is called.
constexpr llvm::StringLiteral tileShapesAttrName = "ukernel.tile_shapes";

/// The elements of a row that A has: a range of products, and the same range of k in each.
struct RowValidRange {
  int64_t firstProduct, endOfProducts, firstK, endOfK;
  bool isEmpty() const { return firstProduct >= endOfProducts || firstK >= endOfK; }
  bool operator==(const RowValidRange &o) const {
    return std::tie(firstProduct, endOfProducts, firstK, endOfK) ==
           std::tie(o.firstProduct, o.endOfProducts, o.firstK, o.endOfK);
  }
};
} // namespace kgen::ukernel

#include "dialect/ukernel/UkernelInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialect/ukernel/UkernelOps.h.inc"
