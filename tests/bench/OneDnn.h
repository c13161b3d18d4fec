// Common parts of the files about oneDNN.
#pragma once

#include "Peer.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <unordered_map>

namespace bench {

/// Throws std::runtime_error unless oneDNN uses the instruction set that it was limited to.
void requireOneDnnIsa(const Platform &platform);

/// For a chain that is one convolution.
std::unique_ptr<Contestant> makeOneDnnConvolution(const Chain &chain);

} // namespace bench
