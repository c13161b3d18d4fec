// The functions of a generated library as a program that a foreign machine runs.
#pragma once

#include "driver/run/ForeignMachine.h"
#include "driver/run/GraphProgram.h"
#include "driver/run/TemporaryFolder.h"

namespace kgen {

class ForeignProgram : public GraphProgram {
public:
  /// Compiles and links `files`, a library's folder, and its C program. The machine must outlive
  /// the program. Nothing is left when the program is gone.
  static llvm::Expected<ForeignProgram> make(const LibraryInterface &library, const FileSet &files,
                                             const ForeignMachine &machine);

  /// The program makes a block of state for the call.
  llvm::Error call(const std::string &graph, const std::string &target, const SizeValues &sizes,
                   llvm::ArrayRef<Bytes> inputs, llvm::ArrayRef<Bytes> outputs,
                   unsigned threads) override;

private:
  /// A graph's function by its number, and the sizes that it is given.
  struct Function {
    size_t index = 0;
    std::vector<std::string> sizes;
  };

  ForeignProgram(TemporaryFolder folder, const ForeignMachine &machine,
                 const LibraryInterface &library);

  TemporaryFolder folder;
  const ForeignMachine *machine;
  std::map<std::string, Function> functions;
  std::vector<std::string> states;  ///< of the library, by their numbers
  std::vector<DimSymbol> stateDims; ///< sizes that a block is made for
};

} // namespace kgen
