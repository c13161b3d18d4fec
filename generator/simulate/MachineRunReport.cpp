// The machine's report of accesses, and the one at the end.
#include "simulate/MachineRun.h"

#include <fmt/format.h>

#include <cmath>

namespace kgen {

void MachineRun::access(int site, llvm::ArrayRef<BufferView> inputs,
                        llvm::ArrayRef<BufferView> outputs, bool bringsIn, bool isFill) {
  ElementAccess mine;
  mine.step = step;
  mine.site = static_cast<uint32_t>(site);
  mine.core = static_cast<int32_t>(coreNumber());
  mine.bringsIn = bringsIn;
  mine.isFill = isFill;
  accesses.begin(mine);
  unsigned seen = 0; // an execution has a fault once, however many elements it is about
  auto onHazard = [&](Hazard fault, AccessId other, const BufferView &view, int64_t element) {
    unsigned bit = 1u << static_cast<int>(fault);
    if (!(seen & bit))
      report(fault, site, other, view, element);
    seen |= bit;
  };
  for (const BufferView &view : inputs)
    accesses.read(view, onHazard);
  for (const BufferView &view : outputs)
    accesses.write(view, onHazard);
}

void MachineRun::report(Hazard what, int site, AccessId other, const BufferView &view,
                        int64_t element) {
  static const char *const kinds[] = {"unwritten", "race read", "other core", "race", "unused"};
  const char *kind = kinds[static_cast<int>(what)];
  if (!faults.count(site, kind))
    return;
  std::string place = placeText();
  std::string where = sites.elementText(view.buffer->site, element) +
                      (place.empty() ? "" : "; first in " + place),
              its = other ? sites.text(static_cast<int>(accesses[other].site)) : "";
  switch (what) {
  case Hazard::readsUnwritten:
    return faults.describe(site, kind, "reads what nobody wrote: " + where,
                           "a copy or a fill is missing, or comes too late");
  case Hazard::readsConcurrent:
    return faults.describe(site, kind,
                           fmt::format("reads what another core or block writes at the same time "
                                       "({}): {}",
                                       its, where),
                           "iterations of a parallel loop must not depend on each other");
  case Hazard::readsOtherCore:
    return faults.describe(
        site, kind, fmt::format("reads what another core has in its L1 ({}): {}", its, where),
        "distribute both loops over cores alike, or go through L2");
  case Hazard::writesConcurrent:
    return faults.describe(site, kind,
                           fmt::format("writes what another core or block accesses at the same "
                                       "time ({}): {}",
                                       its, where),
                           "give each iteration of the parallel loop memory of its own");
  case Hazard::overwritesUnused:
    return faults.describe(
        site, kind,
        fmt::format("overwrites what a copy brought ({}) and nobody has read: {}", its, where),
        "prefetching one step ahead needs two buffers that take turns");
  }
}

/// Returns what no order of the steps can do with less, but for a share that vanishes with their
/// number: 2 m n k / sqrt(S) elements of a matrix product go in and out of a memory of S elements
/// (Hong and Kung 1981; the factor by Smith and van de Geijn 2017, Kwasniewski et al. 2019). Where
/// an element of a factor is in up to w windows, it takes part in w times as many products: then it
/// is 2 products / sqrt(w S) (Demmel and Dinh 2018; Zhang et al. 2021). docs/Simulate.md has the
/// steps.
static double leastProductBytes(const BoundedProducts &products, int64_t memoryBytes) {
  double bytes = 0;
  for (auto [kind, count] : products) {
    auto width = static_cast<double>(bytesOf(kind.first));
    double fit = static_cast<double>(memoryBytes) / width;
    bytes +=
        2 * static_cast<double>(count) / std::sqrt(fit * static_cast<double>(kind.second)) * width;
  }
  return bytes;
}

std::vector<LevelBound> MachineRun::boundsOf(const BoundedProducts &products,
                                             int64_t onceBytes) const {
  std::vector<LevelBound> bounds;
  for (int64_t space : {1, 2}) {
    LevelBound bound;
    bound.space = space;
    bound.onceBytes = onceBytes;
    // A block holds what is in its cores' L1, too; a core multiplies what is in its own.
    int64_t fits = space == 1 ? spec.l2.bytes + spec.cores() * spec.l1.bytes : spec.l1.bytes;
    bound.productBytes = leastProductBytes(products, fits);
    bound.moved = movedAcross(counts.traffic, space);
    bounds.push_back(bound);
  }
  return bounds;
}

void MachineRun::finish(SimulationReport &report, bool withTimeline) {
  report.traffic = counts.traffic;
  report.fills = counts.fills;
  report.products = counts.products;
  report.elements = counts.elements;
  report.cycles = engines.run();
  report.productCycles = productCycles / static_cast<double>(spec.cores() * spec.blocks());
  report.faults = faults.size();
  for (const MachineMemory *memory : {&spec.l2, &spec.l1})
    report.memories.push_back({memory->name, peak[memory->space], memory->bytes});
  for (size_t engine = 0; engine < engines.engineCount(); ++engine)
    report.engines.push_back({engines.engineName(static_cast<int>(engine)),
                              engines.busyCycles(static_cast<int>(engine))});
  for (size_t site = 0; site < sites.size(); ++site)
    report.sites.push_back(sites.text(static_cast<int>(site)));
  for (Engines::Order order = 1; withTimeline && order <= engines.orderCount(); ++order)
    report.timeline.push_back(
        {engines.engineOf(order), engines.start(order), engines.end(order), orderSites[order - 1]});
}

double LevelBound::bound() const { return std::max(productBytes, static_cast<double>(onceBytes)); }

} // namespace kgen
