// A spec file with its targets, weights and typed graphs, as they were read.
#pragma once

#include "driver/load/DefaultTargets.h"
#include "emit/Library.h"
#include "graph/Graph.h"
#include "spec/MachineSpec.h"
#include "spec/Spec.h"
#include "target/GpuSpec.h"
#include "target/TargetSpec.h"
#include "templates/Templates.h"

#include <memory>
#include <set>

namespace kgen {

class LinkedFiles; // driver/run/LinkedFiles.h

/// Names of a graph's values in the model that it comes from.
struct ModelNames {
  std::map<std::string, std::string> original; ///< by name in C, where they differ
  std::vector<std::string> inputs;             ///< of the model, also those that nothing depends on
};

struct LoadedLibrary {
  LibrarySpec spec;
  std::vector<TargetSpec> targets;           ///< by architecture, descending rank, name
  std::vector<System> systems{hostSystem()}; ///< each once, in their own order
  std::vector<DefaultTarget> defaultTargets; ///< of `targets`, and why; empty: they were named
  std::vector<MachineSpec> machines;         ///< as declared
  std::vector<GpuSpec> gpus;                 ///< as declared; other targets are CPUs
  bool isForGpusOnly = false;                ///< `targets` were not asked for: see loadWhatRuns
  std::shared_ptr<const OperatorTable> operators;     ///< of the graphs' nodes
  std::shared_ptr<const TemplateSources> templates{}; ///< the spec's files; null: none
  /// Of graphs of MLIR files with templates of their own: these and the spec's.
  struct OwnTemplates {
    std::shared_ptr<const TemplateSources> files;
    std::shared_ptr<const OperatorTable> operators; ///< of the graph's nodes
  };
  std::map<std::string, OwnTemplates> ownTemplates; ///< by graph
  std::vector<Graph> graphs;                        ///< as declared
  /// A graph some of whose sizes are numbers.
  struct Version {
    std::string graph; ///< the name of the graph
    SizeValues sizes;
    Graph code; ///< named "forward at batch=8"
  };
  std::vector<Version> versions;            ///< by graph, as declared
  std::map<std::string, ModelNames> models; ///< by graph
  std::vector<std::string> inputFiles;      ///< everything that was read
  std::set<std::string> mlirDims;           ///< that arguments of functions of MLIR files name
  /// By graph: names of nodes that the CPU computes where a graphics card computes the graph.
  std::map<std::string, std::set<std::string>> onCpu;
  /// Files that define the extern functions, for code that runs in this process; null: not asked
  /// for.
  std::shared_ptr<const LinkedFiles> linked{};
};

} // namespace kgen
