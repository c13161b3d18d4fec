// Operating systems that libraries are made for. Targets are of an architecture; a library says for
// which systems (`systems:`), and each architecture which triple it has on them.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace kgen {

enum class System { onLinux, onWindows, onMacos };

llvm::StringRef systemName(System system); ///< "linux"
std::vector<std::string> systemNames();    ///< of all
std::optional<System> systemNamed(llvm::StringRef name);

/// The one of a triple; none where code needs no operating system.
std::optional<System> systemOf(llvm::StringRef triple);
/// That of the machine that kgen runs on.
System hostSystem();

/// The macro that C compilers define for it, and for none of the others.
llvm::StringRef systemMacro(System system);

} // namespace kgen
