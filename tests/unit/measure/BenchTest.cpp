// Measurements that kgen bench refuses.
#include "driver/bench/Bench.h"
#include "driver/verify/ResultCheck.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace kgen;

namespace {

/// A library of one graph, as text from its inputs on.
std::string writeGraph(const std::string &graph) {
  static int count = 0;
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("kgen-bench-test-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".yaml");
  std::ofstream(path) << "library: layer\n"
                         "targets: [x86-64-v2, x86-64-v3]\n"
                         "graphs:\n"
                         "  - name: forward\n" +
                             graph;
  return path.string();
}

/// A layer whose weights depend on the seed.
std::string writeSpec(const std::string &type, int seed) {
  return writeGraph("    inputs: {x: \"" + type + "[17, 40]\"}\n    weights:\n      w: {type: \"" +
                    type + "[40, 33]\", random: {seed: " + std::to_string(seed) +
                    "}}\n    nodes:\n"
                    "      - {name: product, op: MatMul, inputs: [x, w]}\n"
                    "      - {name: y, op: Softmax, inputs: [product]}\n"
                    "    outputs: [y]\n");
}

/// Returns which of 40 sums are below a bound of 1000, or for the first `outliers` of them of
/// -1000.
std::string writeDecisions(const std::string &type, int outliers) {
  std::string bounds;
  for (int i = 0; i < 40; ++i)
    bounds += (i ? ", " : "") + std::string(i < outliers ? "-1000" : "1000");
  return writeGraph("    inputs: {x: \"" + type + "[40]\"}\n    weights:\n      bound: {type: \"" +
                    type + "[40]\", value: [" + bounds +
                    "]}\n    nodes:\n"
                    "      - {name: sum, op: Add, inputs: [x, x]}\n"
                    "      - {name: y, op: Less, inputs: [sum, bound]}\n"
                    "    outputs: [y]\n");
}

struct Bench {
  BenchOptions options;
  BenchSubject subject;
  BenchReport report;

  explicit Bench(const std::string &spec) {
    options.specPath = spec;
    options.seconds = 0.001;
    options.threads = {1};
    if (ThreadPool::available())
      options.threads.push_back(2);
    Diagnostics diagnostics;
    GenerateStatus status = compileForBench(options, subject, report, diagnostics);
    INFO(diagnostics.str());
    REQUIRE(status == GenerateStatus::ok);
    std::filesystem::remove(spec);
  }
  void run() {
    llvm::Error error = runBench(options, subject, report);
    REQUIRE_FALSE(static_cast<bool>(error));
  }
};

} // namespace

TEST_CASE("right results are measured in every variant") {
  for (const char *type : {"f32", "bf16", "f64"}) {
    Bench bench(writeSpec(type, 1));
    bench.run();
    CHECK(bench.report.wrongResults.empty());
    REQUIRE(bench.report.lines.size() ==
            bench.subject.library.parts.size() * bench.options.threads.size() * 2);
    for (const BenchLine &line : bench.report.lines) {
      CHECK(line.flops > 2 * 17 * 40 * 33);
      CHECK(line.bytes > 17 * 40 * 2);
      CHECK(line.seconds.median() > 0);
      CHECK_FALSE(line.instruction.empty());
      CHECK(line.fraction.median() > 0);
    }
  }
}

TEST_CASE("long sums are not called wrong") {
  Bench bench(writeGraph("    inputs: {x: \"f32[64, 9216]\"}\n    weights:\n"
                         "      w: {type: \"f32[9216, 64]\", random: {seed: 1}}\n    nodes:\n"
                         "      - {name: product, op: MatMul, inputs: [x, w]}\n"
                         "      - {name: y, op: Softmax, inputs: [product]}\n"
                         "    outputs: [y]\n"));
  bench.options.threads = {1};
  bench.run();
  CHECK(bench.report.wrongResults.empty());
}

TEST_CASE("wrong results are named and not measured") {
  for (const char *type : {"f32", "bf16", "f64"}) {
    Bench bench(writeSpec(type, 1)), other(writeSpec(type, 2));
    bench.subject.reference = std::move(other.subject.reference);
    bench.run();
    CHECK(bench.report.lines.empty());
    REQUIRE_FALSE(bench.report.wrongResults.empty());
    CHECK(bench.report.wrongResults.front().find("forward in ") == 0);
    CHECK(bench.report.wrongResults.front().find("output 'y'") != std::string::npos);
  }
}

TEST_CASE(
    "an eighth of what floats decide may be decided otherwise, and nothing that integers do") {
  auto complaints = [](const std::string &type, int outliers) {
    Bench bench(writeDecisions(type, 0)), other(writeDecisions(type, outliers));
    bench.subject.reference = std::move(other.subject.reference);
    bench.run();
    return bench.report.wrongResults;
  };
  CHECK(complaints("f32", 5).empty());
  std::vector<std::string> many = complaints("f32", 6);
  REQUIRE_FALSE(many.empty());
  CHECK(many.front().find("6 of 40 elements differ") != std::string::npos);
  CHECK(complaints("i32", 0).empty());
  CHECK_FALSE(complaints("i32", 1).empty());
}

TEST_CASE("work is counted from the graph") {
  Bench bench(writeSpec("f32", 1));
  const GraphWork &work = bench.subject.library.parts.front().work;
  CHECK(work.contractionFlops.at("f32") == 2 * 17 * 40 * 33);
  // Softmax: the maximum, a difference, exp, the sum, an inverse and a product.
  CHECK(work.total() == 2 * 17 * 40 * 33 + 6 * 17 * 33);
  CHECK(work.mainType() == "f32");
}

TEST_CASE("products of weights of few bits are counted as products, and have a peak") {
  Bench bench(writeGraph("    inputs: {x: \"f32[5, 64]\"}\n    weights:\n"
                         "      w: {type: \"f32[64, 33]\", random: {seed: 1}, "
                         "quantize: {bits: 4, block: 32}}\n    nodes:\n"
                         "      - {name: y, op: MatMul, inputs: [x, w]}\n    outputs: [y]\n"));
  const GraphWork &work = bench.subject.library.parts.front().work;
  CHECK(work.total() == 2 * 5 * 64 * 33);
  CHECK(work.mainType() == "f32");
  bench.run();
  REQUIRE_FALSE(bench.report.lines.empty());
  for (const BenchLine &line : bench.report.lines)
    CHECK(line.instruction.find("ps ") != std::string::npos);
}

TEST_CASE("products of bytes are counted, and have the peak of their instruction") {
  Bench bench(writeGraph("    inputs: {x: \"u8[17, 40]\"}\n    weights:\n"
                         "      w: {type: \"i8[40, 33]\", random: {seed: 1}}\n    nodes:\n"
                         "      - {name: y, op: MatMulInteger, inputs: [x, w]}\n"
                         "    outputs: [y]\n"));
  const GraphWork &work = bench.subject.library.parts.front().work;
  CHECK(work.contractionFlops.at("i8") == 2 * 17 * 40 * 33);
  CHECK(work.mainType() == "i8");
  bench.run();
  REQUIRE_FALSE(bench.report.lines.empty());
  for (const BenchLine &line : bench.report.lines)
    CHECK(line.instruction.find("pmaddwd") != std::string::npos);
}
