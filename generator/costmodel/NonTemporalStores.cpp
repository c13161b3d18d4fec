#include "costmodel/NonTemporalStores.h"

#include "costmodel/Caches.h"

#include <algorithm>

namespace kgen {

int64_t StoredVector::alignment() const { return std::min(startAlignment, bytes & -bytes); }

/// True if a result may end with the vector although nothing stores it non-temporally.
static bool isTail(const Cpu &cpu, const StoredVector &vector) {
  bool isAlone = vector.startAlignment == cpu.lineBytes ||
                 (vector.startAlignment >= cpu.minNonTemporalBytes && !vector.isInLoop);
  return isAlone && vector.bytes < cpu.lineBytes && vector.alignment() < cpu.minNonTemporalBytes;
}

StoreForm storeFormOf(const Cpu &cpu, const StoredVector &vector) {
  if (isTail(cpu, vector))
    return StoreForm::tail;
  if (vector.alignment() < cpu.minNonTemporalBytes)
    return StoreForm::unsuitable;
  if (vector.bytes % cpu.lineBytes == 0 && vector.alignment() == cpu.lineBytes)
    return StoreForm::fullLines;
  // LLVM truncates parts of a vector to elements narrower than 32 bits with storing instructions
  // that have no non-temporal form, and a line that is written in both ways takes microseconds.
  if (vector.elementBytes < 4)
    return StoreForm::unsuitable;
  if (vector.runBytes >= cpu.heuristics.minStoreRunBytes)
    return StoreForm::partOfRun;
  return vector.isAtConstantColumn ? StoreForm::partOfLine : StoreForm::unsuitable;
}

bool isNonTemporalProfitable(const Cpu &cpu, SizeInterval bytes, StoreOrder order) {
  return order == StoreOrder::alongRows
             ? exceedsLastLevel(cpu, bytes)
             : bytes.min > cpu.heuristics.minNonTemporalPerL2 * capacity(cpu, Cache::l2);
}

} // namespace kgen
