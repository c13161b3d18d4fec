// The functions of a generated library as a program that a foreign machine runs: a call is a run of
// it, with inputs in a file and outputs in another one.
#pragma once

#include "driver/run/ForeignMachine.h"
#include "driver/run/TemporaryFolder.h"
#include "emit/Library.h"

namespace kgen {

class ForeignProgram {
public:
  /// Compiles and links `files`, a library's folder, and its C program. The machine must outlive
  /// the program. Nothing is left when the program is gone.
  static llvm::Expected<ForeignProgram> make(const LibraryInterface &library, const FileSet &files,
                                             const ForeignMachine &machine);

  /// Memory of a tensor.
  struct Bytes {
    unsigned char *data;
    size_t size;
    std::string state{}; ///< that it is; states come after all others
  };

  /// Calls a graph's function in a variant on so many threads, and fills `outputs`. The program
  /// makes a block of state for the call.
  llvm::Error call(const std::string &graph, const std::string &target, const SizeValues &sizes,
                   llvm::ArrayRef<Bytes> inputs, llvm::ArrayRef<Bytes> outputs, unsigned threads);

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
