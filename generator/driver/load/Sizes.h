// Functions at given sizes: what is known of a symbolic graph once somebody calls it.
#pragma once

#include "emit/Library.h"
#include "spec/Spec.h"
#include "support/Diagnostics.h"

#include <map>
#include <string>
#include <vector>

namespace kgen {

/// Several sizes of each dimension that is known at run time.
using SizeLists = std::map<std::string, std::vector<int64_t>>;

/// The function as it is at these sizes: shapes and workspaces are numbers. It still takes them.
GraphInterface atSizes(const GraphInterface &graph, const SizeValues &sizes);

TensorType atSizes(TensorType type, const SizeValues &sizes);

/// Returns what is left when some of its symbols are numbers.
Dim atSizes(const Dim &dim, const SizeValues &sizes);

/// The code that is called for these sizes: that of the version whose sizes they have, the first in
/// order; else the graph's own.
const GraphInterface &codeFor(const GraphInterface &graph, const SizeValues &sizes);

/// Binds dimensions to these sizes: those of the spec, and those that the bindings leave open.
void bindSizes(ModelBindings &bindings, const SizeValues &sizes);

/// "batch=7, length=128"; empty without sizes.
std::string sizesText(const SizeValues &sizes);
/// " at batch=7, length=128"; empty without sizes.
std::string atText(const SizeValues &sizes);

/// All combinations of the sizes that are requested for the function; its greatest size where none
/// is. One without sizes for a function that takes none.
std::vector<SizeValues> combinations(const GraphInterface &graph, const SizeLists &requested);

/// Reports requested sizes that no function takes, each function that takes a size of that name
/// being asked.
void checkSizes(const std::vector<GraphInterface> &graphs, const SizeLists &requested,
                const std::string &option, Diagnostics &diagnostics);

} // namespace kgen
