#include "dialect/tpp/Tpp.h"

#include <mlir/IR/DialectImplementation.h>

#include "dialect/tpp/TppDialect.cpp.inc"
#include "dialect/tpp/TppEnums.cpp.inc"
#include "dialect/tpp/TppInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tpp/TppOps.cpp.inc"

using namespace mlir;

namespace kgen::tpp {

void TppDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/tpp/TppOps.cpp.inc"
      >();
}

} // namespace kgen::tpp
