// Makes a reproducer of --report run, which has no weights.
#pragma once

namespace kgen {

/// --kgen-fill-elided-weights.
void registerFillElidedWeights();

} // namespace kgen
