// The ISA audit: disassembles an object file and rejects instructions that the target does not
// have.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <map>
#include <string>
#include <vector>

namespace kgen {

struct AuditReport {
  uint64_t instructions = 0;
  /// How many instructions each feature (a name of runtime/cpu_features.def) accounts for; "" is
  /// the x86-64 baseline.
  std::vector<std::pair<std::string, uint64_t>> byFeature;
  /// How often each vector or tile instruction occurs: its mnemonic and the bits of its widest
  /// vector operand, 0 if it has tiles only.
  std::map<std::pair<std::string, unsigned>, uint64_t> vectorInstructions;
};

/// Decodes every executable section of the ELF object. An error lists the first offending
/// instructions with section, offset, text and the feature that each one needs. An instruction that
/// cannot be decoded, or whose feature is not in the table, is an error too. `context` begins the
/// message, for example "forward.x86-64-v3".
llvm::Expected<AuditReport> auditObject(llvm::ArrayRef<char> object,
                                        const std::vector<std::string> &allowedFeatures,
                                        llvm::StringRef context);

/// Checks the object's symbols: external ones must begin with `prefix` ("mlp_"), and defined ones
/// be hidden. Undefined symbols without the prefix may only be `memcpy`, `memset` and those of
/// `externs`: no libm, no allocation.
llvm::Error auditSymbols(llvm::ArrayRef<char> object, llvm::StringRef prefix,
                         llvm::StringRef context, llvm::ArrayRef<std::string> externs = {});

} // namespace kgen
