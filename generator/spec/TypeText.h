// The notation of tensor types: "f32[256, 1024]", "f32[batch, 2*length]", "f32[]" for a scalar.
#pragma once

#include "spec/Dims.h"

#include "support/TensorLimits.h"

namespace kgen {

/// Reads a type whose dimensions are integers or expressions of `dims`; reports unknown element
/// types, wrong dimensions and sizes above `maxTensorBytes`. `dimNames`: see TensorSpec.
std::optional<Located<TensorType>> readTensorType(const SpecReader &reader, const YamlNode &node,
                                                  const Dims &dims,
                                                  std::vector<std::string> *dimNames = nullptr);
/// Reads a type whose sizes must be numbers, as those of `what`.
std::optional<Located<TensorType>> readStaticType(const SpecReader &reader, const YamlNode &node,
                                                  const Dims &dims, const std::string &what);

} // namespace kgen
