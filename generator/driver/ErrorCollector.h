// Collects what passes report, as text.
#pragma once

#include "driver/Compile.h"

#include <mlir/IR/Diagnostics.h>

namespace kgen {

class ErrorCollector {
public:
  explicit ErrorCollector(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream(text)
              << (text.empty() ? "" : "\n") << diagnostic.getLocation() << ": " << diagnostic;
          return mlir::success();
        }) {}
  llvm::Error take(const llvm::Twine &what) { return llvm::createStringError(message(what)); }
  llvm::Error takeRefusal(const llvm::Twine &what) {
    return llvm::make_error<RequestError>(message(what), llvm::inconvertibleErrorCode());
  }

private:
  std::string message(const llvm::Twine &what) { return (what + ": " + text).str(); }

  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace kgen
