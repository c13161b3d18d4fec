// The examples in specs/README.md are complete files: they must parse, and every key of the
// language must be described.
#include "ingress/yaml/BuildGraph.h"
#include "spec/MachineSpec.h"
#include "target/GpuSpec.h"
#include "target/TargetSpec.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

using namespace kgen;

namespace {

const char *const readme = KGEN_SOURCE_DIR "/specs/README.md";

std::string contents() {
  std::ifstream file(readme, std::ios::binary);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The fenced blocks of YAML; each begins on the line where it would be in an editor, for messages.
std::vector<std::string> yamlBlocks() {
  std::vector<std::string> blocks;
  std::istringstream text(contents());
  bool inside = false;
  std::string above;
  for (std::string line; std::getline(text, line);) {
    if (line == "```yaml") {
      inside = true;
      blocks.push_back(above + "\n");
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
    above += "\n";
  }
  return blocks;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("every complete example of the documentation parses") {
  size_t libraries = 0, targets = 0, machines = 0, gpus = 0;
  for (const std::string &block : yamlBlocks()) {
    Diagnostics diagnostics;
    if (contains(block, "\nlibrary:")) {
      ++libraries;
      parseLibraryText(block, readme, diagnostics);
    } else if (contains(block, "\nname:") && contains(block, "\ntriple:")) {
      ++targets;
      parseTargetText(block, readme, diagnostics);
    } else if (contains(block, "\nkind: gpu")) {
      ++gpus;
      parseGpuText(block, readme, diagnostics);
    } else if (contains(block, "\nmachine:")) {
      ++machines;
      parseMachineText(block, readme, diagnostics);
    } else {
      FAIL("neither a library nor a target nor a machine: " << block);
    }
    INFO(diagnostics.str());
    CHECK(!diagnostics.hasErrors());
  }
  CHECK(libraries >= 3);
  CHECK(targets >= 2);
  CHECK(machines >= 1);
  CHECK(gpus >= 1);
}

TEST_CASE("every key is documented") {
  std::string text = contents();
  for (std::string key : {"library",    "targets",    "graphs",
                          "name",       "inputs",     "weights",
                          "nodes",      "outputs",    "type",
                          "file",       "tensor",     "value",
                          "random",     "seed",       "op",
                          "attributes", "triple",     "rank",
                          "requires",   "tune",       "vectors",
                          "bits",       "registers",  "caches",
                          "l1d",        "l2",         "reciprocal_throughput",
                          "gemm_tiles", "gemm_f32",   "gemm_f64",
                          "mr",         "nr",         "mc",
                          "kc",         "only_on",    "provider",
                          "vendor",     "families",   "models",
                          "dims",       "parameters", "numerics",
                          "layout",     "domain",     "compute",
                          "modules",    "include",    "with",
                          "module",     "repeat",     "onnx",
                          "values",     "cores",      "heuristics"}) {
    INFO(key);
    CHECK(contains(text, "`" + key + "`"));
  }
}

TEST_CASE("every element type is documented") {
  std::string text = contents();
  for (ElementType type : allElementTypes())
    CHECK(contains(text, "| `" + std::string(toString(type)) + "` |"));
}

TEST_CASE("what the documentation calls an error is one") {
  // Blocks marked "```yaml bad" are fragments of a file that must fail.
  std::istringstream text(contents());
  std::string block;
  bool inside = false;
  size_t count = 0;
  for (std::string line; std::getline(text, line);) {
    if (line == "```yaml bad") {
      inside = true;
      block.clear();
    } else if (line == "```" && inside) {
      inside = false;
      ++count;
      Diagnostics diagnostics;
      INFO(block);
      CHECK(!parseLibraryText(block, readme, diagnostics));
    } else if (inside) {
      block += line + "\n";
    }
  }
  CHECK(count >= 1);
}
