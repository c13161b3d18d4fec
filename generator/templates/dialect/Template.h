// The template dialect: functions over types, shapes and values.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>

#include "templates/dialect/TemplateDialect.h.inc"
#define GET_OP_CLASSES
#include "templates/dialect/TemplateOps.h.inc"
