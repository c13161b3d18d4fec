// The part of a dispatcher in C that knows CPUs.
#pragma once

#include "emit/Library.h"

#include <llvm/ADT/ArrayRef.h>

namespace kgen {

/// The runtime's text, tables of the features that the variants require (kgenrt_features) and of
/// the variants in the given order (kgenrt_variants), and kgenrt_detect_host(), which finds out
/// what this machine has.
std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants);

} // namespace kgen
