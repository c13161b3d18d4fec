// kgen's own passes, by folder. A pass is one file of the pass's name; its description is its documentation.
#ifndef KGEN_PASSES_TD
#define KGEN_PASSES_TD

include "transforms/schedule/Passes.td"
include "transforms/idioms/Passes.td"
include "transforms/raise/Passes.td"
include "transforms/fusion/Passes.td"
include "transforms/layout/Passes.td"
include "transforms/attention/Passes.td"
include "transforms/window/Passes.td"
include "transforms/tiling/Passes.td"
include "transforms/vectorize/Passes.td"
include "transforms/bufferize/Passes.td"
include "transforms/memory/Passes.td"
include "transforms/macrokernel/Passes.td"
include "transforms/parallel/Passes.td"
include "transforms/lower/Passes.td"

#endif
