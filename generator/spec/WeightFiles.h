// Readers of file formats of tensors: from a file's bytes to one tensor inside them.
#pragma once

#include "support/TensorType.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <vector>

namespace kgen {

/// A tensor found in a file; `bytes` points into the file's contents and has exactly the size of
/// the type.
struct FileTensor {
  TensorType type;
  llvm::StringRef bytes;
};

/// NumPy's .npy, versions 1 to 3, little endian, C order.
llvm::Expected<FileTensor> readNpy(llvm::StringRef file);

/// One tensor of a safetensors file; the whole header is checked.
llvm::Expected<FileTensor> readSafetensors(llvm::StringRef file, const std::string &tensor);

/// Seeded numbers: see RandomWeight.cpp for the generator and the ranges.
std::vector<char> randomBytes(const TensorType &type, uint64_t seed);

/// Appends a number as little-endian bytes of the element type; floats are rounded to nearest even.
void appendFloat(std::vector<char> &bytes, ElementType type, double value);
void appendInteger(std::vector<char> &bytes, ElementType type, int64_t value);

} // namespace kgen
