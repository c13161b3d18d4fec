#include "transforms/gpu/LaunchRecord.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

bool isOperation(Operation *op) {
  return op->getNumResults() == 1 && isa<FloatType>(op->getResult(0).getType()) &&
         op->getNumRegions() == 0 && !op->hasTrait<OpTrait::ConstantLike>() &&
         !isa<CastOpInterface, arith::SelectOp, memref::LoadOp>(op);
}

int64_t operationsIn(Region &body);

/// Operations of floats; a function counts as one, a loop of unknown length as one iteration.
int64_t operationsOf(Operation *op) {
  int64_t times = 1, inside = 0;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    for (int64_t size : generic.getStaticLoopRanges())
      times *= size;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (std::optional<APInt> count = loop.getStaticTripCount())
      times = count->getSExtValue();
  for (Region &region : op->getRegions())
    inside += operationsIn(region);
  return times * inside + (isOperation(op) ? 1 : 0);
}

int64_t operationsIn(Region &body) {
  int64_t count = 0;
  for (Operation &op : body.getOps())
    count += operationsOf(&op);
  return count;
}

int64_t flopsOf(Operation *op, const std::optional<GpuProduct> &product) {
  auto contraction = dyn_cast<tpp::ContractionOpInterface>(op);
  if (!contraction || !product)
    return operationsOf(op);
  return product->batch * product->m * product->n *
         (2 * product->k + operationsIn(contraction.getEpilogue()));
}

Location locationOf(ArrayRef<Operation *> operations) {
  SmallVector<Location> locations{operations.back()->getLoc()};
  for (Operation *op : operations)
    locations.push_back(gatherLocation(op));
  return FusedLoc::get(operations.back()->getContext(), locations);
}

Attribute offerOf(const GpuTileOffer &offer, DecisionLog &log) {
  const GpuTile &tile = offer.tile;
  Details details = log.details().set(
      "tile", {tile.blockM, tile.blockN, tile.blockK, tile.threadM, tile.threadN});
  if (offer.refusal.empty())
    details.set("cycles", offer.cycles.total()).set("limit", offer.cycles.limit());
  else
    details.set("refusal", offer.refusal);
  return details.get();
}

} // namespace

void recordLaunch(const BuiltKernel &kernel, ArrayRef<Operation *> operations, int64_t number,
                  DecisionLog &log) {
  gpu::LaunchFuncOp launch = kernel.launch;
  launch->setLoc(locationOf(operations));
  if (!log.isOn())
    return;
  launch->setLoc(withOpId(launch.getLoc(), number));
  int64_t flops = 0;
  for (Operation *op : operations)
    flops += flopsOf(op, kernel.product);
  Details details = log.details();
  details.set("form", kernel.form)
      .set("flops", flops)
      .set("least", kernel.leastBytes)
      .set("registers", kernel.registers);
  if (kernel.product) {
    const GpuProduct &size = *kernel.product;
    const GpuTile &tile = *kernel.tile;
    SmallVector<Attribute> offers;
    for (const GpuTileOffer &offer : kernel.offers)
      offers.push_back(offerOf(offer, log));
    details.set("product", {size.batch, size.m, size.n, size.k})
        .set("tile", {tile.blockM, tile.blockN, tile.blockK, tile.threadM, tile.threadN})
        .set("offers", ArrayAttr::get(launch.getContext(), offers));
  }
  if (kernel.transposition)
    details.set("tile", {kernel.transposition->read, kernel.transposition->written});
  log.add("launch", launch.getLoc(), details);
}

} // namespace kgen::gpu_kernels
