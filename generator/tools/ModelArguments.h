// Arguments of commands that take a model.
#pragma once

#include "driver/Sizes.h"
#include "spec/Spec.h"

#include <CLI/CLI.hpp>

namespace kgen {

/// --library NAME, --dim NAME=N and --value INPUT=NUMBER|FILE.
void addModelBindings(CLI::App &sub, ModelBindings &bindings);

/// --size NAME=N,N...
void addSizes(CLI::App &sub, SizeLists &sizes);

} // namespace kgen
