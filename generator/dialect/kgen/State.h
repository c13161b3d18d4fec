// State that a function updates where it lies.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace kgen {

/// Attribute of a memref argument: it holds a tensor that is kept between calls, which one
/// `bufferization.to_tensor` reads, and a `bufferization.materialize_in_destination` of tensors
/// gives its next value.
constexpr llvm::StringLiteral stateAttrName = "kgen.state";

} // namespace kgen
