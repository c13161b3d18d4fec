// The drawings of the page.
#pragma once

#include "explain/Explanation.h"
#include "explain/Table.h"

#include <string>

namespace kgen {

/// Pages and drawings begin with these marks, by which kgen knows them again as its own.
inline constexpr char pageMark[] = "<meta name=\"generator\" content=\"kgen\"/>";
inline constexpr char drawingMark[] = "<metadata>kgen</metadata>";

/// "&", "<", ">" and quotes as entities.
std::string escaped(const std::string &text);

/// Digits before the point in groups of three: "1,234,567.5". What is no number stays.
std::string grouped(const std::string &number);

/// Columns and rows of a table as an element of a page.
std::string tableElement(const Table &table);

/// Rules that the styles of all pages have.
extern const char *const pageStyle;
/// Rules of a page's style for those who read bright on dark.
extern const char *const darkPage;

/// The class of a style for what a node or a step is: "contraction", "loops", "copy", "view".
const char *styleOf(const ExplainedStep &step);

/// Nodes, edges, and a box around each group of fused nodes.
std::string graphSvg(const Explanation &explanation);

/// Time from left to right in steps, bytes from bottom to top, a rectangle for each buffer. Empty
/// without buffers.
std::string workspaceSvg(const Explanation &explanation);

} // namespace kgen
