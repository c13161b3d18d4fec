// Dumps of stages can be searched for a node: no aliases of locations are left.
#include "driver/compile/StageDump.h"
#include "driver/generate/Generate.h"

#include <catch2/catch.hpp>

#include <map>

using namespace kgen;

namespace {

TEST_CASE("aliases of locations are replaced, in other locations too") {
  CHECK(withInlineLocations("#loc = loc(unknown)\n"
                            "module {\n"
                            "  a loc(#loc3)\n"
                            "  b(%x: f32 loc(#loc1), %y: f32 loc(#loc)) loc(#loc12)\n"
                            "} loc(#loc)\n"
                            "#loc1 = loc(\"h0\")\n"
                            "#loc2 = loc(\"m0\"(#loc1))\n"
                            "#loc3 = loc(fused<{purpose = \"pack\"}>[#loc1, #loc2])\n"
                            "#loc12 = loc(\"h1\")\n"
                            "{-# resources #-}\n") ==
        "module {\n"
        "  a loc(fused<{purpose = \"pack\"}>[\"h0\", \"m0\"(\"h0\")])\n"
        "  b(%x: f32 loc(\"h0\"), %y: f32 loc(unknown)) loc(\"h1\")\n"
        "} loc(unknown)\n"
        "{-# resources #-}\n");
  CHECK(withInlineLocations("") == "");
}

TEST_CASE("each stage's dump has the names of nodes beside their operations") {
  for (bool withWeights : {true, false}) {
    std::map<std::string, std::string> dumps;
    GenerateOptions options;
    options.specPath = KGEN_SPECS "/digits.yaml";
    options.emit = EmitKind::mlir;
    options.jobs = 1;
    options.dumpWeights = withWeights;
    options.dumpStage = [&](const std::string &path, const std::string &text) {
      dumps[path] = text;
    };
    Diagnostics diagnostics;
    GenerateResult result;
    REQUIRE(generateLibrary(options, result, diagnostics) == GenerateStatus::ok);
    CHECK(dumps.size() > 6);
    for (const auto &[path, text] : dumps) {
      INFO(path);
      CHECK(text.find("#loc") == std::string::npos);
      size_t found = 0;
      for (size_t at = text.find("\"h0\""); at != std::string::npos;
           at = text.find("\"h0\"", at + 1))
        ++found;
      CHECK(found > 1);
    }
  }
}

} // namespace
