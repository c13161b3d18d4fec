// Times of every function of a library in every variant that this CPU supports, and on graphics
// cards, after its results have been checked.
#pragma once

#include "driver/bench/StepTimes.h"
#include "driver/generate/Generate.h"
#include "driver/verify/SizedReferences.h"
#include "measure/Series.h"

namespace kgen {

struct BenchOptions {
  std::string specPath;
  std::vector<std::string> targets, targetSearchPath; ///< see GenerateOptions
  ModelBindings bindings;                             ///< see loadLibrary
  std::vector<std::string> graphs; ///< names or patterns: only these, unless empty
  std::vector<std::string> link;   ///< files with extern functions: see LinkedFiles
  std::string provider = "auto";
  SizeLists sizes; ///< that functions are called with; see combinations(). States that count begin
                   ///< with those of their names
  std::vector<unsigned> threads{1};
  bool hot = true, cold = true;
  bool steps = false;   ///< measure the steps of each function, too
  bool latency = false; ///< time single calls with hot caches, too
  double seconds = 0.5; ///< for each line of the result
  bool check = false;   ///< measure nothing
  /// That runs the code, if it is only checked, and has the files of `link`; null: this process.
  std::shared_ptr<const ForeignMachine> machine;
  /// Called with the step that begins, and the share of all that is done, from 0 to 1.
  std::function<void(double done, const std::string &what)> progress;
};

/// A rate of the machine, as measured between the readings of functions.
struct BenchPeak {
  std::string name; ///< an instruction, or where bytes come from
  unsigned threads;
  Series rate; ///< 10^9 operations or bytes a second
};

struct BenchLine {
  std::string graph, variant;
  SizeValues sizes; ///< that it is called with, and what states begin with
  unsigned threads = 1;
  bool cold = false;
  std::string device;           ///< the graphics card; empty: a CPU
  bool onDevice = false;        ///< tensors are in the card's memory: no copies are in the time
  int64_t flops = 0, bytes = 0; ///< bytes of inputs, packed weights and outputs
  std::string instruction;      ///< whose peak it is compared with; empty: none is known
  Series seconds;               ///< of one call
  Series fraction;              ///< of the peak, each reading with the peak measured beside it
  std::vector<StepTime> steps;  ///< in their order, if requested; caches are hot
  Series latency;               ///< seconds of single calls by the wall clock, if requested

  /// The tensors' place when a call begins: "hot" and "cold" caches, "copied" to a card and back,
  /// or "on device".
  const char *memory() const {
    return device.empty() ? (cold ? "cold" : "hot") : onDevice ? "on device" : "copied";
  }
  double gflops() const { return static_cast<double>(flops) / seconds.median() * 1e-9; }
  double gbytes() const { return static_cast<double>(bytes) / seconds.median() * 1e-9; }
};

/// A function whose results have been compared with those of plain loops.
struct BenchCheck {
  std::string graph, variant;
  SizeValues sizes; ///< that it was called with, and what states began with
  bool isRight = true;
  bool hasThreads = true; ///< false: a graphics card's
};

struct BenchReport {
  std::string library, cpu;
  std::vector<BenchLine> lines;
  std::vector<BenchPeak> peaks, bandwidths;
  std::vector<BenchCheck> checked;       ///< instead of lines, with BenchOptions::check
  std::vector<std::string> notes;        ///< variants that this CPU does not support
  std::vector<std::string> wrongResults; ///< of these there are no lines
};

/// The generated library, and the same graphs in plain loops: for one target, whose functions all
/// variants are compared with. `reference` has the graphs that are given no sizes.
struct BenchSubject {
  GenerateResult library, reference;
  std::vector<SizedReference> sized; ///< of the other graphs
  GenerateResult stepped;            ///< see SteppedCode; empty unless requested
  SizeLists counts;                  ///< that states begin with: part of the requested sizes
  bool isForGpusOnly = false;        ///< `library` has plain loops beside them
};

/// Compiles both. Targets that this CPU does not support become notes of the report.
GenerateStatus compileForBench(const BenchOptions &options, BenchSubject &subject,
                               BenchReport &report, Diagnostics &diagnostics);

/// Checks and measures. A RequestError is the user's, any other a defect.
llvm::Error runBench(const BenchOptions &options, const BenchSubject &subject, BenchReport &report);

} // namespace kgen
