// A kind of graphics cards as a plain struct. A target file describes one if it has `kind: gpu`.
#pragma once

#include "support/Diagnostics.h"
#include "target/Gpu.h"

#include <optional>
#include <string>
#include <vector>

namespace kgen {

enum class GpuLanguage { spirv, ptx };

struct GpuSpec {
  std::string path; ///< file, or "<built-in>/vulkan.yaml"
  Located<std::string> name;
  GpuLanguage language = GpuLanguage::spirv; ///< `api`: vulkan, cuda
  GpuFacts facts;

  bool isBuiltIn() const { return !path.empty() && path.front() == '<'; }
};

/// Parses the text of a target file; `path` is used in messages only.
std::optional<GpuSpec> parseGpuText(const std::string &text, const std::string &path,
                                    Diagnostics &diagnostics);

/// Looks one up as findTarget() does a target. Reports an unknown name, and a name that is no
/// graphics card's.
std::optional<GpuSpec> findGpu(const Located<std::string> &name, const std::string &specPath,
                               const std::vector<std::string> &searchPath,
                               Diagnostics &diagnostics);

/// Names of those built into kgen, in alphabetical order.
std::vector<std::string> builtInGpus();

} // namespace kgen
