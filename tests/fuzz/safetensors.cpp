// A safetensors file from hostile bytes.
#include "spec/WeightFiles.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  llvm::StringRef file(reinterpret_cast<const char *>(data), size);
  llvm::Expected<kgen::SafetensorsFile> parsed = kgen::SafetensorsFile::parse(file);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return 0;
  }
  llvm::Expected<kgen::FileTensor> tensor = parsed->find("weight");
  if (!tensor) {
    llvm::consumeError(tensor.takeError());
    return 0;
  }
  if (static_cast<size_t>(tensor->type.byteCount()) != tensor->bytes.size() ||
      tensor->bytes.begin() < file.begin() || tensor->bytes.end() > file.end())
    std::abort();
  return 0;
}
