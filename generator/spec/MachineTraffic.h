// Traffic between the memories of a machine, as plain numbers.
#pragma once

#include <array>
#include <cstdint>

namespace kgen {

struct Moved {
  int64_t bytes = 0, transfers = 0;

  Moved &operator+=(const Moved &other) {
    bytes += other.bytes;
    transfers += other.transfers;
    return *this;
  }
};

/// [from][to], by memory space.
using MachineTraffic = std::array<std::array<Moved, 3>, 3>;

/// Returns what crosses the border between a memory, with those within it, and what is outside, in
/// both directions. `Table` is as MachineTraffic.
template <typename Table> Moved movedAcross(const Table &traffic, int64_t space) {
  Moved sum;
  for (int64_t outer = 0; outer < space; ++outer)
    for (int64_t inner = space; inner < 3; ++inner)
      for (const auto &one : {traffic[outer][inner], traffic[inner][outer]})
        sum += {one.bytes, one.transfers};
  return sum;
}

} // namespace kgen
