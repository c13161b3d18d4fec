// Reads a user's file as bytes: regular files only, up to a limit, with an error that says what is
// wrong.
#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstdint>
#include <memory>
#include <string>

namespace kgen {

/// The contents of `path`, mapped where that pays off. The error's text is the reason without the
/// path, for example "no such file".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(const std::string &path,
                                                                  uint64_t maxBytes);

/// `path` as seen from the folder of the file `relativeTo`; absolute paths stay.
std::string resolvePath(const std::string &path, const std::string &relativeTo);

} // namespace kgen
