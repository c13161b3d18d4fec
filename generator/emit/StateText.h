// Text about the block of state that blocks with and without sizes have. Private to emit/.
#pragma once

#include "emit/StateLayout.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

/// The mark of the layout, in hex: code with other weights has the same.
std::string stateMark(const LibraryInterface &library);
/// Writes zeros: the header, and tensors but those that calls write before they read them.
std::string zerosOf(const LibraryInterface &library);
/// The header's comment of the function that does.
std::string initNoteOf(const LibraryInterface &library);
/// Writes the elements of tensors that do not begin with zeros.
std::string fillsOf(const LibraryInterface &library);

/// `text` of each size and its number, one after another.
std::string joined(const std::vector<SizeParameter> &sizes,
                   llvm::function_ref<std::string(size_t, const SizeParameter &)> text,
                   const char *between = ", ");
/// "size_t context, size_t width".
std::string declared(const std::vector<SizeParameter> &sizes);

/// The checks and functions of blocks with sizes.
std::string openStateChecks(const LibraryInterface &library);
/// Tables of blocks with sizes, and the functions that read and write one tensor.
std::string openStateFunctions(const LibraryInterface &library, const std::string &tables);

} // namespace kgen
