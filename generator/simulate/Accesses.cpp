// See Accesses.h.
#include "simulate/Accesses.h"

namespace kgen {

uint32_t StepTree::newStep(uint32_t parent, uint32_t loop) {
  steps.push_back({parent, loop, steps[parent].depth + 1});
  return static_cast<uint32_t>(steps.size()) - 1;
}

bool StepTree::areConcurrent(uint32_t a, uint32_t b) const {
  while (steps[a].depth > steps[b].depth)
    a = steps[a].parent;
  while (steps[b].depth > steps[a].depth)
    b = steps[b].parent;
  if (a == b)
    return false;
  while (steps[a].parent != steps[b].parent) {
    a = steps[a].parent;
    b = steps[b].parent;
  }
  return steps[a].loop == steps[b].loop;
}

AccessId AccessLog::begin(const ElementAccess &access) {
  accesses.push_back(access);
  return static_cast<AccessId>(accesses.size()) - 1;
}

bool AccessLog::isConcurrent(AccessId other) const {
  uint32_t step = accesses[other].step, mine = accesses.back().step;
  return step != mine && steps.areConcurrent(step, mine);
}

void AccessLog::checkWriter(AccessId writer, const BufferView &view, int64_t element,
                            const OnHazard &onHazard) {
  if (writer == 0 && view.buffer->isGiven)
    return;
  if (writer == 0)
    return onHazard(Hazard::readsUnwritten, 0, view, element);
  accesses[writer].wasRead = true;
  const ElementAccess &mine = accesses.back();
  if (isConcurrent(writer))
    onHazard(Hazard::readsConcurrent, writer, view, element);
  else if (view.buffer->space == 2 && mine.core >= 0 && accesses[writer].core >= 0 &&
           accesses[writer].core != mine.core)
    onHazard(Hazard::readsOtherCore, writer, view, element);
}

void AccessLog::read(const BufferView &view, const OnHazard &onHazard) {
  MachineBuffer &buffer = *view.buffer;
  if (!buffer.isWritten)
    return;
  llvm::ArrayRef<Regions::Region> regions = buffer.regions->regionsOf(view);
  followRegions(buffer.accesses, *buffer.regions);
  uint32_t step = accesses.back().step;
  // Only what iterations share can be written by one while another one reads it.
  bool isShared = buffer.step != step;
  AccessId mine = static_cast<AccessId>(accesses.size()) - 1, last = ~AccessId(0);
  for (Regions::Region region : regions) {
    auto &[writer, readers] = buffer.accesses[region];
    if (writer != last)
      checkWriter(last = writer, view, buffer.regions->first(region), onHazard);
    if (isShared && (readers.empty() || accesses[readers.back()].step != step))
      readers.push_back(mine);
  }
}

void AccessLog::checkOverwritten(AccessId writer, const BufferView &view, int64_t count,
                                 const OnHazard &onHazard) {
  ElementAccess &before = accesses[writer];
  if (&before == &accesses.back() || !before.bringsIn || before.wasRead)
    return;
  before.left -= count;
  if (before.left == 0 && (accesses.back().bringsIn || accesses.back().isFill))
    onHazard(Hazard::overwritesUnused, writer, view, view.offset);
}

void AccessLog::write(const BufferView &view, const OnHazard &onHazard) {
  MachineBuffer &buffer = *view.buffer;
  if (!buffer.isWritten) // by way of a branch that passes views on
    buffer.isWritten = buffer.isGiven = true;
  llvm::ArrayRef<Regions::Region> regions = buffer.regions->regionsOf(view);
  followRegions(buffer.accesses, *buffer.regions);
  AccessId mine = static_cast<AccessId>(accesses.size()) - 1, last = mine;
  auto checkConcurrent = [&](AccessId other, int64_t element) {
    if (other != last && other != 0 && isConcurrent(other))
      onHazard(Hazard::writesConcurrent, other, view, element);
    last = other;
  };
  for (Regions::Region region : regions) {
    auto &[writer, readers] = buffer.accesses[region];
    int64_t first = buffer.regions->first(region), count = buffer.regions->elements(region);
    checkOverwritten(writer, view, count, onHazard);
    checkConcurrent(writer, first);
    for (AccessId reader : readers)
      checkConcurrent(reader, first);
    writer = mine;
    readers.clear();
    accesses.back().left += count;
  }
}

} // namespace kgen
