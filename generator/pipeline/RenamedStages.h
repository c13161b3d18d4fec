// Old names of stages: accepted with a warning that names the new ones.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace kgen {

struct RenamedStage {
  llvm::StringRef old;
  std::vector<llvm::StringRef> current; ///< stages that do its work now, in order

  /// Returns "'layout' is now called 'raise', 'fuse', 'pack'".
  std::string warning() const;
};

llvm::ArrayRef<RenamedStage> renamedStages();

/// Null unless a stage was called so.
const RenamedStage *findRenamedStage(llvm::StringRef old);

/// Names that dumps had before stages were renamed.
class OldDumpNames {
public:
  /// Returns the name of the next stage's dump, as "04-buffer.mlir" of the stage "bufferize"; "" if
  /// there was none: the stage was the beginning of another one.
  std::string next(llvm::StringRef stage);

private:
  int number = 0; ///< of dumps before
};

} // namespace kgen
