// A network: a graph of a spec with seeded inputs, as kgen and oneDNN compute it.
#pragma once

#include "Peer.h"

#include "driver/generate/Generate.h"
#include "driver/load/Sizes.h"
#include "driver/run/LoadedCode.h"

#include <optional>

namespace bench {

struct Network {
  kgen::LoadedLibrary library; ///< with this graph and one target only
  std::vector<Tensor> inputs;
  double flops = 0; ///< of everything, as kgen counts it; known when kgen has compiled it

  const kgen::Graph &graph() const { return library.graphs.front(); }
  const kgen::TensorType &resultType() const {
    return graph().values[graph().outputs.front()].type;
  }
};

/// The graph of that name, or the first one, for one target. Throws std::runtime_error if there is
/// something wrong with the spec, or if this CPU does not support the target; only graphs of f32
/// with one result can be compared.
Network readNetwork(const std::string &specPath, const std::string &graph,
                    const std::string &target, const kgen::ModelBindings &bindings = {});

/// kgen's code for it, on the pool's threads, which reads the network's inputs; sets its `flops`.
std::unique_ptr<Runner> makeGenerated(Network &network, const kgen::ThreadPool &pool);

/// Code of a graph that is given sizes, for all of which it is compiled once.
class SizedCode {
public:
  /// Throws std::runtime_error if there is something wrong with the spec, or with this CPU.
  SizedCode(const std::string &specPath, const std::string &graph, const std::string &target);

  const kgen::GraphInterface &graph() const { return made.library.graphs.front(); }
  /// A call with these sizes, on the inputs of the network with these sizes.
  std::unique_ptr<Runner> at(const kgen::SizeValues &sizes, Network &network,
                             const kgen::ThreadPool &pool);

private:
  kgen::LoadedLibrary library;
  kgen::GenerateResult made;
  std::optional<kgen::LoadedCode> code;
};

/// oneDNN's products with a number of rows that is known at run time only: a primitive for each
/// layer of a graph that is a chain of products by weights, with bias and Relu.
class SizedProducts {
public:
  /// Null if the graph is none.
  static std::unique_ptr<SizedProducts> create(const Network &network);
  virtual ~SizedProducts() = default;
  /// A call with the network's number of rows.
  virtual std::unique_ptr<Runner> at(const Network &network) = 0;
};

/// A peer that has chosen the fastest of several ways.
class NetworkPeer : public Runner {
public:
  /// Returns the way that it chose.
  virtual std::string description() const = 0;
};
std::unique_ptr<NetworkPeer> makeOneDnn(const Network &network, const Platform &platform,
                                        const kgen::ThreadPool &pool);

/// Returns how far results may be from kgen's: 1024 units in the last place of the largest
/// magnitude, and 16 times what changes when about half of the inputs change by one unit in the
/// last place.
double allowedDifference(Network &network, Runner &generated);

} // namespace bench
