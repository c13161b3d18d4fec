// Generated code that can be called: in this process, or by a program.
#pragma once

#include "driver/run/ForeignProgram.h"
#include "driver/run/LoadedCode.h"

#include <optional>

namespace kgen {

/// Refers to one of both.
struct CodeReference {
  CodeReference(LoadedCode &code) : loaded(&code) {}
  CodeReference(GraphProgram &code) : program(&code) {}

  LoadedCode *loaded = nullptr;
  GraphProgram *program = nullptr;
};

/// Is one of both.
class CallableCode {
public:
  /// The code of `files`, a library's folder; `linked` has its extern functions in this process.
  /// Without a `machine` the code is loaded into this process.
  static llvm::Expected<CallableCode> load(const LibraryInterface &library, const FileSet &files,
                                           const LinkedFiles *linked,
                                           const ForeignMachine *machine) {
    CallableCode code;
    if (machine) {
      llvm::Expected<ForeignProgram> program = ForeignProgram::make(library, files, *machine);
      if (!program)
        return program.takeError();
      code.program.emplace(std::move(*program));
      return code;
    }
    llvm::Expected<LoadedCode> loaded = LoadedCode::load(files, {}, linked);
    if (!loaded)
      return loaded.takeError();
    code.loaded.emplace(std::move(*loaded));
    return code;
  }

  operator CodeReference() { return loaded ? CodeReference(*loaded) : CodeReference(*program); }

private:
  CallableCode() = default;

  std::optional<LoadedCode> loaded;
  std::optional<ForeignProgram> program;
};

} // namespace kgen
