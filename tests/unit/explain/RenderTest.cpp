// The three forms of an explanation that was made by hand.
#include "explain/Render.h"
#include "explain/Svg.h"
#include "explain/Warnings.h"

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
  e.nodes = {{"m", "MatMul", "f32[64, 32]", {"x", "w"}, NodeFate::contraction, "", {}, 0, {0}},
             {"a",
              "Add",
              "f32[64, 32]",
              {"m", "x<&>"},
              NodeFate::epilogue,
              "m",
              {"kgen-fuse-epilogues"},
              0,
              {0}},
             {"y", "Exp", "f32[64, 32]", {"a"}, NodeFate::loops, "", {}, 1, {1}}};
  ExplainedStep product;
  product.kind = StepKind::contraction;
  product.nodes = {"m", "a"};
  product.tiling = ExplainedTiling{1, 64, 32, 128, 6, 16, 48, 64, 32};
  ExplainedStep loops;
  loops.kind = StepKind::loops;
  loops.nodes = {"y"};
  loops.loops = ExplainedLoops{"elementwise", {2047}, 0, 8, 0, 8188, false};
  loops.loops->strategy = "full-lines";
  loops.loops->stores = "memory";
  loops.loops->offers = {{"flattened-rows", "rows fill vectors", std::nullopt},
                         {"full-lines", "", 0.375},
                         {"vector-loops", "", 0.5}};
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
  e.buffers = {{{0}, {"a"}, 0, 8192, 0, 1, "f32[64, 32]"},
               {{1}, {"y"}, 8192, 64, 1, 1, "f32[]"},
               {{1}, {"y"}, 8256, 128, 1, 1, "f32[32]"}};
  e.copies = {{{"y"}, "workspace", "output", "two results share it", 100}};
  e.weights = {{"lib_weights_0123", {"w"}, 16384, true},
               {"__constant_32xf32", {"b"}, 128, false, WeightStorage::object},
               {"", {"s"}, 0, false, WeightStorage::none, {"a"}}};
  e.workspaceBytes = 8384;
  return {"lib", {e}, 16384};
}

TEST_CASE("digits in groups") {
  for (auto [number, text] :
       {std::pair("", ""), std::pair("-", "-"), std::pair("123", "123"), std::pair("1234", "1,234"),
        std::pair("-1234567.25", "-1,234,567.25"), std::pair("0.12345", "0.12345"),
        std::pair("1e+06", "1e+06"), std::pair("16.4 kB", "16.4 kB")})
    CHECK(grouped(number) == text);
}

TEST_CASE("text") {
  CHECK(explainText(madeUp()) == R"(f on x86-64-v3
3 nodes in 2 groups, 2 steps, 1 micro-kernel; workspace 8384 B, weights 16.4 kB, copied in each run 100 B

Nodes
  node  operator  type         group  steps  what became of it
  m     MatMul    f32[64, 32]      1  1      contraction
  a     Add       f32[64, 32]      1  1      epilogue of m (kgen-fuse-epilogues)
  y     Exp       f32[64, 32]      2  2      loops

Steps
  step  work of  how
     1  m a      contraction 64 x 32 x 128, micro-kernel tile 6 x 16, rows in blocks of 48, k in blocks of 64, B in panels of 32
     2  y        elementwise over 2047, in vectors of 8 and one of 7

B operands of contractions
  operand  of   packed         panel  bytes  because
  w        m a  at build time     32  16384  it is constant

Micro-kernels
  micro-kernel         provider  steps  calls  offers, cycles a call
  uk_gemm_f32_6x16x64  vector    1         40  vector 384; other refuses: only bf16
  Names: uk_gemm_<A>[x<B>][_<C>]_<m>x<n>x<k>, uk_brgemm_..._<m>x<n>x<batch>x<k>, uk_map_<C>_<m>x<n>, where A, B and C
  stand for element types; then what it does besides: _half adds up in f16, _acc adds to C, _in knows of A where it
  begins only, _pf prefetches B, _wide has B up-converted, _sums has accumulators beside C, _<n>s reads B in n access
  streams, _<n>e computes n operations of an epilogue (constants included); a last number tells equal names apart.

Loops over vectors
  step  strategy    results  offers, cycles an element
     2  full-lines  memory   flattened-rows refuses: rows fill vectors; full-lines 0.38; vector-loops 0.50

Tasks
  work of  steps  grid   tasks
  m a      1      4 x 2      8

Workspace
  holds  type         offset  bytes  written in  live in steps
  a      f32[64, 32]       0   8192  1           1-2
  y #1   f32[]          8192     64  2           2
  y #2   f32[32]        8256    128  2           2

Copies at run time
  of  bytes  from       into    because
  y     100  workspace  output  two results share it

Weights
  weight  bytes  form                stored in                          symbol
  w       16384  packed into panels  an object that the variants share  lib_weights_0123
  b         128  as it is            .rodata of the graph's object      __constant_32xf32
  s           0                      no bytes: folded into a
)");
}

TEST_CASE("a workspace that depends on sizes") {
  LibraryExplanation library = madeUp();
  CHECK_THAT(explainJson(library), !Catch::Contains("workspace_greatest_of"));
  library.parts.front().workspaceSizes = {"131*batch"};
  CHECK_THAT(explainText(library),
             Catch::Contains("; workspace up to 8384 B (131*batch), weights"));
  library.parts.front().workspaceSizes = {"64*batch", "8384"};
  CHECK_THAT(explainText(library),
             Catch::Contains("workspace up to 8384 B (the greatest of 64*batch, 8384), weights"));
  CHECK_THAT(explainJson(library), Catch::Contains("workspace_greatest_of"));
}

TEST_CASE("JSON has the same facts") {
  auto json = nlohmann::json::parse(explainJson(madeUp()));
  CHECK(json["library"] == "lib");
  auto part = json["parts"][0];
  CHECK(part["workspace_bytes"] == 8384);
  CHECK(part["weight_bytes"] == 16384);
  CHECK(part["copied_bytes"] == 100);
  CHECK(part["nodes"][1]["into"] == "m");
  CHECK(part["nodes"][1]["fate"] == "epilogue");
  CHECK(part["steps"][0]["tiling"]["depth_block"] == 64);
  CHECK(part["steps"][1]["loops"]["lanes"] == 8);
  CHECK(part["steps"][1]["loops"]["strategy"] == "full-lines");
  CHECK(part["steps"][1]["loops"]["stores"] == "memory");
  CHECK(part["steps"][1]["loops"]["offers"][0]["refusal"] == "rows fill vectors");
  CHECK(part["steps"][1]["loops"]["offers"][1]["cost"] == 0.375);
  CHECK(part["micro_kernels"][0]["offers"][1]["refusal"] == "only bf16");
  CHECK(part["micro_kernels"][0]["calls"][0]["calls"] == 40);
  CHECK(part["launches"][0]["grid"] == nlohmann::json{4, 2});
  CHECK(part["launches"][0]["tasks"] == 8);
  CHECK(part["launches"][0]["steps"][0] == 0);
  CHECK(part["buffers"][0]["values"][0] == "a");
  CHECK(part["buffers"][2]["type"] == "f32[32]");
  CHECK(part["nodes"][1]["passes"] == nlohmann::json{"kgen-fuse-epilogues"});
  CHECK(part["weights"][0]["storage"] == "shared");
  CHECK(part["weights"][1]["storage"] == "object");
  CHECK(part["weights"][2]["storage"] == "none");
  CHECK(part["weights"][2]["folded_into"] == nlohmann::json{"a"});
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

/// A product and a row kernel on a graphics card.
LibraryExplanation onCard() {
  Explanation e;
  e.graph = "f";
  e.target = "vulkan";
  e.nodes = {{"m", "MatMul", "f32[64, 32]", {"x", "w"}, NodeFate::contraction, "", {}, 0, {0}},
             {"y", "Softmax", "f32[64, 32]", {"m"}, NodeFate::loops, "", {}, 1, {1}}};
  e.steps.resize(2);
  ExplainedGpuLaunch product;
  product.kernel = "f_m";
  product.form = "product";
  product.blocks = {2, 3, 4};
  product.threads = {16, 8, 1};
  product.sharedBytes = 4096;
  product.registers = 96;
  product.registersBy = "ptxas";
  product.spilledBytes = 8;
  product.blocksOfCore = 5;
  product.occupancy = 0.625;
  product.occupancyLimit = "registers";
  product.readBytes = 3000;
  product.writtenBytes = 1000;
  product.leastBytes = 2000;
  product.flops = 12345;
  product.cycles = 1234.5;
  product.limit = "memory";
  product.product = {4, 64, 32, 128};
  product.tile = {32, 16, 16, 4, 2};
  product.offers = {{{32, 16, 16, 4, 2}, 1234.5, "memory", ""},
                    {{64, 64, 16, 4, 4}, 2000.0, "arithmetic", ""},
                    {{128, 128, 16, 8, 8}, std::nullopt, "", "too much"}};
  e.steps[0] = {StepKind::contraction, {"m"}, "", "gpu.launch_func", 0, {}, {}, "", product};
  ExplainedGpuLaunch rows;
  rows.kernel = "f_y";
  rows.form = "rows";
  rows.threads = {256, 1, 1};
  rows.occupancyLimit = "threads";
  rows.limit = "memory";
  e.steps[1] = {StepKind::loops, {"y"}, "", "gpu.launch_func", 0, {}, {}, "", rows};
  e.card = ExplainedCard{2, 16384};
  e.workspaceBytes = 8192;
  return {"lib", {e}, 16384};
}

TEST_CASE("launches of a graphics card as text, JSON and page") {
  CHECK(explainText(onCard()) == R"(f on vulkan
2 nodes in 2 groups, 2 launches of 2 kernels; 4000 B moved, at least 2000 B; 1234 cycles estimated; workspace 8192 B, weights 16.4 kB

Nodes
  node  operator  type         group  steps  what became of it
  m     MatMul    f32[64, 32]      1  1      contraction
  y     Softmax   f32[64, 32]      2  2      loops

Launches
  launch  kernel  work of  form                       blocks     threads of a block  threads
       1  f_m     m        product 4 x 64 x 32 x 128  2 x 3 x 4  16 x 8                 3072
       2  f_y     y        rows                       1          256                     256

Work of launches
  launch  shared bytes         registers  blocks of a core  limit      occupancy  read  written  least  times  flops  cycles  of
       1          4096  96 (8 B spilled)                 5  registers       62 %  3000     1000   2000   2.00  12345    1234  memory
       2             0                 -                 0  threads          0 %     0        0      0      -      0       0  memory
  Registers of a thread: by ptxas where it is on PATH; with ~ what the cost model takes them to be; - is not counted.
  Bytes move in sectors of 32 for each subgroup, caches are left out; the least are those of the launch's tensors, each once.

Tiles of products
  launch  rows x columns x terms        cycles  next, cycles
       1  32 x 16 x 16, 4 x 2 a thread    1234  64 x 64 x 16, 4 x 4 a thread: 2000
)");
  auto step = nlohmann::json::parse(explainJson(onCard()))["parts"][0]["steps"];
  auto launch = step[0]["launch"];
  CHECK(launch["blocks"] == nlohmann::json{2, 3, 4});
  CHECK(launch["threads"] == 3072);
  CHECK(launch["offers"].size() == 3);
  CHECK(launch["offers"][1] ==
        nlohmann::json{{"sizes", {64, 64, 16, 4, 4}}, {"cycles", 2000.0}, {"limit", "arithmetic"}});
  CHECK(launch["offers"][2]["refusal"] == "too much");
  std::vector<std::string> keys;
  for (const auto &[key, value] : step[1]["launch"].items())
    keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"blocks", "blocks_of_core", "cycles", "flops", "form",
                                         "kernel", "least_bytes", "limit", "occupancy",
                                         "occupancy_limit", "read_bytes", "registers",
                                         "registers_by", "shared_bytes", "spilled_bytes", "threads",
                                         "threads_of_block", "written_bytes"});
  CHECK(step[1]["launch"]["registers"].is_null());
  auto card = nlohmann::json::parse(explainJson(onCard()))["parts"][0]["card"];
  CHECK(card == nlohmann::json{{"launches", 2}, {"kernels", 2}, {"weight_bytes", 16384}});
  std::string html = explainHtml(onCard());
  CHECK(unbalanced(html).empty());
  CHECK(html.find("64 x 32 x 128") != std::string::npos);
  CHECK(html.find("group 2 · rows") != std::string::npos);
}

TEST_CASE("what is slower than it could be") {
  Explanation e = madeUp().parts.front();
  CHECK(warningsOf(e).empty());
  e.steps[1].loops = ExplainedLoops{"elementwise", {64, 64}, -1, 1, 0, 16384, true};
  e.operands.push_back({{"m"}, "w2", "run", "its columns are not contiguous", 32, 65536});
  e.operands.push_back({{"m"}, "small", "run", "it is small", 32, 65535});
  e.copies = {{{"y"}, "input", "workspace", "it is overwritten", 70000}};
  std::vector<ExplainedWarning> warnings = warningsOf(e);
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0].nodes == std::vector<std::string>{"y"});
  CHECK(warnings[0].text == "its loops over 64 x 64 were not vectorized");
  CHECK(warnings[1].text == "'w2' (65.5 kB) is packed in each run: its columns are not contiguous");
  CHECK(warnings[2].text == "70.0 kB are copied in each run: it is overwritten");
  e.steps[1].loops->sizes = {4095};
  CHECK(warningsOf(e).size() == 2);
  e.repeats = {{{"y"}, {"m", "n"}, "b", "packed", true, 65536},
               {{"z"}, {"m"}, "b", "packed", false, 65536},
               {{"z"}, {"m"}, "small", "packed", false, 65535}};
  warnings = warningsOf(e);
  REQUIRE(warnings.size() == 4);
  CHECK(warnings[1].text ==
        "work done twice: 'b' (65.5 kB) is packed in the same form for 'm', 'n', too");
  CHECK(warnings[2].text ==
        "work done twice: 'b' (65.5 kB) is packed in another form for 'm', too");
}

} // namespace
