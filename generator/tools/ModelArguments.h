// Arguments of commands that take a model.
#pragma once

#include "driver/load/Sizes.h"
#include "spec/Spec.h"

#include <CLI/CLI.hpp>

namespace kgen {

/// --library NAME, --dim NAME=N, --value INPUT=NUMBER|FILE, and what makes a part of a model.
void addModelBindings(CLI::App &sub, ModelBindings &bindings);
/// --dim and --value alone.
void addSizesAndValues(CLI::App &sub, ModelBindings &bindings);

/// --size NAME=N,N...
void addSizes(CLI::App &sub, SizeLists &sizes);

} // namespace kgen
