// Code of others, run where it can damage nothing of kgen's memory.
#pragma once

#include <llvm/Support/Error.h>

#include <functional>
#include <string>

namespace kgen {

/// Returns what `run` returns in a process of its own, a copy of this one. No other thread may run.
/// A signal that ends the process is an error that names it.
llvm::Expected<std::string> runInOwnProcess(const std::function<std::string()> &run);

} // namespace kgen
