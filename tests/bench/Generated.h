// The generated libraries as contestants: a function by name in one variant.
#pragma once

#include "Peer.h"

namespace bench {

/// Throws std::runtime_error if there is no such function, or this CPU cannot run the variant.
std::unique_ptr<Contestant> makeGenerated(const std::string &library, const Chain &chain,
                                          const Platform &platform);

} // namespace bench
