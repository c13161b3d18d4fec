// Objects of a generated library, linked into this process, so that its functions can be called
// without a compiler or linker.
#pragma once

#include "driver/run/LinkedFiles.h"
#include "emit/Library.h"

#include <llvm/Support/Error.h>

#include <memory>

namespace kgen {

/// A function of loaded code, ready to be called.
class LoadedFunction {
public:
  LoadedFunction() = default;
  /// Returns what the function returns; 0 if it returns nothing.
  int operator()(void *const *arguments) const { return caller(function, arguments); }

private:
  friend class LoadedCode;
  int (*caller)(void *function, void *const *arguments) = nullptr;
  void *function = nullptr;
};

/// The folder's objects (or assembly), all graphs and variants together.
class LoadedCode {
public:
  /// `files` are the folder's; those below objects/ are taken.
  /// `hostFunctions` are what the code may call by name, besides memcpy and memset; `linked`, which
  /// must outlive the code, has its extern functions.
  static llvm::Expected<LoadedCode>
  load(const FileSet &files, const std::vector<std::pair<std::string, void *>> &hostFunctions = {},
       const LinkedFiles *linked = nullptr);
  LoadedCode(LoadedCode &&) noexcept;
  ~LoadedCode();

  /// A graph's code for a target, which takes that many pointers: to inputs, outputs, workspace and
  /// executor, and sizes in front of them. It is an error if the symbol is missing; the CPU must
  /// support the target. Code that calls extern functions `returnsStatus`.
  llvm::Expected<LoadedFunction> function(const std::string &symbol, size_t arguments,
                                          bool returnsStatus = false);
  /// Calls a graph's code once; see function().
  llvm::Error call(const std::string &symbol, const std::vector<void *> &arguments);
  /// The address of a symbol: packed weights, for example.
  llvm::Expected<const void *> address(const std::string &symbol);

private:
  struct Linked;
  explicit LoadedCode(std::unique_ptr<Linked> linked);
  std::unique_ptr<Linked> linked;
};

/// Those of the features that this CPU or operating system does not offer; permission for
/// tile registers is requested.
std::vector<std::string> missingOnHost(const std::vector<std::string> &features);
/// True if there are none.
bool hostSupports(const std::vector<std::string> &features);

} // namespace kgen
