// The audit of WebAssembly's instructions.
#pragma once

#include "backend/AuditReport.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace kgen::wasm {

/// As Backend::audit; LLVM's disassembler must be registered.
llvm::Expected<AuditReport> audit(llvm::ArrayRef<char> object, llvm::StringRef triple,
                                  const std::vector<std::string> &allowedFeatures,
                                  llvm::StringRef context);

} // namespace kgen::wasm
