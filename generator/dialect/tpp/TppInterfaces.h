// Interfaces of tile operations: declarations generated from TppInterfaces.td.
#pragma once

#include <mlir/Dialect/Utils/StructuredOpsUtils.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/TypeUtilities.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/TppInterfaces.h.inc"
