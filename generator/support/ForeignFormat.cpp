#include "support/ForeignFormat.h"

#include <algorithm>

namespace kgen {
namespace {

struct Format {
  llvm::StringRef magic;
  size_t offset; ///< where it stands
  const char *hint;
};

constexpr Format formats[] = {
    {"PK\x03\x04", 0,
     "this is a zip archive, as PyTorch writes models: torch.onnx.export(model, inputs, "
     "\"net.onnx\") writes one that kgen reads"},
    {"\x80\x02", 0,
     "this is a pickle, as PyTorch writes models: torch.onnx.export(model, inputs, \"net.onnx\") "
     "writes one that kgen reads"},
    {"TFL3", 4,
     "this is a TensorFlow Lite model: kgen reads ONNX (.onnx), MLIR (.mlir) and specs in YAML; "
     "tf2onnx converts it"},
    {"\x89HDF", 0,
     "this is an HDF5 file, as Keras writes models: kgen reads ONNX (.onnx), MLIR (.mlir) and "
     "specs in YAML; tf2onnx converts it"},
    {"GGUF", 0,
     "this is a GGUF file, which has weights and no graph: kgen reads ONNX (.onnx), MLIR (.mlir) "
     "and specs in YAML"},
    {"\x93NUMPY", 0,
     "this is an array of NumPy: it can be the 'file' of a weight of a spec, or --against of "
     "`kgen verify`"},
    {"ML\xEFR", 0, "this is MLIR bytecode: `mlir-opt FILE -o net.mlir` writes it as text"},
};

} // namespace

std::string foreignFormatHint(llvm::StringRef bytes) {
  for (const Format &format : formats)
    if (bytes.drop_front(std::min(format.offset, bytes.size())).starts_with(format.magic))
      return format.hint;
  // The length of a header, and the header: a map in JSON.
  if (bytes.size() > 16 && bytes.substr(8).starts_with("{\"") &&
      bytes.substr(5, 3) == llvm::StringRef("\0\0\0", 3))
    return "this is a safetensors file, which has weights and no graph: it can be the 'file' of "
           "weights of a spec";
  return "";
}

} // namespace kgen
