// Variants of kgen's, and how peers are limited to the same instructions and threads.
#pragma once

#include "support/TensorType.h"

#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// One variant of kgen's and how the peers are limited to the same instruction set. Most of them
/// read the environment when they are loaded, so the values are set before the process starts.
struct Platform {
  const char *variant;
  std::string oneDnnIsa;    ///< ONEDNN_MAX_CPU_ISA
  const char *openBlasCore; ///< OPENBLAS_CORETYPE: Debian's does not know newer CPUs
  const char *xsmmTarget;   ///< LIBXSMM_TARGET: Debian's does not know AMX
  /// Instructions whose rate is the peak of products of that type, or the faster one of several.
  std::vector<std::string_view> f32Peak, bf16Peak, bytePeak;

  const std::vector<std::string_view> &peakOf(kgen::ElementType type) const {
    return type == kgen::ElementType::f32    ? f32Peak
           : type == kgen::ElementType::bf16 ? bf16Peak
                                             : bytePeak;
  }
};

/// Null: there is no such variant.
const Platform *findPlatform(const std::string &variant);

/// The peers' libraries read the environment when they are loaded, so the process starts again with
/// the right one, unless it has it.
void limitPeers(const Platform &platform, unsigned threads, char **arguments);

/// The value of an option `--name=value`, or null.
const char *valueOf(const std::string &argument, const std::string &option);

} // namespace bench
