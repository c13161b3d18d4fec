#include "driver/compile/ReadDecision.h"

#include <mlir/IR/BuiltinTypes.h>

using namespace mlir;

namespace kgen {

ExplainedTiling readTiling(const Decision &decision) {
  ExplainedTiling tiling;
  tiling.batch = decision.number("batch");
  tiling.m = decision.number("m");
  tiling.n = decision.number("n");
  tiling.k = decision.number("k");
  tiling.tileRows = decision.number("mr");
  tiling.tileColumns = decision.number("nr");
  tiling.rowBlock = decision.number("mc");
  tiling.depthBlock = decision.number("kc");
  tiling.panel = decision.number("panel");
  tiling.tasks = decision.number("tasks");
  return tiling;
}

ExplainedLoops readLoops(const Decision &decision) {
  ExplainedLoops loops;
  loops.form = decision.string("form");
  loops.sizes = decision.numbers("sizes");
  loops.dimension = decision.number("dimension");
  loops.lanes = decision.number("lanes");
  loops.gathered = decision.number("gathered");
  loops.bytes = decision.number("bytes");
  loops.scalar = decision.kind() == "scalar";
  loops.strategy = decision.string("strategy");
  loops.stores = decision.string("stores");
  return loops;
}

std::vector<ExplainedStrategy> readStrategies(const Decision &decision) {
  std::vector<ExplainedStrategy> offers;
  for (DictionaryAttr entry : decision.entries("offers")) {
    ExplainedStrategy offer{entry.getAs<StringAttr>("strategy").str(), "", std::nullopt};
    if (auto cost = entry.getAs<FloatAttr>("cost"))
      offer.cost = cost.getValueAsDouble();
    else
      offer.refusal = entry.getAs<StringAttr>("refusal").str();
    offers.push_back(std::move(offer));
  }
  return offers;
}

void readGpuLaunch(const Decision &decision, ExplainedStep &step) {
  ExplainedGpuLaunch &launch = step.gpu.emplace();
  launch.form = decision.string("form");
  launch.flops = decision.number("flops");
  launch.leastBytes = decision.number("least");
  launch.registers = decision.number("registers");
  launch.registersBy = launch.registers != 0 ? "estimate" : "";
  step.kind = launch.form == "copy" ? StepKind::copy : StepKind::loops;
  if (launch.form == "transposition")
    launch.tile = decision.numbers("tile");
  if (launch.form != "product")
    return;
  step.kind = StepKind::contraction;
  launch.product = decision.numbers("product");
  launch.tile = decision.numbers("tile");
  for (DictionaryAttr entry : decision.entries("offers")) {
    ExplainedGpuTile &offer = launch.offers.emplace_back();
    offer.sizes = entry.getAs<DenseI64ArrayAttr>("tile").asArrayRef().vec();
    if (auto cycles = entry.getAs<FloatAttr>("cycles")) {
      offer.cycles = cycles.getValueAsDouble();
      offer.limit = entry.getAs<StringAttr>("limit").str();
    } else {
      offer.refusal = entry.getAs<StringAttr>("refusal").str();
    }
  }
}

ExplainedKernel readKernel(const Decision &decision, const std::map<int64_t, size_t> &stepIndex) {
  ExplainedKernel kernel;
  kernel.symbol = decision.string("symbol");
  kernel.provider = decision.string("provider");
  kernel.m = decision.number("m");
  kernel.n = decision.number("n");
  kernel.k = decision.number("k");
  kernel.epilogueOperations = decision.number("epilogue");
  kernel.accumulates = decision.number("accumulate") != 0;
  for (DictionaryAttr entry : decision.entries("offers")) {
    ExplainedOffer offer{entry.getAs<StringAttr>("provider").str(), "", std::nullopt};
    if (auto cost = entry.getAs<FloatAttr>("cost"))
      offer.cost = cost.getValueAsDouble();
    else
      offer.refusal = entry.getAs<StringAttr>("refusal").str();
    kernel.offers.push_back(std::move(offer));
  }
  for (DictionaryAttr entry : decision.entries("calls"))
    if (auto step = stepIndex.find(entry.getAs<IntegerAttr>("step").getInt());
        step != stepIndex.end())
      kernel.calls[step->second] += entry.getAs<IntegerAttr>("runs").getInt();
  return kernel;
}

namespace {
/// "f32[64, 32]"; "?" where a size is known at run time only.
std::string typeText(MemRefType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type.getElementType() << "[";
  llvm::interleaveComma(type.getShape(), os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  os << "]";
  return text;
}
} // namespace

ExplainedBuffer readBuffer(const Decision &decision) {
  ExplainedBuffer buffer;
  buffer.offset = decision.number("offset");
  buffer.bytes = decision.number("bytes");
  buffer.firstStep = decision.number("first");
  buffer.lastStep = decision.number("last");
  buffer.type = typeText(cast<MemRefType>(decision.type("type")));
  return buffer;
}

std::string readMethod(const Decision &decision) {
  int64_t tile = decision.number("tile");
  if (tile == 0)
    return "direct: Winograd's tiles do not pay";
  std::string side = std::to_string(tile);
  return "Winograd's tiles of " + side + " x " + side + ", " +
         std::to_string(decision.number("rows")) + " rows of them at a time";
}

} // namespace kgen
