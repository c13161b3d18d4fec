// The three forms of an explanation that was made by hand.
#include "explain/Render.h"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <regex>

using namespace kgen;

namespace {

LibraryExplanation madeUp() {
  Explanation e;
  e.graph = "f";
  e.target = "x86-64-v3";
  e.inputs = {"x"};
  e.outputs = {"y"};
  e.nodes = {{"m", "MatMul", "f32[64, 32]", {"x", "w"}, NodeFate::contraction, "", 0, {0}},
             {"a", "Add", "f32[64, 32]", {"m", "x<&>"}, NodeFate::epilogue, "m", 0, {0}},
             {"y", "Exp", "f32[64, 32]", {"a"}, NodeFate::loops, "", 1, {1}}};
  ExplainedStep product;
  product.kind = StepKind::contraction;
  product.nodes = {"m", "a"};
  product.tiling = ExplainedTiling{1, 64, 32, 128, 6, 16, 48, 64, 32};
  ExplainedStep loops;
  loops.kind = StepKind::loops;
  loops.nodes = {"y"};
  loops.loops = ExplainedLoops{"elementwise", {2047}, 0, 8, 0, 8188, false};
  e.steps = {product, loops};
  e.operands = {{{"m", "a"}, "w", "build", "it is constant", 32, 16384}};
  e.kernels = {{"uk_gemm_f32_6x16x64",
                "vector",
                6,
                16,
                64,
                1,
                true,
                {{"vector", "", 384.0}, {"other", "only bf16", std::nullopt}},
                {{0, 40}}}};
  e.launches = {{{"m", "a"}, {0}, {4, 2}, 8}};
  e.buffers = {{{0}, {"a"}, 0, 8192, 0, 1}};
  e.copies = {{{"y"}, "workspace", "output", "two results share it", 100}};
  e.weights = {{"lib_weights_0123", {"w"}, 16384, true}};
  e.workspaceBytes = 8192;
  return {"lib", {e}, 16384};
}

TEST_CASE("text") {
  CHECK(explainText(madeUp()) == R"(f on x86-64-v3
3 nodes in 2 groups, 2 steps, 1 micro-kernel; workspace 8192 B, weights 16.4 kB, copied in each run 100 B

Nodes
  node  operator  type         group  steps  what became of it
  m     MatMul    f32[64, 32]      1  1      contraction
  a     Add       f32[64, 32]      1  1      epilogue of m
  y     Exp       f32[64, 32]      2  2      loops

Steps
  step  work of  how
     1  m a      contraction 64 x 32 x 128, register tile 6 x 16, rows in blocks of 48, k in blocks of 64, B in panels of 32
     2  y        elementwise over 2047, in vectors of 8 and one of 7

B operands of contractions
  operand  of   packed         panel  bytes  because
  w        m a  at build time     32  16384  it is constant

Micro-kernels
  micro-kernel         provider  steps  calls  offers, cycles a call
  uk_gemm_f32_6x16x64  vector    1         40  vector 384; other refuses: only bf16

Tasks
  work of  steps  grid   tasks
  m a      1      4 x 2      8

Workspace
  holds  offset  bytes  written and read in steps
  a           0   8192  1-2

Copies at run time
  of  bytes  from       into    because
  y     100  workspace  output  two results share it

Weights
  weight  bytes  packed       symbol
  w       16384  into panels  lib_weights_0123
)");
}

TEST_CASE("JSON has the same facts") {
  auto json = nlohmann::json::parse(explainJson(madeUp()));
  CHECK(json["library"] == "lib");
  auto part = json["parts"][0];
  CHECK(part["workspace_bytes"] == 8192);
  CHECK(part["weight_bytes"] == 16384);
  CHECK(part["copied_bytes"] == 100);
  CHECK(part["nodes"][1]["into"] == "m");
  CHECK(part["nodes"][1]["fate"] == "epilogue");
  CHECK(part["steps"][0]["tiling"]["depth_block"] == 64);
  CHECK(part["steps"][1]["loops"]["lanes"] == 8);
  CHECK(part["micro_kernels"][0]["offers"][1]["refusal"] == "only bf16");
  CHECK(part["micro_kernels"][0]["calls"][0]["calls"] == 40);
  CHECK(part["launches"][0]["grid"] == nlohmann::json{4, 2});
  CHECK(part["launches"][0]["tasks"] == 8);
  CHECK(part["launches"][0]["steps"][0] == 0);
  CHECK(part["buffers"][0]["values"][0] == "a");
}

/// Tags that are open at the end or closed in the wrong order, by name.
std::vector<std::string> unbalanced(const std::string &html) {
  std::vector<std::string> open;
  std::regex tag(R"(<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^<>"]|"[^"]*")*?)(/?)>)");
  for (std::sregex_iterator it(html.begin(), html.end(), tag), end; it != end; ++it) {
    if ((*it)[4].length())
      continue;
    if (!(*it)[1].length())
      open.push_back((*it)[2]);
    else if (!open.empty() && open.back() == (*it)[2])
      open.pop_back();
    else
      open.push_back("/" + (*it)[2].str());
  }
  return open;
}

TEST_CASE("the page is well-formed and needs nothing else") {
  LibraryExplanation library = madeUp();
  library.parts.front().nodes.front().name = "<script>\"&";
  std::string html = explainHtml(library);
  CHECK(unbalanced(html).empty());
  CHECK(unbalanced("<p><b></p></b>").size() == 4);
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("&lt;script&gt;&quot;&amp;") != std::string::npos);
  for (const char *loads : {"src=", "url(http", "@import", "<link"})
    CHECK(html.find(loads) == std::string::npos);
  // One box for each group, the input and the output; one rectangle for the buffer.
  auto count = [&](const std::string &what) {
    size_t number = 0;
    for (size_t at = html.find(what); at != std::string::npos; at = html.find(what, at + 1))
      ++number;
    return number;
  };
  CHECK(count("class=\"edge\"") == 3);
  CHECK(count("<g class=\"port\">") == 2);
  CHECK(count("<title>a: 8192 bytes at 0, steps 1 to 2</title>") == 1);
}

} // namespace
