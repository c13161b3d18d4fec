// The unwind table of an object file (.eh_frame), which LLVM's JIT linker rewrites.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace kgen {

/// True if the records of the table lie in it, and each common one (CIE) has an augmentation and
/// encodings of pointers as compilers write them. LLVM's linker has undefined behaviour at others.
bool isKnownUnwindTable(llvm::StringRef bytes);

} // namespace kgen
