// A graph's function with memory of its own and inputs that are seeded or given.
#pragma once

#include "driver/load/Sizes.h"
#include "driver/run/CallableCode.h"
#include "driver/run/TensorBytes.h"
#include "measure/ThreadPool.h"

namespace kgen {

class GraphCall {
public:
  /// The function of `target`. The code must outlive the call. `sizes` are those that the function
  /// is given.
  static llvm::Expected<GraphCall> make(const GraphInterface &described, const std::string &symbol,
                                        const std::string &target, CodeReference code,
                                        const SizeValues &sizes = {});

  /// Sets of inputs: 0 has floats in [-1, 1), 1 has them in [0.5, 1.5), for graphs with roots,
  /// logarithms or divisions.
  static constexpr size_t inputSets = 2;
  /// Seeded inputs, and outputs that nobody has computed. States that are no floats, which count
  /// or are places, are as the library begins them.
  void fill(size_t set);
  /// The states of the library, and other beginnings of those that count, by their names.
  void setStates(const std::vector<StateInterface> &list, const SizeValues &begun) {
    states = list;
    counts = begun;
  }
  /// "inputs in [-1, 1)".
  static std::string describe(size_t set);

  /// Bytes of an input, to be written, and of an output.
  unsigned char *input(size_t i) { return inputs[i].data(); }
  const unsigned char *output(size_t i) { return outputs[i].data(); }

  /// On the caller's thread, or by an executor (see ThreadPool). What the code returns: 0, or what
  /// an extern function that failed has returned. The code must be in this process. States are
  /// what the last call has made of them, but for integers of 32 bits and more, which count or are
  /// places: each call begins with the same ones.
  int run(const void *executor = nullptr);
  /// As run(), after begin(), wherever the code is: by a program, whatever comes between is an
  /// error.
  llvm::Expected<int> call(const ThreadPool *pool = nullptr);

  /// States become what the inputs say.
  void begin() { beginUpdates(/*countsOnly=*/false); }
  /// Inputs that are state become what the last call has made of them.
  void carryState();

  /// After fill(): about half of the floats change by what rounding to `precision` may change them.
  void perturb(ElementType precision);

  /// The largest difference of each output from that of another call, where both are finite.
  std::vector<double> deviations(GraphCall &other);
  /// A line for each output that differs from `expected`'s. Floats may differ by `allowed` (of that
  /// output) or 1024 u of the largest magnitude (u: half an ulp of 1; less for short types), with
  /// the u of `precision` if that is coarser; integers by `allowed`. `undecided` is the part of an
  /// output's integers that may be others altogether: indices and truth values that a graph decides
  /// by comparing floats follow whichever of two nearly equal ones is larger.
  std::vector<std::string> differences(GraphCall &expected, const std::vector<double> &allowed = {},
                                       ElementType precision = ElementType::f64,
                                       double undecided = 0);
  /// True if all outputs have the same bytes.
  bool sameBytes(GraphCall &other);

  /// The tensors' memory, as programs get it.
  std::vector<GraphProgram::Bytes> inputBytes() { return bytesIn(graph.inputs, inputs); }
  std::vector<GraphProgram::Bytes> outputBytes() { return bytesIn(graph.outputs, outputs); }

  /// Removes inputs, outputs and workspace from all caches.
  void flush();

private:
  explicit GraphCall(const GraphInterface &graph) : graph(graph) {}
  llvm::Error runProgram(unsigned threads);
  static std::vector<GraphProgram::Bytes> bytesIn(const std::vector<TensorInterface> &tensors,
                                                  std::vector<Buffer> &buffers);
  bool beginState(size_t input);
  void beginUpdates(bool countsOnly);

  GraphInterface graph;
  GraphProgram *program = nullptr; ///< null: `function` is called
  std::string target;              ///< of the program's call, and its sizes
  SizeValues sizes;
  std::vector<Buffer> inputs, outputs, workspace; ///< of the workspace there is one
  std::vector<Buffer> kept; ///< what states have become, where extern functions are called
  std::vector<StateInterface> states; ///< of the library
  SizeValues counts;                  ///< by names of states
  int64_t workspaceBytes = 0;
  LoadedFunction function;
  std::vector<void *> arguments;
};

} // namespace kgen
