// The component KGEN_MACHINES as all other folders see it: code for machines whose memories a
// program fills, and the model that runs it. A kgen without the component has what is declared
// here, too, and refuses (NoMachines.cpp).
#pragma once

#include "driver/compile/Explain.h"
#include "schedules/AttachSchedules.h"
#include "spec/Spec.h"
#include "support/Diagnostics.h"

#include <mlir/IR/OwningOpRef.h>

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>

namespace kgen {

/// One graph for a machine.
struct MachineGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< one function, upstream's dialects only
  AttachedSchedules schedules;
  std::vector<ExplainedWaste> waste; ///< copies that the schedules make and need not
};

/// Takes the code after each stage, the ingress with its schedules first.
using DumpMachineStage = std::function<void(const std::string &stage, mlir::ModuleOp module)>;

/// Compiles a graph to scheduled code on buffers. The code belongs to `context`, which has the
/// dialects of pipelineDialects(). With `reference`, the module has a second function of that name,
/// which computes the same without a schedule. Errors are ScheduleErrors where the spec's schedules
/// are wrong.
llvm::Expected<MachineGraph> scheduleGraph(const Graph &graph, const MachineSpec &machine,
                                           const std::vector<ScheduleSpec> &schedules,
                                           const ScheduleParameters &parameters,
                                           const std::string &reference, mlir::MLIRContext &context,
                                           const DumpMachineStage &dumpStage = {});

/// The module as text that upstream's tools read.
std::string machineText(mlir::ModuleOp module);

/// Gives kgen-opt the flag --kgen-machine.
void registerMachinePipeline();

// kgen simulate: a scheduled function of a file on the model of a machine.

struct SimulateOptions {
  std::string path;    ///< a .mlir file, a spec or a model
  std::string graph;   ///< of a spec; empty: the only one
  std::string machine; ///< a name, or the path of a file
  std::vector<std::string> targetSearchPath;
  ModelBindings bindings; ///< see loadLibrary
  std::string function;   ///< empty: the one with loops over blocks or cores, if there is only one
  std::string reference;  ///< empty: another one with the same arguments and no such loops
  bool data = false;      ///< compute, too, and compare with the reference
  uint64_t seed = 1;      ///< of the inputs
  bool timeline = false;  ///< keep what each engine did when
};

/// The figures of a run.
class Simulation {
public:
  virtual ~Simulation() = default;
  virtual bool isCompared() const = 0; ///< there are results of a reference
  virtual bool isRight() const = 0;
  virtual std::string text() const = 0;
  /// With the errors and warnings.
  virtual std::string json(const Diagnostics &diagnostics) const = 0;
  /// One page without scripts and without anything to load.
  virtual std::string html() const = 0;
};

/// Reads the file and the machine, runs the function, and compares its results with the
/// reference's. Null if it could not be run. What is wrong, the schedule's faults among it, goes to
/// the diagnostics.
std::unique_ptr<Simulation> simulateFile(const SimulateOptions &options, Diagnostics &diagnostics);

// kgen tune --machine: the values of schedules' parameters, by simulated cycles.

struct TuneSchedulesOptions {
  std::string specPath, machine;
  std::vector<std::string> graphs; ///< patterns; empty: all
  std::vector<std::string> targetSearchPath;
  ModelBindings bindings{}; ///< see loadLibrary
};

struct ScheduleTrial {
  ScheduleParameters parameters;
  double cycles = 0;
  int64_t l3Bytes = 0, l2Bytes = 0; ///< between L3 and L2, between L2 and L1; both directions
  std::string fault;                ///< why the values cannot be used; empty: they can
};

struct TunedSchedules {
  std::string graph;
  std::vector<ScheduleTrial> trials; ///< the fastest first; what cannot be used last
};

/// Tries all combinations of values for the parameters of the schedules that each graph's nodes
/// have. Graphs whose schedules have no parameters are left out. Nothing after an error of the
/// spec.
std::optional<std::vector<TunedSchedules>> tuneSchedules(const TuneSchedulesOptions &options,
                                                         Diagnostics &diagnostics);

} // namespace kgen
