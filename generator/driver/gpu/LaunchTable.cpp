#include "driver/gpu/LaunchTable.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Size.h"
#include "driver/compile/TakeWeights.h"
#include "support/Sha256.h"
#include "transforms/gpu/KernelBuilder.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/AsmState.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// All bytes of a constant that stayed in the module, whose elements are the same.
WeightBlob blobOf(memref::GlobalOp global, const std::string &prefix) {
  auto value = cast<DenseElementsAttr>(*global.getInitialValue());
  ArrayRef<char> raw = value.getRawData();
  const int64_t count = value.isSplat() ? value.getNumElements() : 1;
  SmallVector<char> bytes;
  for (int64_t i = 0; i < count; ++i)
    bytes.append(raw.begin(), raw.end());
  Sha256 hash;
  hash.add({bytes.data(), bytes.size()});
  return {prefix + hash.hex().substr(0, 32),
          std::make_shared<const AsmResourceBlob>(
              HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignof(std::max_align_t)))};
}

class LaunchReader {
public:
  LaunchReader(const Graph &graph, ModuleOp module, const std::string &weightPrefix,
               GpuTargetInterface &interface, std::vector<WeightBlob> &weights)
      : graph(graph), module(module), weightPrefix(weightPrefix), interface(interface),
        weights(weights) {
    for (WeightBlob &weight : takeWeights(module)) {
      std::string symbol = weight.symbol;
      outlined.try_emplace(symbol, std::move(weight));
    }
  }

  void read(const llvm::StringMap<size_t> &kernels) {
    auto function = *module.getOps<func::FuncOp>().begin();
    GpuGraph made;
    made.name = graph.name;
    if (auto bytes = function->getAttrOfType<IntegerAttr>(workspaceAttrName))
      made.workspaceBytes = bytes.getInt();
    for (auto launch : function.getOps<gpu::LaunchFuncOp>()) {
      GpuLaunch one;
      one.kernel = kernels.lookup(launch.getKernelName());
      gpu::KernelDim3 blocks = launch.getGridSizeOperandValues();
      one.blocks = {number(blocks.x), number(blocks.y), number(blocks.z)};
      for (StringAttr name : namesIn(launch.getLoc())) {
        one.node = name.str();
        break;
      }
      auto kernel = cast<gpu::GPUFuncOp>(module.lookupSymbol(launch.getKernel()));
      for (auto [index, operand] : llvm::enumerate(launch.getKernelOperands()))
        one.bindings.push_back(bindingOf(operand, kernel.getArgument(index)));
      made.launches.push_back(std::move(one));
    }
    interface.graphs.push_back(std::move(made));
  }

private:
  static int64_t number(Value value) { return *getConstantIntValue(value); }

  GpuBinding bindingOf(Value operand, BlockArgument inKernel) {
    GpuBinding binding;
    auto type = cast<MemRefType>(operand.getType());
    binding.bytes = type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
    binding.isWritten = gpu_kernels::isWritten(inKernel);
    Value root = operand;
    while (auto view = root.getDefiningOp<ViewLikeOpInterface>()) {
      if (auto part = dyn_cast<memref::ViewOp>(view.getOperation()))
        binding.offset += number(part.getByteShift());
      root = view.getViewSource();
    }
    if (auto constant = root.getDefiningOp<memref::GetGlobalOp>()) {
      binding.memory = GpuMemory::weight;
      binding.number = weightNumber(constant.getName());
      return binding;
    }
    const int64_t argument = cast<BlockArgument>(root).getArgNumber(),
                  inputs = static_cast<int64_t>(graph.inputs.size()),
                  outputs = static_cast<int64_t>(graph.outputs.size());
    binding.memory = argument < inputs             ? GpuMemory::input
                     : argument < inputs + outputs ? GpuMemory::output
                                                   : GpuMemory::workspace;
    binding.number = argument < inputs             ? argument
                     : argument < inputs + outputs ? argument - inputs
                                                   : 0;
    return binding;
  }

  int64_t weightNumber(StringRef name) {
    auto found = outlined.find(name);
    if (found == outlined.end())
      found =
          outlined
              .try_emplace(name, blobOf(module.lookupSymbol<memref::GlobalOp>(name), weightPrefix))
              .first;
    const WeightBlob &weight = found->second;
    for (size_t i = 0; i < interface.weights.size(); ++i)
      if (interface.weights[i].symbol == weight.symbol)
        return static_cast<int64_t>(i);
    interface.weights.push_back(
        {weight.symbol, static_cast<int64_t>(weight.data->getData().size())});
    weights.push_back(weight);
    return static_cast<int64_t>(weights.size()) - 1;
  }

  const Graph &graph;
  ModuleOp module;
  const std::string &weightPrefix;
  GpuTargetInterface &interface;
  std::vector<WeightBlob> &weights;
  llvm::StringMap<WeightBlob> outlined; ///< by name in the module
};

} // namespace

void addLaunches(const Graph &graph, ModuleOp module, const llvm::StringMap<size_t> &kernels,
                 const std::string &weightPrefix, GpuTargetInterface &interface,
                 std::vector<WeightBlob> &weights) {
  LaunchReader(graph, module, weightPrefix, interface, weights).read(kernels);
}

} // namespace kgen
