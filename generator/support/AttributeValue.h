// Values of attributes, as specs, models and operators share them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kgen {

/// An attribute's value as written. A lone number is int64_t if it has no fraction or exponent.
using AttributeValue = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                                    std::vector<double>, std::vector<std::string>>;

} // namespace kgen
