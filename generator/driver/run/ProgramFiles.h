// Files for programs that kgen makes and runs.
#pragma once

#include "emit/FileContents.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

namespace kgen {

/// Writes a file by what `write` puts into its stream, and its folder before.
llvm::Error writeProgramFile(const std::string &path,
                             llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);
llvm::Error writeProgramFile(const std::string &path, const FileContents &contents);

/// Writes a number as programs read it, in 64 bits.
void writeNumber(llvm::raw_ostream &stream, uint64_t number);

} // namespace kgen
