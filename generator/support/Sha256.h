// The hash by which files are compared.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace kgen {

/// Returns the SHA-256 of the bytes in hex.
std::string sha256(llvm::StringRef bytes);

} // namespace kgen
