// The CPU that kgen runs on, which is an x86-64 one: kgen is compiled for no other.
#include "backend/x86/CpuFeatures.h"
#include "backend/x86/X86.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include <cpuid.h>
#include <emmintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace kgen::x86 {
namespace {

/// Asks the kernel for the tile registers of AMX, which a process does not have by itself. Whether
/// it may use them.
bool requestTileRegisters() {
  constexpr long requestPermission = 0x1023,
                 tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

// Vectors by name: a build that does not optimize much would measure scalar loops. Those of 64
// bytes are two or four registers where the CPU has narrower ones.
using Floats = float __attribute__((vector_size(64)));
using Words = uint64_t __attribute__((vector_size(64)));
constexpr size_t inVector = sizeof(Floats) / sizeof(float);

__attribute__((target_clones("avx512f", "avx2", "default"))) void
triadLoop(float *__restrict out, const float *x, const float *y, float factor, size_t count) {
  size_t i = 0;
  for (; i + inVector <= count; i += inVector) {
    Floats a, b;
    std::memcpy(&a, x + i, sizeof a);
    std::memcpy(&b, y + i, sizeof b);
    a += factor * b;
    std::memcpy(out + i, &a, sizeof a);
  }
  for (; i < count; ++i)
    out[i] = x[i] + factor * y[i];
}

/// Four sums, so that none waits for another.
__attribute__((target_clones("avx512f", "avx2", "default"))) uint64_t readLoop(const float *x,
                                                                               size_t count) {
  Words a{}, b{}, c{}, d{}, word;
  size_t i = 0;
  auto add = [&](Words & sum, size_t vector) __attribute__((always_inline)) {
    std::memcpy(&word, x + i + vector * inVector, sizeof word);
    sum ^= word;
  };
  for (; i + 4 * inVector <= count; i += 4 * inVector) {
    add(a, 0);
    add(b, 1);
    add(c, 2);
    add(d, 3);
  }
  a ^= b ^ c ^ d;
  uint64_t all = a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];
  for (; i < count; ++i) {
    uint32_t last;
    std::memcpy(&last, x + i, sizeof last);
    all ^= last;
  }
  return all;
}

class X86Host : public HostCpu {
public:
  std::string name() const override {
    char name[49] = "";
    for (unsigned part = 0; part < 3; ++part) {
      unsigned r[4];
      if (!__get_cpuid(0x80000002 + part, &r[0], &r[1], &r[2], &r[3]))
        return "unknown";
      std::memcpy(name + 16 * part, r, sizeof r);
    }
    std::string text = name;
    size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    return first == std::string::npos ? "unknown" : text.substr(first, last - first + 1);
  }

  std::vector<std::string> missing(const std::vector<std::string> &features) const override {
    static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> missing;
    for (const std::string &feature : features) {
      const CpuFeature *known = findCpuFeature(feature);
      bool isOffered = host.lookup(feature) || (known && known->baseline);
      if (!isOffered || (feature == "amx-tile" && !requestTileRegisters()))
        missing.push_back(feature);
    }
    return missing;
  }

  /// Of all cores. That needs no guess about the size of a cache that other programs or virtual
  /// machines share.
  void flushFromCaches(const void *bytes, size_t count) const override {
    constexpr size_t lineBytes = 64; // of every x86-64 CPU
    auto begin = reinterpret_cast<uintptr_t>(bytes);
    for (uintptr_t line = begin / lineBytes * lineBytes; line < begin + count; line += lineBytes)
      _mm_clflush(reinterpret_cast<const void *>(line));
    _mm_mfence();
  }

  void triad(float *__restrict out, const float *x, const float *y, float factor,
             size_t count) const override {
    triadLoop(out, x, y, factor, count);
  }

  uint64_t read(const float *x, size_t count) const override { return readLoop(x, count); }

  const std::vector<PeakInstruction> &peakInstructions() const override {
    return x86::peakInstructions();
  }
};

} // namespace

const HostCpu &host() {
  static const X86Host cpu;
  return cpu;
}

} // namespace kgen::x86
