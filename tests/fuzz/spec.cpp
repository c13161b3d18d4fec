// A library file from hostile bytes. What is taken is read again as far as it is printed, and its
// small weights are loaded.
#include "spec/Spec.h"
#include "spec/DimText.h"
#include "spec/ScheduleText.h"
#include "spec/Weights.h"
#include "target/TargetSpec.h"

#include <cstdlib>

/// Of files of tests: weights that a spec names are found there.
static const std::string path = KGEN_SOURCE_DIR "/tests/errors/fuzz.yaml";

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void requireTexts(const kgen::Diagnostics &diagnostics) {
  for (const kgen::Diagnostic &one : diagnostics.errors())
    require(!one.message.empty() && !one.where.file.empty());
}

static void readSizesAgain(const kgen::GraphSpec &graph) {
  for (const auto &dim : graph.dims) {
    std::string problem, text = std::to_string(dim->min) + ".." + std::to_string(dim->max) + "/" +
                                std::to_string(dim->multiple);
    auto size = kgen::parseDimText(dim->name, text, problem);
    require(size && size->bounds().min == dim->min && size->bounds().max == dim->max);
  }
}

static void loadWeights(const kgen::GraphSpec &graph) {
  constexpr int64_t maxBytes = 1 << 16;
  kgen::WeightLoader loader;
  for (const kgen::WeightSpec &weight : graph.weights) {
    const kgen::TensorType &type = weight.type.value;
    const auto *written = std::get_if<kgen::WeightFromValue>(&weight.source);
    const bool isSizes = written && !written->sizes.empty();
    if (isSizes || !type.isStatic() || type.byteCount() > maxBytes)
      continue;
    kgen::Diagnostics diagnostics;
    kgen::WeightData data = loader.load(weight, diagnostics);
    require((data != nullptr) != diagnostics.hasErrors());
    requireTexts(diagnostics);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  kgen::Diagnostics diagnostics;
  std::string text(reinterpret_cast<const char *>(data), size);
  auto library = kgen::parseLibraryText(text, path, diagnostics);
  require(library.has_value() != diagnostics.hasErrors());
  requireTexts(diagnostics);
  if (!library)
    return 0;
  for (const kgen::GraphSpec &graph : library->graphs) {
    readSizesAgain(graph);
    loadWeights(graph);
  }
  for (const kgen::ScheduleSpec &schedule : library->schedules)
    require(!kgen::scheduleText(schedule).empty());
  kgen::Diagnostics ofTargets;
  for (const auto &name : library->targets)
    require(kgen::findTarget(name, path, {}, ofTargets) || ofTargets.hasErrors());
  requireTexts(ofTargets);
  return 0;
}
