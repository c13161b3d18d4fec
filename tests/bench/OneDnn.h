// What the files about oneDNN have in common.
#pragma once

#include "Peer.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <unordered_map>

namespace bench {

/// For a chain that is one convolution.
std::unique_ptr<Contestant> makeOneDnnConvolution(const Chain &chain);

} // namespace bench
