// Discardable attributes of micro-kernels.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace kgen::ukernel {

/// Each sum is one chain over k, as in a tile whose sums keep the execution units busy, although
/// those of this one do not: a row has the same bits in tiles of few and of many rows.
constexpr llvm::StringLiteral oneChainAttrName = "kgen.one_chain";

} // namespace kgen::ukernel
