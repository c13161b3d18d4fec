// From a module in the LLVM dialect to object bytes or text, in process, for one target.
#pragma once

#include "codegen/CodeSize.h"
#include "target/TargetSpec.h"

#include <mlir/IR/BuiltinOps.h>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace kgen {

enum class CodeKind { object, assembly, llvm };

/// The code of an object as text.
struct CodeText {
  CodeKind kind; ///< assembly or llvm
  std::string text{};
};

/// Optimizes the module's functions and returns their object. External symbols get hidden
/// visibility; LLVM only sees the target's features. The result depends on nothing but the
/// arguments. `costs`: what the functions take; null: not asked for. `text`: the same code as text;
/// null: none.
llvm::Expected<std::string> emitCode(mlir::ModuleOp module, const TargetSpec &target,
                                     CodeCosts *costs = nullptr, CodeText *text = nullptr);

/// An object (or assembly) file with `bytes` as read-only data under the hidden symbol
/// `name`, aligned to 64 bytes.
llvm::Expected<std::string> emitData(llvm::StringRef name, llvm::ArrayRef<char> bytes,
                                     const std::string &triple, CodeKind kind);

/// The object file that emitData makes of `size` bytes, without them: they stand between its parts.
struct DataObject {
  std::string head, tail;
};
/// Precondition: canStretch(triple) of codegen/ObjectFormat.h.
llvm::Expected<DataObject> dataObject(llvm::StringRef name, size_t size, const std::string &triple);

/// The object file of assembly text.
llvm::Expected<std::string> assemble(llvm::StringRef text, const std::string &triple);

/// Registers LLVM's code generators for all back ends. Thread-safe; later calls do nothing.
void initializeTargets();

/// Bytes of machine code in an object file.
llvm::Expected<int64_t> textBytes(llvm::StringRef object);

} // namespace kgen
