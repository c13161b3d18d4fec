// The audit of instructions by LLVM's disassembler, for back ends that have no other one.
#pragma once

#include "backend/AuditReport.h"
#include "target/Architecture.h"

#include <llvm/Support/Error.h>

namespace kgen {

/// Decodes every executable section of an ELF object with the features of `cpu` and those allowed,
/// and no others, so that an instruction beyond them does not decode. The error says which feature
/// of the architecture an instruction needs, if one alone is enough. LLVM's disassembler for the
/// architecture must be registered.
llvm::Expected<AuditReport> auditByDisassembler(llvm::ArrayRef<char> object,
                                                const Architecture &architecture,
                                                llvm::StringRef cpu,
                                                const std::vector<std::string> &allowedFeatures,
                                                llvm::StringRef context);

} // namespace kgen
