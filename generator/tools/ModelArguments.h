// Arguments of commands that take a model.
#pragma once

#include "driver/load/Sizes.h"
#include "spec/Spec.h"

#include <CLI/CLI.hpp>

#include <string>

namespace kgen {

/// --library NAME, --dim NAME=N, --value INPUT=NUMBER|FILE, and what makes a part of a model.
void addModelBindings(CLI::App &sub, ModelBindings &bindings);
/// --dim and --value alone.
void addSizesAndValues(CLI::App &sub, ModelBindings &bindings);

/// Those options of a command that addModelBindings adds, as they were given, for a shell:
/// " --dim batch=1".
std::string modelOptionsText(const CLI::App &sub);
/// A word as a shell takes it.
std::string shellWord(const std::string &word);

/// --size NAME=N,N...
void addSizes(CLI::App &sub, SizeLists &sizes);

} // namespace kgen
