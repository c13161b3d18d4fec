// Objects of a generated library, linked into this process, so that its functions can be called
// without a compiler or linker.
#pragma once

#include "emit/Library.h"

#include <llvm/Support/Error.h>

#include <memory>

namespace kgen {

/// The folder's objects (or assembly), all graphs and variants together.
class LoadedCode {
public:
  /// `files` are the folder's; those below objects/ are taken.
  /// `hostFunctions` are what the code may call by name, besides memcpy and memset.
  static llvm::Expected<LoadedCode>
  load(const FileSet &files, const std::vector<std::pair<std::string, void *>> &hostFunctions = {});
  LoadedCode(LoadedCode &&) noexcept;
  ~LoadedCode();

  /// Calls a graph's code for a target with pointers to inputs, outputs, workspace and executor. It
  /// is an error if the symbol is missing; the CPU must support the target.
  llvm::Error call(const std::string &symbol, const std::vector<void *> &arguments);

private:
  struct Linked;
  explicit LoadedCode(std::unique_ptr<Linked> linked);
  std::unique_ptr<Linked> linked;
};

/// Whether this CPU and operating system offer all of the features.
bool hostSupports(const std::vector<std::string> &features);

} // namespace kgen
