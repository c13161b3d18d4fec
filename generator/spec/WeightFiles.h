// Readers of file formats of tensors: from a file's bytes to one tensor inside them.
#pragma once

#include "support/TensorType.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <memory>
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

/// The tensors of a safetensors file, whose bytes must stay where they are.
class SafetensorsFile {
public:
  /// Checks the whole header.
  static llvm::Expected<SafetensorsFile> parse(llvm::StringRef bytes);
  llvm::Expected<FileTensor> find(const std::string &tensor) const;

private:
  struct Contents;
  std::shared_ptr<const Contents> contents;
};

/// Seeded numbers: see RandomWeight.cpp for the generator and the ranges.
std::vector<char> randomBytes(const TensorType &type, uint64_t seed);

/// Appends a number as little-endian bytes of the element type; floats are rounded to nearest even.
void appendFloat(std::vector<char> &bytes, ElementType type, double value);
void appendInteger(std::vector<char> &bytes, ElementType type, int64_t value);

/// Elements of four bits, two in a byte, the lower bits first, as one a byte. Nobody reads the
/// upper bits after the last element.
std::vector<char> unpackedNibbles(llvm::StringRef bytes, const TensorType &type);
/// The reverse.
std::vector<char> packedNibbles(llvm::ArrayRef<char> elements);

/// safetensors' name of an element type ("F32"); of i4 and u4, that of the bytes which hold two.
const char *safetensorsName(ElementType type);

/// Returns what NumPy calls an element type, or one that its numbers are given as: f32 where it has
/// none.
std::string numpyName(ElementType type);

} // namespace kgen
