// Transform scripts as modules inside of a graph's module. Private to schedules/.
#pragma once

#include "spec/ScheduleSpec.h"

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Parses the text and adds it to the module's library of schedules as `symbol`, unless that has
/// one. A text that cannot be parsed is a defect of kgen.
void addScript(mlir::ModuleOp module, const std::string &symbol, const std::string &text,
               const std::string &name);

/// Parses the files of a schedule with `script` and adds them; returns the script's text. Files
/// that cannot be read or parsed, and one without the schedule's sequence, are reported.
std::optional<std::string> addScriptFiles(mlir::ModuleOp module, const std::string &symbol,
                                          const ScheduleSpec &schedule, Diagnostics &diagnostics);

} // namespace kgen
