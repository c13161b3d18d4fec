#include "tools/DebugOnly.h"

#include "dialect/kgen/DebugOutput.h"

#include <mlir/Pass/PassRegistry.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/abi-breaking.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ManagedStatic.h>
#include <llvm/Support/raw_ostream.h>

using namespace mlir;

namespace kgen {
namespace {

struct CreateOption {
  static void *call() {
    // LLVM has an option of the first name only if it has assertions.
    return new llvm::cl::list<std::string>(
        StringRef(LLVM_ENABLE_ABI_BREAKING_CHECKS ? "kgen-debug-only" : "debug-only"),
        llvm::cl::CommaSeparated, llvm::cl::value_desc("pass,..."),
        llvm::cl::desc("Print to stderr why these passes leave an operation as it is"));
  }
};
llvm::ManagedStatic<llvm::cl::list<std::string>, CreateOption> debugOnly;

/// The names of kgen's passes, which are flags, in alphabetical order.
SmallVector<StringRef> passNames() {
  SmallVector<StringRef> names;
  for (const auto &[flag, option] : llvm::cl::getRegisteredOptions())
    if (flag.starts_with("kgen-") && PassInfo::lookup(flag))
      names.push_back(flag);
  llvm::sort(names);
  return names;
}

} // namespace

void registerDebugOnly() { *debugOnly; }

LogicalResult applyDebugOnly() {
  llvm::StringSet<> passes;
  for (const std::string &name : *debugOnly) {
    if (!PassInfo::lookup(name)) {
      llvm::errs() << "kgen-opt: error: --debug-only: there is no pass '" << name
                   << "'; expected one of " << llvm::join(passNames(), ", ")
                   << ", or of upstream's\n";
      return failure();
    }
    passes.insert(name);
  }
  debugPasses(std::move(passes));
  return success();
}

} // namespace kgen
