// A model in place of a spec: the library that it is, and what a command line says of it.
#pragma once

#include "spec/Spec.h"

#include <optional>

namespace kgen {

class MlirFiles; // ingress/mlir/Import.h

bool isOnnxPath(const std::string &path);
bool isMlirPath(const std::string &path);
/// True if a file that is given in place of a spec is a library by itself.
bool isModelPath(const std::string &path);

/// With the sizes of axes that have names. Reports a name that has no size.
ModelBindings withNamedSizes(const ModelBindings &bindings, Diagnostics &diagnostics);

/// Reports what a file of this kind cannot be told.
void refuseBindings(const std::string &path, const ModelBindings &bindings,
                    Diagnostics &diagnostics);

/// The spec of a library that consists of a model. Reports a name that cannot be a library's.
std::optional<LibrarySpec> specOfModel(const std::string &path, const ModelBindings &bindings,
                                       MlirFiles &files, Diagnostics &diagnostics);

} // namespace kgen
