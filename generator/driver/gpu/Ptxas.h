// NVIDIA's assembler of PTX, where it is installed: it says what kernels take.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <string>

namespace kgen {

struct PtxasFigures {
  int64_t registers = 0;    ///< of a thread
  int64_t spilledBytes = 0; ///< of a thread, stored and loaded
};

/// Returns the path of the program on PATH, if there is one.
std::optional<std::string> findPtxas();

/// Assembles all kernels of a text for compute capability `capability` ("sm_80"), and returns their
/// figures by name.
llvm::Expected<std::map<std::string, PtxasFigures>>
askPtxas(const std::string &program, llvm::StringRef ptx, llvm::StringRef capability);

/// Reads what `ptxas -v` prints.
std::map<std::string, PtxasFigures> readPtxas(llvm::StringRef printed);

} // namespace kgen
