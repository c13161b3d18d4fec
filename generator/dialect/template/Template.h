// The template dialect: functions over types, shapes and values.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>

#include "dialect/template/TemplateDialect.h.inc"
#define GET_OP_CLASSES
#include "dialect/template/TemplateOps.h.inc"
