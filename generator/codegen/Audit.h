// The audit of an object's symbols. That of its instructions is the back end's (Backend::audit).
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace kgen {

/// Checks the object's symbols: external ones must begin with `prefix` ("mlp_"), and defined ones
/// be hidden. Undefined symbols without the prefix may only be `memcpy`, `memset` and those of
/// `externs`: no libm, no allocation.
llvm::Error auditSymbols(llvm::ArrayRef<char> object, llvm::StringRef prefix,
                         llvm::StringRef context, llvm::ArrayRef<std::string> externs = {});

/// True if the object defines the function `symbol` for others.
llvm::Expected<bool> definesFunction(llvm::StringRef object, llvm::StringRef symbol);

} // namespace kgen
