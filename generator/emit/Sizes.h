// What generated C says of sizes that a function is given when it is called.
#pragma once

#include "emit/Names.h"

#include <map>

namespace kgen {

/// What a dimension is called in an expression, by its name in the spec.
using SizeNames = std::map<std::string, std::string>;
/// The names of parameters; "sizes[0]", "sizes[1]", ... for those of an array.
SizeNames parameterNames(const std::vector<SizeParameter> &parameters);
SizeNames elementNames(const GraphInterface &graph, const std::string &array);

/// An expression of C of type size_t: exact wherever the sizes are within their bounds. Differences
/// may wrap around on the way; what is divided never does.
std::string sizeExpression(const Dim &dim, const SizeNames &names);

/// Of all sizes that the type can have.
int64_t largestByteCount(const TensorType &type);

/// Definitions in front of the struct of codes: what sizes each graph takes, and the bytes of
/// workspace of each variant that depend on them.
std::string sizeFunctions(const LibraryInterface &library);
/// The names of these functions.
std::string takesSizesName(const GraphInterface &graph);
std::string workspaceBytesName(const GraphInterface &graph, const std::string &target);

} // namespace kgen
