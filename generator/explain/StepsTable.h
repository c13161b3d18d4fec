// The table of steps, where the variants of one operation are one row.
#pragma once

#include "explain/Explanation.h"
#include "explain/Table.h"

namespace kgen {

/// Returns what runs, in order. Many steps of the same nodes with control flow are variants of one
/// operation for sizes that a call gives: they have one row, and one for each form of their
/// contractions.
Table stepsTable(const Explanation &explanation);

} // namespace kgen
