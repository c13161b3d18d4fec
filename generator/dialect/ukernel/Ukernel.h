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
#include "dialect/ukernel/UkernelInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialect/ukernel/UkernelOps.h.inc"
