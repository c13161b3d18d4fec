// The drawings of the page.
#pragma once

#include "explain/Explanation.h"

#include <string>

namespace kgen {

/// "&", "<", ">" and quotes as entities.
std::string escaped(const std::string &text);

/// The class of a style for what a node or a step is: "contraction", "loops", "copy", "view".
const char *styleOf(const ExplainedStep &step);

/// Nodes, edges, and a box around each group of fused nodes.
std::string graphSvg(const Explanation &explanation);

/// Time from left to right in steps, bytes from bottom to top, a rectangle for each buffer. Empty
/// without buffers.
std::string workspaceSvg(const Explanation &explanation);

} // namespace kgen
