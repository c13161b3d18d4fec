// An object of `--link` from hostile bytes, as far as it is linked; none of its code runs.
#include "temporary_file.h"

#include "driver/run/LinkedFiles.h"
#include "driver/run/LoadedCode.h"

static void link(const kgen::LinkedFiles &files) {
  llvm::Expected<kgen::LoadedCode> code = kgen::LoadedCode::load({}, {}, &files);
  if (!code)
    return llvm::consumeError(code.takeError());
  llvm::consumeError(code->address("mine").takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  kgen::Diagnostics diagnostics;
  auto files =
      kgen::LinkedFiles::open({temporaryFile(".o", data, size)}, {}, {"mine"}, diagnostics);
  if ((files != nullptr) == diagnostics.hasErrors())
    std::abort();
  if (files && files->defines("mine"))
    link(*files);
  return 0;
}
