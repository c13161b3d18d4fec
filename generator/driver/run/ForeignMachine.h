// A machine that kgen does not run on: a C compiler compiles for it, and a command runs its
// programs, as an emulator does.
#pragma once

#include "driver/run/ToolCommand.h"
#include "support/Diagnostics.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kgen {

class Architecture;

/// A user's words for where code runs.
struct ForeignTools {
  std::string compiler; ///< --cc: a C compiler, and its first arguments
  std::string runWith;  ///< --run-with: what stands in front of a program; empty: nobody says so
};

class ForeignMachine {
public:
  /// Finds both programs, and asks the compiler for which architecture it compiles. `link` has C
  /// files and objects for that machine, with the extern functions of libraries. Null after errors.
  static std::shared_ptr<const ForeignMachine>
  open(const ForeignTools &tools, const std::vector<std::string> &link, Diagnostics &diagnostics);

  const Architecture &architecture() const { return *compiledFor; }
  /// The command, as users know the machine.
  const std::string &name() const { return tools.runWith; }
  const std::vector<std::string> &link() const { return linked; }

  /// Those of the features that the machine offers, as the dispatcher of a library finds out.
  llvm::Expected<std::set<std::string>> offered(const std::set<std::string> &features) const;

  /// Calls the C compiler; what it prints is in the error. `folder` is one for temporary files.
  llvm::Error compile(const std::string &folder, llvm::ArrayRef<std::string> arguments) const;
  /// Runs a program; whatever ends it but its own exit with 0 is an error.
  llvm::Error run(const std::string &folder, const std::string &program,
                  llvm::ArrayRef<std::string> arguments) const;

private:
  static ToolCommand find(const std::string &option, const std::string &text,
                          const std::string &hint, Diagnostics &diagnostics);
  llvm::Error askArchitecture();

  ForeignTools tools;
  std::vector<std::string> linked;
  ToolCommand compiler, runner;
  const Architecture *compiledFor = nullptr;
};

} // namespace kgen
