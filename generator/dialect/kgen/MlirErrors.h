// Messages of MLIR, as errors and warnings with places.
#pragma once

#include "support/Notes.h"

#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/MLIRContext.h>

namespace kgen {

/// While it lives, errors, warnings and remarks (as notes) go to `diagnostics`; those without a
/// line of a file stand at `where`.
class MlirErrors : public mlir::ScopedDiagnosticHandler {
public:
  MlirErrors(mlir::MLIRContext *context, const SourceLoc &where, Diagnostics &diagnostics)
      : ScopedDiagnosticHandler(context, [&, where](mlir::Diagnostic &diagnostic) {
          SourceLoc at = where;
          if (auto place = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
            at = {place.getFilename().str(), place.getLine(), place.getColumn()};
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            diagnostics.error(at, diagnostic.str());
          else if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
            diagnostics.warning(at, diagnostic.str());
          else if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
            addNote(diagnostics, at, diagnostic.str());
          return mlir::success();
        }) {}
};

} // namespace kgen
