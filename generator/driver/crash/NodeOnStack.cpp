#include "driver/crash/NodeOnStack.h"

#include "driver/crash/PassTrace.h"

#include <algorithm>
#include <cstdint>

using namespace mlir;

namespace kgen {
namespace {

/// 128 KiB of the stack nearest to the crash: frames of passes have some hundred bytes.
constexpr size_t maxWords = 16384;

struct Word {
  uintptr_t value;
  uint32_t distance;
};

Word words[maxWords];
size_t numWords = 0;

/// Words that occur several times count at the nearest place.
void readStack(const void *from, const void *end) {
  auto *word =
      reinterpret_cast<const uintptr_t *>(reinterpret_cast<uintptr_t>(from) & ~uintptr_t(7));
  for (; word < end && numWords < maxWords; ++word)
    words[numWords] = {*word, static_cast<uint32_t>(numWords)}, ++numWords;
  std::sort(words, words + numWords, [](const Word &a, const Word &b) {
    return a.value != b.value ? a.value < b.value : a.distance < b.distance;
  });
}

uint32_t distanceOf(const void *address) {
  auto value = reinterpret_cast<uintptr_t>(address);
  const Word *found = std::lower_bound(words, words + numWords, value,
                                       [](const Word &a, uintptr_t b) { return a.value < b; });
  return found != words + numWords && found->value == value ? found->distance : maxWords;
}

class Search {
public:
  explicit Search(const Graph *graph) : graph(graph) {}

  void look(Operation *op) {
    uint32_t distance = distanceOf(op);
    for (OpResult result : op->getResults())
      distance = std::min(distance, distanceOf(result.getAsOpaquePointer()));
    if (distance < nearest)
      if (StringRef name = firstNameIn(op->getLoc()); isNode(name)) {
        nearest = distance;
        node = name;
      }
    lookInside(op);
  }
  void lookInside(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          look(&inner);
  }

  StringRef node;

private:
  bool isNode(StringRef name) const {
    return !name.empty() && (!graph || std::any_of(graph->nodes.begin(), graph->nodes.end(),
                                                   [&](const Node &n) { return n.name == name; }));
  }

  const Graph *graph;
  uint32_t nearest = maxWords;
};

} // namespace

StringRef nodeOnStack(Operation *root, const Graph *graph, const void *stackPointer,
                      const void *stackEnd) {
  if (!stackEnd || stackPointer >= stackEnd)
    return "";
  readStack(stackPointer, stackEnd);
  Search search(graph);
  search.lookInside(root);
  return search.node;
}

} // namespace kgen
