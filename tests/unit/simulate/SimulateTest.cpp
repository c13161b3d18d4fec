// Modules that are there already, as a driver simulates them.
#include "simulate/Simulate.h"
#include "pipeline/Pipeline.h"

#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

/// Two blocks with two cores each double what is theirs; `%s` stands for the mapping's blocks.
constexpr const char *doubling = R"(
func.func @f(%x: memref<4x64xf32> {llvm.readonly}, %y: memref<4x64xf32>) {
  scf.forall (%b) in (2) {
    %t = memref.alloc() : memref<2x64xf32, 1>
    %from = affine.apply affine_map<(b) -> (b * 2)>(%b)
    %xb = memref.subview %x[%from, 0] [2, 64] [1, 1] : memref<4x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
    %yb = memref.subview %y[%from, 0] [2, 64] [1, 1] : memref<4x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %xb, %t : memref<2x64xf32, strided<[64, 1], offset: ?>> to memref<2x64xf32, 1>
    scf.forall (%c) in (2) {
      %v = memref.subview %t[%c, 0] [1, 64] [1, 1] : memref<2x64xf32, 1> to memref<64xf32, strided<[1], offset: ?>, 1>
      %l = memref.alloc() : memref<64xf32, 2>
      memref.copy %v, %l : memref<64xf32, strided<[1], offset: ?>, 1> to memref<64xf32, 2>
      linalg.add ins(%l, %l : memref<64xf32, 2>, memref<64xf32, 2>) outs(%l : memref<64xf32, 2>)
      memref.copy %l, %v : memref<64xf32, 2> to memref<64xf32, strided<[1], offset: ?>, 1>
    } {mapping = [#gpu.thread<x>]}
    memref.copy %t, %yb : memref<2x64xf32, 1> to memref<2x64xf32, strided<[64, 1], offset: ?>>
  } {mapping = [#gpu.block<x>]}
  return
}
)";

struct Outcome {
  std::optional<SimulationReport> report;
  std::string messages;
};

Outcome simulateText(const std::string &text, int64_t blocks, SimulationOptions options = {}) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  MachineSpec machine;
  machine.name.value = "test";
  machine.blockGrid = {blocks};
  machine.coreGrid = {2};
  machine.l2.bytes = 4096;
  machine.l1.bytes = 1024;
  machine.l3BytesPerCycle = 8;
  machine.l2BytesPerCycle = 4;
  machine.productsPerCycle = {{"f32", 2}};
  Diagnostics diagnostics;
  Outcome outcome;
  outcome.report = simulate(*module, machine, options, diagnostics);
  outcome.messages = diagnostics.str();
  return outcome;
}

} // namespace

TEST_CASE("what a small function moves, holds and takes, by hand") {
  Outcome outcome = simulateText(doubling, 1);
  INFO(outcome.messages);
  REQUIRE(outcome.report);
  CHECK(outcome.messages.empty());
  const SimulationReport &report = *outcome.report;
  CHECK(report.traffic[0][1].bytes == 1024);
  CHECK(report.traffic[0][1].transfers == 2);
  CHECK(report.traffic[1][2].bytes == 1024);
  CHECK(report.traffic[2][1].bytes == 1024);
  CHECK(report.traffic[1][0].bytes == 1024);
  CHECK(report.elements == 256);
  CHECK(report.products == 0);
  CHECK(report.memories[0].peakBytes == 512);
  CHECK(report.memories[1].peakBytes == 256);
  CHECK(report.bounds[0].moved.bytes == 2048);
  CHECK(report.bounds[0].bound() == 2048);
  // A block: 64 cycles in, 64 to L1, 32 of work, 64 back, 64 out; the next one has the same memory.
  CHECK(report.cycles == 2 * 288);
  CHECK(report.engines[0].busyCycles == 256);
}

TEST_CASE("two blocks work side by side but for L3") {
  Outcome outcome = simulateText(doubling, 2);
  INFO(outcome.messages);
  REQUIRE(outcome.report);
  // The second one's copy comes in after the first one's.
  CHECK(outcome.report->cycles == 288 + 64);
  CHECK(outcome.report->engines.size() == 1 + 2 * 2 * 2);
  CHECK(outcome.report->engines[1].name == "block 0 DMA 0");
}

TEST_CASE("data and timeline are there if they were asked for") {
  SimulationOptions options;
  options.data = true;
  options.timeline = true;
  Outcome outcome = simulateText(doubling, 1, options);
  INFO(outcome.messages);
  REQUIRE(outcome.report);
  REQUIRE(outcome.report->arguments.size() == 2);
  auto *x = reinterpret_cast<const float *>(outcome.report->arguments[0].data.data()),
       *y = reinterpret_cast<const float *>(outcome.report->arguments[1].data.data());
  bool differs = false;
  for (int i = 0; i < 256; ++i) {
    REQUIRE(y[i] == 2 * x[i]);
    differs |= x[i] != x[0];
  }
  CHECK(differs);
  CHECK(!outcome.report->arguments[0].isWritten);
  CHECK(outcome.report->arguments[1].isWritten);
  CHECK(outcome.report->timeline.size() == 4 + 4 * 3);
  for (const TimelineSpan &span : outcome.report->timeline) {
    CHECK(span.end >= span.start);
    CHECK(span.end <= outcome.report->cycles);
  }
  CHECK(simulateText(doubling, 1).report->timeline.empty());
}

TEST_CASE("an output of a function that marks its inputs has nothing in it") {
  const char *text = R"(
func.func @f(%x: memref<4xf32> {llvm.readonly}, %y: memref<4xf32>) {
  scf.forall (%b) in (1) {
    %t = memref.alloc() : memref<4xf32, 1>
    memref.copy %y, %t : memref<4xf32> to memref<4xf32, 1>
    memref.copy %t, %y : memref<4xf32, 1> to memref<4xf32>
  } {mapping = [#gpu.block<x>]}
  return
})";
  Outcome marked = simulateText(text, 1);
  CHECK_THAT(marked.messages, Catch::Contains("reads what nobody wrote: [0] of argument 1"));
  REQUIRE(marked.report);
  CHECK(marked.report->faults == 1);
  std::string without = text;
  without.erase(without.find(" {llvm.readonly}"), 16);
  CHECK(simulateText(without, 1).messages.empty());
}
