// Reads a user's file as bytes: regular files only, up to a limit, with an error that says what is
// wrong.
#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstdint>
#include <memory>
#include <string>

namespace kgen {

/// The byte after the last one: any, or the zero that parsers of MLIR read.
enum class Terminator { none, zero };

/// The greatest size of texts that are read as a whole: MLIR with its constants, templates,
/// scripts, objects.
constexpr uint64_t maxTextBytes = uint64_t(1) << 36;

/// Returns the contents of `path`, mapped where that pays off. The error's text is the reason
/// without the path, for example "no such file".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(const std::string &path, uint64_t maxBytes, Terminator terminator = Terminator::none);

/// As readInputFile, for texts; "-" is what stands at the standard input.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readTextOrInput(const std::string &path);

/// `path` as seen from the folder of the file `relativeTo`; absolute paths stay.
std::string resolvePath(const std::string &path, const std::string &relativeTo);

} // namespace kgen
