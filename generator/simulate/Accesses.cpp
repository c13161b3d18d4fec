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
                            const OnFault &onFault) {
  if (writer == 0 && view.buffer->isGiven)
    return;
  if (writer == 0)
    return onFault(AccessFault::readsUnwritten, 0, view, element);
  accesses[writer].wasRead = true;
  const ElementAccess &mine = accesses.back();
  if (isConcurrent(writer))
    onFault(AccessFault::readsConcurrent, writer, view, element);
  else if (view.buffer->space == 2 && mine.core >= 0 && accesses[writer].core >= 0 &&
           accesses[writer].core != mine.core)
    onFault(AccessFault::readsOtherCore, writer, view, element);
}

void AccessLog::read(const BufferView &view, const OnFault &onFault) {
  MachineBuffer &buffer = *view.buffer;
  if (!buffer.isWritten)
    return;
  AccessId mine = static_cast<AccessId>(accesses.size()) - 1;
  // Only what iterations share can be written by one while another one reads it.
  bool isShared = buffer.step != accesses.back().step;
  if (isShared && buffer.readers.empty()) {
    buffer.readers.resize(buffer.elements);
    buffer.otherReaders.resize(buffer.elements);
  }
  AccessId last = ~AccessId(0);
  forEachRow(view, [&](int64_t first, int64_t count, int64_t stride) {
    int64_t end = first + count * stride;
    for (int64_t i = first; i != end; i += stride)
      if (buffer.writers[i] != last) {
        last = buffer.writers[i];
        checkWriter(last, view, i, onFault);
      }
    for (int64_t i = first; isShared && i != end; i += stride)
      if (buffer.readers[i] == 0 || accesses[buffer.readers[i]].step != accesses.back().step) {
        buffer.otherReaders[i] = buffer.readers[i];
        buffer.readers[i] = mine;
      }
  });
}

void AccessLog::checkOverwritten(AccessId writer, const BufferView &view, int64_t count,
                                 const OnFault &onFault) {
  ElementAccess &before = accesses[writer];
  if (count == 0 || &before == &accesses.back() || !before.bringsIn || before.wasRead)
    return;
  before.left -= count;
  if (before.left == 0 && (accesses.back().bringsIn || accesses.back().isFill))
    onFault(AccessFault::overwritesUnused, writer, view, view.offset);
}

void AccessLog::write(const BufferView &view, const OnFault &onFault) {
  MachineBuffer &buffer = *view.buffer;
  if (!buffer.isWritten) { // by way of a branch that passes views on
    buffer.isWritten = buffer.isGiven = true;
    buffer.writers.resize(buffer.elements);
  }
  AccessId mine = static_cast<AccessId>(accesses.size()) - 1, lastReader = mine, last = mine;
  auto checkConcurrent = [&](AccessId other, int64_t element) {
    if (other != 0 && isConcurrent(other))
      onFault(AccessFault::writesConcurrent, other, view, element);
  };
  bool hasReaders = !buffer.readers.empty();
  forEachRow(view, [&](int64_t first, int64_t count, int64_t stride) {
    int64_t end = first + count * stride, overwritten = 0;
    for (int64_t i = first; i != end; i += stride) {
      if (AccessId writer = buffer.writers[i]; writer != last) {
        checkOverwritten(last, view, overwritten, onFault);
        overwritten = 0;
        last = writer;
        checkConcurrent(writer, i);
      }
      ++overwritten;
      buffer.writers[i] = mine;
    }
    checkOverwritten(last, view, overwritten, onFault);
    for (int64_t i = first; hasReaders && i != end; i += stride)
      for (AccessId reader : {buffer.readers[i], buffer.otherReaders[i]})
        if (reader != lastReader) {
          lastReader = reader;
          checkConcurrent(reader, i);
        }
  });
  accesses.back().left += view.elements();
}

} // namespace kgen
