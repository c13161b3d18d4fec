// The generated libraries behind one interface: call a function by name in one variant.
#pragma once

#include <functional>
#include <string>

namespace bench {

/// Calls a function with its tensors in declared order; throws std::runtime_error on a bad status.
using Call = std::function<void(const void *const *inputs, void *const *outputs)>;

/// Throws std::runtime_error if there is no such function, or this CPU cannot run the variant.
Call generatedFunction(const std::string &library, const std::string &function,
                       const std::string &variant);

} // namespace bench
