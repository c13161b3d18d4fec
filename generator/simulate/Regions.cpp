// See Regions.h.
#include "simulate/Regions.h"

#include "simulate/Memory.h"

#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/STLExtras.h>

namespace kgen {

size_t Regions::Hash::operator()(const std::vector<int64_t> &key) const {
  return llvm::hash_combine_range(key.begin(), key.end());
}

Regions::Region Regions::add(Region parent, int64_t elements, int64_t first) {
  Entry entry;
  entry.parent = parent;
  entry.elements = elements;
  entry.first = first;
  auto region = static_cast<Region>(list.size());
  if (parent != none) {
    entry.childBefore = list[parent].lastChild;
    list[parent].lastChild = region;
  }
  list.push_back(entry);
  return region;
}

/// Buffers of an operation may have different sizes; what none had before is a region of its own.
void Regions::cover(int64_t elements) {
  auto known = static_cast<int64_t>(ofElement.size());
  if (elements <= known)
    return;
  Region region = add(none, elements - known, known);
  ofElement.resize(static_cast<size_t>(elements), region);
}

/// Moves an element from a region to one that is split from it.
void Regions::take(int64_t element, Region from, Region to) {
  ofElement[element] = to;
  list[to].first = std::min(list[to].first, element);
  ++list[to].elements;
  --list[from].elements;
}

void Regions::sort(std::vector<Region> &regions) const {
  llvm::sort(regions, [&](Region a, Region b) { return list[a].first < list[b].first; });
}

/// Adds what was split from the regions since they were listed: all of it is in the view, too.
void Regions::update(Known &known) const {
  for (size_t i = 0; i < known.regions.size(); ++i)
    for (Region child = list[known.regions[i]].lastChild; child != none && child >= known.count;
         child = list[child].childBefore)
      known.regions.push_back(child);
  known.count = list.size();
  sort(known.regions);
}

/// True if two positions in the view may be one element. Subviews have none such.
static bool mayRepeat(const BufferView &merged) {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 6> dims; // stride, size
  for (auto [size, stride] : llvm::zip_equal(merged.sizes, merged.strides))
    dims.push_back({std::abs(stride), size});
  llvm::sort(dims);
  int64_t reach = 0;
  for (auto [stride, size] : dims) {
    if (size > 1 && stride <= reach)
      return true;
    reach += (size - 1) * stride;
  }
  return false;
}

/// Calls `each(element)` once for each element of the view.
template <typename F> static void forEachElement(const BufferView &merged, F each) {
  std::vector<int64_t> elements;
  bool repeats = mayRepeat(merged);
  forEachRow(merged, [&](int64_t first, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; ++i)
      if (repeats)
        elements.push_back(first + i * stride);
      else
        each(first + i * stride);
  });
  llvm::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  for (int64_t element : elements)
    each(element);
}

/// Splits the regions that a view covers in part.
std::vector<Regions::Region> Regions::divide(const BufferView &merged) {
  std::vector<Region> regions;
  touched.resize(list.size(), 0);
  parts.resize(list.size(), none);
  forEachElement(merged, [&](int64_t element) {
    Region region = ofElement[element];
    if (touched[region]++ == 0)
      regions.push_back(region);
  });
  bool isWhole = true;
  std::vector<Region> split; // of `regions`, those that are
  for (Region &region : regions) {
    bool isPart = touched[region] < list[region].elements;
    touched[region] = 0;
    if (!isPart)
      continue;
    isWhole = false;
    split.push_back(region);
    parts[region] = add(region, 0, std::numeric_limits<int64_t>::max());
    region = parts[region];
  }
  if (isWhole)
    return regions;
  forEachElement(merged, [&](int64_t element) {
    Region region = ofElement[element];
    if (Region part = parts[region]; part != none)
      take(element, region, part);
  });
  for (Region region : split) {
    parts[region] = none;
    while (ofElement[list[region].first] != region)
      ++list[region].first;
  }
  return regions;
}

llvm::ArrayRef<Regions::Region> Regions::regionsOf(const BufferView &view) {
  if (view.elements() == 0)
    return {};
  cover(view.buffer->elements);
  BufferView merged = mergedView(view);
  if (merged.sizes.size() == 1 && merged.sizes[0] == 1) {
    Region region = ofElement[merged.offset];
    if (list[region].elements > 1)
      region = divide(merged).front();
    one.assign(1, region);
    return one;
  }
  key.assign(1, merged.offset);
  key.insert(key.end(), merged.sizes.begin(), merged.sizes.end());
  key.insert(key.end(), merged.strides.begin(), merged.strides.end());
  auto found = views.find(key);
  if (found == views.end()) {
    found = views.insert({key, {divide(merged), 0}}).first;
    found->second.count = list.size();
    sort(found->second.regions);
  } else if (found->second.count < list.size()) {
    update(found->second);
  }
  return found->second.regions;
}

} // namespace kgen
