// The functions of a library as a program: a call is a run of it, with inputs in a file and outputs
// in another one.
#pragma once

#include "driver/run/ToolCommand.h"
#include "emit/Library.h"

namespace kgen {

class GraphProgram {
public:
  /// Memory of a tensor.
  struct Bytes {
    unsigned char *data;
    size_t size;
    std::string state{}; ///< that it is; states come after all others
  };

  GraphProgram() = default;
  GraphProgram(GraphProgram &&) = default;
  virtual ~GraphProgram() = default;

  /// Calls a graph's function in the code for a target on so many threads, and fills `outputs`.
  virtual llvm::Error call(const std::string &graph, const std::string &target,
                           const SizeValues &sizes, llvm::ArrayRef<Bytes> inputs,
                           llvm::ArrayRef<Bytes> outputs, unsigned threads) = 0;
};

} // namespace kgen
