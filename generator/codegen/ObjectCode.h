// From a module in the LLVM dialect to object bytes or text, in process, for one target.
#pragma once

#include "spec/TargetSpec.h"

#include <mlir/IR/BuiltinOps.h>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace kgen {

enum class CodeKind { object, assembly, llvm };

/// Optimizes and emits the module's functions. Everything external is hidden; the only feature
/// names that reach LLVM are the target's. The result depends on nothing but the arguments.
llvm::Expected<std::string> emitCode(mlir::ModuleOp module, const TargetSpec &target,
                                     CodeKind kind);

/// An object (or assembly) file that holds `bytes` as read-only data under the hidden symbol
/// `name`, aligned to 64 bytes.
llvm::Expected<std::string> emitData(llvm::StringRef name, llvm::ArrayRef<char> bytes,
                                     const std::string &triple, CodeKind kind);

/// The object file of assembly text.
llvm::Expected<std::string> assemble(llvm::StringRef text, const std::string &triple);

/// LLVM's x86 parts; may be called any number of times from any thread.
void initializeTargets();

/// Bytes of machine code in an object file.
llvm::Expected<int64_t> textBytes(llvm::StringRef object);

} // namespace kgen
