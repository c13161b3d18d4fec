// The notation of tensor types: "f32[256, 1024]", "f32[]" for a scalar.
#pragma once

#include "spec/Fields.h"

#include "support/TensorLimits.h"

namespace kgen {

/// Reads a type; reports unknown element types, wrong dimensions and sizes above `maxTensorBytes`.
std::optional<Located<TensorType>> readTensorType(const SpecReader &reader, const YamlNode &node);

} // namespace kgen
