// Parts of a buffer that all accesses so far treat alike.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kgen {

struct BufferView;

/// The elements of a buffer, divided into as few parts as tell all views apart that were looked at:
/// a view consists of whole regions, whatever its sizes and strides. A region that a new view
/// covers in part is split. Programs have few different views, so that an access is about a few
/// regions and not about each element. Buffers of one operation have one division.
class Regions {
public:
  /// Numbered in the order in which they are made.
  using Region = uint32_t;
  static constexpr Region none = ~Region(0);

  /// The regions of a view by their first elements. Valid until the next call.
  llvm::ArrayRef<Region> regionsOf(const BufferView &view);
  size_t count() const { return list.size(); }
  /// The region that it was split from, of a lower number; none: its elements are new.
  Region parent(Region region) const { return list[region].parent; }
  int64_t elements(Region region) const { return list[region].elements; }
  int64_t first(Region region) const { return list[region].first; } ///< the lowest element

private:
  struct Entry {
    Region parent = none, lastChild = none, childBefore = none; ///< of the same parent
    int64_t elements = 0, first = 0;
  };
  struct Known {
    std::vector<Region> regions;
    size_t count; ///< of all regions when these were listed
  };
  struct Hash {
    size_t operator()(const std::vector<int64_t> &key) const;
  };

  void cover(int64_t elements);
  Region add(Region parent, int64_t elements, int64_t first);
  void take(int64_t element, Region from, Region to);
  void update(Known &known) const;
  void sort(std::vector<Region> &regions) const;
  std::vector<Region> divide(const BufferView &merged);

  std::vector<Region> ofElement;
  std::vector<Entry> list;
  std::unordered_map<std::vector<int64_t>, Known, Hash> views; ///< by offset, sizes and strides
  std::vector<int64_t> key, touched;                           ///< `touched`: elements by region
  std::vector<Region> one, parts;                              ///< `parts`: by region
};

/// Gives regions that are new what is known of those that they were split from.
template <typename State> void followRegions(std::vector<State> &states, const Regions &regions) {
  while (states.size() < regions.count()) {
    Regions::Region parent = regions.parent(static_cast<Regions::Region>(states.size()));
    State state = parent == Regions::none ? State() : states[parent];
    states.push_back(std::move(state));
  }
}

} // namespace kgen
