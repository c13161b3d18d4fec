// Groups of nodes that are drawn and numbered as one.
#pragma once

#include "explain/Explanation.h"

#include <map>

namespace kgen {

/// Numbers the groups in the order of their first nodes. Nodes that share a step are a group; so is
/// a node without steps that reads from one group and is read by it alone. `indices`: of nodes by
/// their names and those of their results.
void findGroups(Explanation &explanation, const std::map<std::string, size_t> &indices);

} // namespace kgen
