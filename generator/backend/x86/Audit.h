// The ISA audit: disassembles an object file and rejects instructions that the target does not
// have.
#pragma once

#include "backend/AuditReport.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

namespace kgen {

/// Decodes every executable section of the ELF object. An error lists the first offending
/// instructions with section, offset, text and the feature that each one needs. An instruction that
/// cannot be decoded, or whose feature is not in the table, is an error too. `context` begins the
/// message, for example "forward.x86-64-v3".
llvm::Expected<AuditReport> auditObject(llvm::ArrayRef<char> object,
                                        const std::vector<std::string> &allowedFeatures,
                                        llvm::StringRef context);

} // namespace kgen
