// kgen's own passes. A pass is one file of the pass's name; its description here is its documentation.
#ifndef KGEN_PASSES_TD
#define KGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif
