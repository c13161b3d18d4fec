// The files that become the runner program: objects of the cases, their weights, the data file and
// the table in C.
#pragma once

#include "CaseModule.h"
#include "OperatorCases.h"

#include "emit/Library.h"

#include <sstream>

namespace kgen::tests {

class RunnerTable {
public:
  /// `variant` is what the CPU is asked for before a case runs, by the architecture of `triple`.
  RunnerTable(std::filesystem::path folder, VariantInterface variant, std::string triple);

  /// Writes the object, under this name, and keeps its weights.
  void addObject(const std::string &name, const CompiledCases &compiled);

  /// Keeps constants that cases read; of each symbol there is one.
  void addWeights(const std::vector<WeightBlob> &weights);

  /// Adds a case of an added object; `weights` are the inputs that are not passed at run time,
  /// `sizes` what the function is given in front of the others.
  void addRun(const std::string &name, const std::string &symbol, const OperatorCase &operatorCase,
              const std::vector<size_t> &weights, int64_t workspaceBytes,
              const std::vector<int64_t> &sizes = {});

  /// Writes table.c, weights.s and data.bin; objects were written by `addObject`. For an engine,
  /// which JavaScript calls: table.mjs and objects of weights.
  void write();

  /// Everything to link: table.c and weights.s, or objects of weights; objects.
  const std::vector<std::filesystem::path> &sources() const { return parts; }
  size_t size() const { return count; }
  /// True if weights are objects that kgen writes, as a library's are.
  bool hasWeightObjects() const;
  /// True if runner.mjs runs the cases.
  bool isForEngine() const;
  /// Of the cases' functions.
  const std::vector<std::string> &symbols() const { return functions; }

private:
  size_t store(const void *bytes, size_t size); ///< appends to the data file; the offset
  std::string tensorRow(const CaseTensor &tensor);
  std::string supportTest() const;
  void writeWeights();
  void writeForEngine();

  std::filesystem::path folder;
  VariantInterface variant;
  std::string triple;
  std::vector<std::filesystem::path> parts;
  std::vector<char> data;
  std::map<std::string, std::vector<char>> blobs; ///< weights by symbol
  std::vector<std::string> functions;
  std::ostringstream declarations, rows, engineRows;
  size_t count = 0;
};

} // namespace kgen::tests
