// A .npz archive from hostile bytes: its directory, and all arrays that it names.
#include "spec/Npz.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  auto archive = kgen::NpzArchive::parse({reinterpret_cast<const char *>(data), size});
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return 0;
  }
  for (const std::string &name : archive->names()) {
    std::string storage;
    auto tensor = archive->read(name, storage);
    if (!tensor)
      llvm::consumeError(tensor.takeError());
    else if (static_cast<size_t>(tensor->type.byteCount()) != tensor->bytes.size())
      std::abort();
  }
  return 0;
}
