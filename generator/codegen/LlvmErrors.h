// Errors that LLVM reports through its context: without a handler they end the process.
#pragma once

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>

namespace kgen {

/// The errors that LLVM reported, with or without a text.
struct LlvmErrors {
  bool any = false;
  std::string text;

  llvm::Error take() const {
    return any ? llvm::createStringError("LLVM: " + text) : llvm::Error::success();
  }
};

/// Collects errors, and leaves everything else to LLVM. `errors` must outlive the context.
class LlvmErrorHandler : public llvm::DiagnosticHandler {
public:
  explicit LlvmErrorHandler(LlvmErrors &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return false;
    llvm::raw_string_ostream stream(errors.text);
    stream << (errors.any ? "; " : "");
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    errors.any = true;
    return true;
  }

private:
  LlvmErrors &errors;
};

} // namespace kgen
