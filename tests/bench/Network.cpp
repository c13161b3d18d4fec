#include "Network.h"

#include "Expected.h"

#include "driver/generate/Generate.h"
#include "driver/run/LoadedCode.h"
#include "driver/run/RunnableVariants.h"
#include "driver/run/TensorBytes.h"

#include <cmath>
#include <stdexcept>

namespace bench {
namespace {

Tensor empty(const kgen::TensorType &type) {
  return {type, Aligned<char>(static_cast<size_t>(type.byteCount()))};
}

unsigned char *bytesOf(Tensor &tensor) {
  return reinterpret_cast<unsigned char *>(tensor.bytes.data());
}

} // namespace

namespace {

kgen::LoadedLibrary loadGraph(const std::string &specPath, const std::string &graph,
                              const std::string &target, const kgen::ModelBindings &bindings) {
  kgen::Diagnostics diagnostics;
  std::vector<std::string> names, notes;
  if (!graph.empty())
    names.push_back(graph);
  std::optional<kgen::LoadedLibrary> library =
      kgen::loadWhatRuns({specPath, {target}, {}, bindings, names, {}}, notes, diagnostics);
  if (!library)
    throw std::runtime_error(diagnostics.str());
  library->graphs.resize(1);
  return std::move(*library);
}

kgen::GenerateResult generated(const kgen::LoadedLibrary &library) {
  kgen::Diagnostics diagnostics;
  kgen::GenerateOptions options;
  kgen::GenerateResult made;
  options.specPath = library.spec.path;
  if (kgen::generateLibrary(options, library, made, diagnostics) != kgen::GenerateStatus::ok)
    throw std::runtime_error(diagnostics.str());
  return made;
}

/// Its code on the network's inputs.
class GeneratedNetwork : public Runner {
public:
  /// `code` has the library of `made`. `sizes` are those that the function is given.
  GeneratedNetwork(const kgen::GenerateResult &made, kgen::LoadedCode &code,
                   const kgen::SizeValues &sizes, Network &network, const kgen::ThreadPool &pool)
      : y(empty(network.resultType())) {
    const kgen::GraphInterface graph = kgen::atSizes(made.library.graphs.front(), sizes);
    const std::string &target = made.library.variants.front().target;
    // Sizes are passed where pointers are: both are integers of 64 bits.
    for (const kgen::DimSymbol &dim : graph.dims)
      arguments.push_back(reinterpret_cast<void *>(static_cast<uintptr_t>(sizes.at(dim.name))));
    for (Tensor &input : network.inputs)
      arguments.push_back(input.bytes.data());
    arguments.push_back(y.bytes.data());
    workspace.resize(static_cast<size_t>(graph.workspaceBytes.at(target)) + 1);
    arguments.push_back(workspace.data());
    arguments.push_back(const_cast<void *>(pool.executor()));
    function = take(
        code.function(kgen::kernelSymbol(made.library.name, graph.name, target), arguments.size()));
  }

  void run() override { function(arguments.data()); }
  Tensor result() override { return y; }

private:
  kgen::LoadedFunction function;
  Tensor y;
  Aligned<char> workspace;
  std::vector<void *> arguments;
};

/// A network whose code is its own.
class OwnNetwork : public Runner {
public:
  OwnNetwork(Network &network, const kgen::ThreadPool &pool)
      : made(generated(network.library)), code(take(kgen::LoadedCode::load(made.files))),
        call(made, code, {}, network, pool) {
    network.flops = static_cast<double>(made.parts.front().work.total());
  }

  void run() override { call.run(); }
  Tensor result() override { return call.result(); }

private:
  kgen::GenerateResult made;
  kgen::LoadedCode code;
  GeneratedNetwork call;
};

} // namespace

SizedCode::SizedCode(const std::string &specPath, const std::string &graph,
                     const std::string &target)
    : library(loadGraph(specPath, graph, target, {})), made(generated(library)),
      code(take(kgen::LoadedCode::load(made.files))) {}

std::unique_ptr<Runner> SizedCode::at(const kgen::SizeValues &sizes, Network &network,
                                      const kgen::ThreadPool &pool) {
  return std::make_unique<GeneratedNetwork>(made, *code, sizes, network, pool);
}

Network readNetwork(const std::string &specPath, const std::string &graph,
                    const std::string &target, const kgen::ModelBindings &bindings) {
  Network network{loadGraph(specPath, graph, target, bindings), {}};
  auto check = [&](kgen::ValueId id) {
    const kgen::GraphValue &value = network.graph().values[id];
    if (value.type.element != kgen::ElementType::f32)
      throw std::runtime_error(value.name + " is not of f32");
  };
  uint64_t state = 1;
  for (kgen::ValueId id : network.graph().inputs) {
    check(id);
    Tensor input = empty(network.graph().values[id].type);
    kgen::fillRandom(input.type, state, -1, 2, bytesOf(input));
    network.inputs.push_back(std::move(input));
  }
  if (network.graph().outputs.size() != 1)
    throw std::runtime_error(network.graph().name + " has several results");
  check(network.graph().outputs.front());
  return network;
}

std::unique_ptr<Runner> makeGenerated(Network &network, const kgen::ThreadPool &pool) {
  return std::make_unique<OwnNetwork>(network, pool);
}

double allowedDifference(Network &network, Runner &generated) {
  generated.run();
  std::vector<double> wanted = generated.result().values();
  std::vector<Aligned<char>> kept;
  uint64_t state = 2;
  for (Tensor &input : network.inputs) {
    kept.push_back(input.bytes);
    kgen::perturb(input.type, kgen::ElementType::f32, state, bytesOf(input));
  }
  generated.run();
  std::vector<double> perturbed = generated.result().values();
  for (size_t i = 0; i < kept.size(); ++i)
    std::copy(kept[i].begin(), kept[i].end(), network.inputs[i].bytes.begin());
  double largest = 0, change = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::fabs(wanted[i]));
    change = std::max(change, std::fabs(wanted[i] - perturbed[i]));
  }
  return 1024 * 0x1p-24 * largest + 16 * change;
}

} // namespace bench
