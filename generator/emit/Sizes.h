// Generated C about sizes that a function is given when it is called.
#pragma once

#include "emit/Names.h"

#include <map>
#include <optional>

namespace kgen {

/// Returns what a parameter must not be, for an `if` of C; empty: everything is allowed.
std::string refusedSize(const SizeParameter &size);

/// Names of dimensions in an expression, by their names in the spec.
using SizeNames = std::map<std::string, std::string>;
/// The names of parameters; "sizes[0]", "sizes[1]", ... for those of an array.
SizeNames parameterNames(const std::vector<SizeParameter> &parameters);
SizeNames elementNames(const GraphInterface &graph, const std::string &array);

/// The notation of a language for the factors of sums of products that are no numbers.
struct SizeNotation {
  SizeNames names;
  const char *division; ///< the operator that rounds down what is not negative
};
/// "12*b*n + ((n + 1)/2)" with operators that C and Python have.
std::string sizeText(const Dim &dim, const SizeNotation &notation);

/// An expression of C of type size_t: exact wherever the sizes are within their bounds. Differences
/// may wrap around on the way; what is divided never does.
std::string sizeExpression(const Dim &dim, const SizeNames &names);

/// The first axis that has the size; nothing if none has.
std::optional<size_t> axisOf(const TensorType &type, const DimSymbol &dim);

/// An input's number and an axis of it that has the size.
struct SizePlace {
  size_t input, axis;
};
/// Nothing if arrays do not tell the size, since no input has it as a dimension.
std::optional<SizePlace> placeOf(const GraphInterface &graph, const DimSymbol &dim);

/// Of all sizes that the type can have.
int64_t largestByteCount(const TensorType &type);

/// "batch == 8 && length == 16".
std::string versionCondition(const GraphInterface &version, const SizeNames &names);

/// Definitions in front of the struct of codes: what sizes each graph takes, and the bytes of
/// workspace of each variant that depend on them.
std::string sizeFunctions(const LibraryInterface &library);
/// The names of these functions.
std::string takesSizesName(const GraphInterface &graph);
std::string workspaceBytesName(const GraphInterface &graph, const std::string &target);

} // namespace kgen
