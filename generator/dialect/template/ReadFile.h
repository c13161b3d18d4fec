// Reads files with templates.
#pragma once

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

#include <llvm/Support/SourceMgr.h>

namespace kgen::templates {

/// A file as it is, for diagnostics that quote it, and as MLIR's parser reads it.
struct TemplateFile {
  explicit TemplateFile(std::unique_ptr<llvm::MemoryBuffer> file);

  mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, bool verify = true);

  llvm::SourceMgr shown;

private:
  std::shared_ptr<llvm::SourceMgr> parsed;
  std::string quoted;
};

} // namespace kgen::templates
