// Writers and readers of each element: races between iterations of parallel loops, reads of what
// nobody wrote, copies that overwrite what was not used yet.
#pragma once

#include "simulate/Memory.h"

#include <functional>
#include <vector>

namespace kgen {

/// Iterations of parallel loops as a tree: two are concurrent if the loop is one whose iterations
/// part the ways to them.
class StepTree {
public:
  StepTree() : steps{{0, 0, 0}} {}

  uint32_t newLoop() { return ++loops; }
  /// An iteration of `loop` within the iteration `parent`; 0 is the function itself.
  uint32_t newStep(uint32_t parent, uint32_t loop);
  bool areConcurrent(uint32_t a, uint32_t b) const;

private:
  struct Step {
    uint32_t parent, loop;
    int depth;
  };
  std::vector<Step> steps;
  uint32_t loops = 0;
};

enum class Hazard {
  readsUnwritten,   ///< nobody wrote the element
  readsConcurrent,  ///< a concurrent step wrote it
  readsOtherCore,   ///< it is in L1, and another core wrote it
  writesConcurrent, ///< a concurrent step read or wrote it
  overwritesUnused ///< a copy or a fill has now overwritten all that a copy brought and nobody read
};

/// An execution of an operation.
struct ElementAccess {
  uint32_t step = 0;
  uint32_t site = 0;     ///< number of the operation
  int32_t core = -1;     ///< -1: none
  bool bringsIn = false; ///< a transfer from an outer memory into L2 or L1
  bool isFill = false;
  bool wasRead = false; ///< anything of what it wrote
  int64_t left = 0;     ///< elements that it wrote and nobody overwrote; counted for `bringsIn`
};

class AccessLog {
public:
  /// Takes faults: what, the execution on the other side (0: none), index of the element.
  using OnHazard = std::function<void(Hazard, AccessId, const BufferView &, int64_t)>;

  AccessLog() : accesses(1) {}

  /// The execution that the following calls are about.
  AccessId begin(const ElementAccess &access);
  const ElementAccess &operator[](AccessId id) const { return accesses[id]; }
  void read(const BufferView &view, const OnHazard &onHazard);
  void write(const BufferView &view, const OnHazard &onHazard);

  StepTree steps;

private:
  void checkWriter(AccessId writer, const BufferView &view, int64_t element,
                   const OnHazard &onHazard);
  void checkOverwritten(AccessId writer, const BufferView &view, int64_t count,
                        const OnHazard &onHazard);
  bool isConcurrent(AccessId other) const;

  std::vector<ElementAccess> accesses;
};

} // namespace kgen
