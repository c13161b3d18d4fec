// The CPU that kgen runs on: for `kgen bench`, `kgen tune` and `kgen verify` only. Portable code
// where an architecture has none of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

/// An arithmetic instruction, and a loop that does nothing else.
struct PeakInstruction {
  std::string_view name;                  ///< "vfmaddps zmm"
  std::vector<std::string_view> features; ///< that the CPU needs, as a target requires them
  /// Its form in machine code: mnemonics begin and end like this (vfmadd213ps, vfmadd231ps), and
  /// the widest operand has that many bits; 0 for tiles.
  std::string_view begin, end;
  unsigned bits;
  std::vector<std::string_view> types; ///< elements of a graph whose contractions can use it
  double operations;                   ///< of one run of the loop; a multiply-add counts twice
  void (*run)();                       ///< takes a few tens of microseconds
};

class HostCpu {
public:
  virtual ~HostCpu() = default;

  /// "Intel(R) Xeon(R) ...", as the CPU says; "unknown" if it does not.
  virtual std::string name() const { return "unknown"; }

  /// The features of a list that this process cannot use. Asks the system for what a process does
  /// not have by itself.
  virtual std::vector<std::string> missing(const std::vector<std::string> &features) const {
    return features;
  }

  /// Removes the lines of some bytes from all caches.
  virtual void flushFromCaches(const void *bytes, size_t count) const {}

  /// out[i] = x[i] + factor * y[i], with the widest vectors of the CPU: narrow ones would limit
  /// what comes from a cache.
  virtual void triad(float *__restrict out, const float *x, const float *y, float factor,
                     size_t count) const {
    for (size_t i = 0; i < count; ++i)
      out[i] = x[i] + factor * y[i];
  }

  /// Reads all of `x`, with the widest vectors of the CPU, and returns a number that depends on
  /// each of them.
  virtual uint64_t read(const float *x, size_t count) const {
    uint64_t all = 0;
    for (size_t i = 0; i < count; ++i) {
      uint32_t word;
      std::memcpy(&word, x + i, sizeof word);
      all ^= word;
    }
    return all;
  }

  /// Of those that a code contains, the last one that fits a type is what its contractions use: dot
  /// products come after multiply-adds, which other parts of the code use, too.
  virtual const std::vector<PeakInstruction> &peakInstructions() const {
    static const std::vector<PeakInstruction> none;
    return none;
  }
};

/// That of the architecture that kgen runs on.
const HostCpu &hostCpu();

} // namespace kgen
