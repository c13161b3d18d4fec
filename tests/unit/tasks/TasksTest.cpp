// Parallel loops from tensors to machine code: whoever runs the tasks, the results have the same
// bits.
#include "codegen/Audit.h"
#include "codegen/ObjectCode.h"
#include "driver/run/LoadedCode.h"
#include "pipeline/Pipeline.h"
#include "target/TargetSpec.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

using namespace kgen;

namespace {

// A grid of two dimensions whose tasks need memory of their own, then one of one dimension.
constexpr char twoLayers[] = R"(
#full = affine_map<(i, j) -> (i, j)>
func.func @layers(%a: memref<12x20xf32> {llvm.noalias}, %b: memref<20x18xf32> {llvm.noalias}, %out: memref<12x18xf32> {llvm.noalias}) {
  %x = bufferization.to_tensor %a restrict : memref<12x20xf32> to tensor<12x20xf32>
  %y = bufferization.to_tensor %b restrict : memref<20x18xf32> to tensor<20x18xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x18xf32>
  %m = scf.forall (%i, %j) = (0, 0) to (12, 18) step (4, 6) shared_outs(%o = %e) -> tensor<12x18xf32> {
    %xs = tensor.extract_slice %x[%i, 0] [4, 20] [1, 1] : tensor<12x20xf32> to tensor<4x20xf32>
    %ys = tensor.extract_slice %y[0, %j] [20, 6] [1, 1] : tensor<20x18xf32> to tensor<20x6xf32>
    %t = tensor.empty() : tensor<4x6xf32>
    %f = linalg.fill ins(%zero : f32) outs(%t : tensor<4x6xf32>) -> tensor<4x6xf32>
    %p = linalg.matmul ins(%xs, %ys : tensor<4x20xf32>, tensor<20x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
    %os = tensor.extract_slice %o[%i, %j] [4, 6] [1, 1] : tensor<12x18xf32> to tensor<4x6xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 5 - j)>, #full, #full], iterator_types = ["parallel", "parallel"]}
        ins(%p, %p : tensor<4x6xf32>, tensor<4x6xf32>) outs(%os : tensor<4x6xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32):
      %r = arith.subf %u, %v : f32
      linalg.yield %r : f32
    } -> tensor<4x6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, %j] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<12x18xf32>
    }
  }
  %d = tensor.empty() : tensor<12x18xf32>
  %q = scf.forall (%i) in (12) shared_outs(%o = %d) -> tensor<12x18xf32> {
    %ms = tensor.extract_slice %m[%i, 0] [1, 18] [1, 1] : tensor<12x18xf32> to tensor<1x18xf32>
    %os = tensor.extract_slice %o[%i, 0] [1, 18] [1, 1] : tensor<12x18xf32> to tensor<1x18xf32>
    %s = linalg.add ins(%ms, %ms : tensor<1x18xf32>, tensor<1x18xf32>) outs(%os : tensor<1x18xf32>) -> tensor<1x18xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 18] [1, 1] : tensor<1x18xf32> into tensor<12x18xf32>
    }
  }
  bufferization.materialize_in_destination %q in restrict writable %out : (tensor<12x18xf32>, memref<12x18xf32>) -> ()
  return
}
)";

using Task = void (*)(void *argument, uint32_t index);

/// As a library's header declares it.
struct Executor {
  void (*run)(void *user, uint32_t tasks, Task task, void *argument);
  void *user;
  uint32_t concurrency;
};

struct Counts {
  std::vector<uint32_t> launches;
  std::atomic<uint32_t> tasks{0};
};

void count(void *user, uint32_t tasks) {
  auto *counts = static_cast<Counts *>(user);
  counts->launches.push_back(tasks);
  counts->tasks += tasks;
}

void runBackwards(void *user, uint32_t tasks, Task task, void *argument) {
  count(user, tasks);
  for (uint32_t i = tasks; i-- > 0;)
    task(argument, i);
}

/// Each thread takes the next task that nobody has.
void runOnThreads(void *user, uint32_t tasks, Task task, void *argument, unsigned threads) {
  count(user, tasks);
  std::atomic<uint32_t> next{0};
  auto work = [&] {
    for (uint32_t i = next++; i < tasks; i = next++)
      task(argument, i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
}
void runOnTwo(void *user, uint32_t tasks, Task task, void *argument) {
  runOnThreads(user, tasks, task, argument, 2);
}
void runOnFive(void *user, uint32_t tasks, Task task, void *argument) {
  runOnThreads(user, tasks, task, argument, 5);
}

class Compiled {
public:
  explicit Compiled(const std::string &text) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    Diagnostics diagnostics;
    auto target = findTarget({"x86-64-v2", {}}, "", {}, diagnostics);
    REQUIRE(target);
    mlir::PassManager pm(&context, mlir::ModuleOp::getOperationName());
    addStages(pm, referenceStages().drop_back(), {});
    REQUIRE(mlir::succeeded(pm.run(*module)));
    auto function = module->lookupSymbol<mlir::func::FuncOp>("layers");
    workspace.resize(function->getAttrOfType<mlir::IntegerAttr>("kgen.workspace").getInt() + 64);
    mlir::PassManager last(&context, mlir::ModuleOp::getOperationName());
    addStages(last, referenceStages().take_back(), {});
    REQUIRE(mlir::succeeded(last.run(*module)));
    auto object = emitCode(*module, *target);
    REQUIRE(bool(object));
    REQUIRE(llvm::toString(auditSymbols(*object, "layers", "layers")) == "");
    auto loaded = LoadedCode::load({{"objects/layers.o", *object}});
    REQUIRE(bool(loaded));
    code.emplace(std::move(*loaded));
  }

  std::vector<float> run(const std::vector<float> &a, const std::vector<float> &b,
                         const Executor *executor) {
    std::vector<float> out(12 * 18, NAN);
    auto address = reinterpret_cast<uintptr_t>(workspace.data());
    std::vector<void *> arguments = {const_cast<float *>(a.data()), const_cast<float *>(b.data()),
                                     out.data(), workspace.data() + (64 - address % 64) % 64,
                                     const_cast<Executor *>(executor)};
    REQUIRE(llvm::toString(code->call("layers", arguments)) == "");
    return out;
  }

private:
  std::optional<LoadedCode> code;
  std::vector<char> workspace;
};

std::vector<float> numbers(size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(std::sin(static_cast<float>(7 * i + 1)));
  return values;
}

double expected(const std::vector<float> &a, const std::vector<float> &b, int i, int j) {
  auto product = [&](int column) {
    double sum = 0;
    for (int k = 0; k < 20; ++k)
      sum += double(a[i * 20 + k]) * b[k * 18 + column];
    return sum;
  };
  return 2 * (product(j / 6 * 6 + 5 - j % 6) - product(j));
}

TEST_CASE("results do not depend on who runs the tasks") {
  Compiled compiled(twoLayers);
  std::vector<float> a = numbers(12 * 20), b = numbers(20 * 18);
  std::vector<float> alone = compiled.run(a, b, nullptr);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 18; ++j)
      CHECK(alone[i * 18 + j] == Approx(expected(a, b, i, j)).margin(1e-4));
  Executor nobody{nullptr, nullptr, 0};
  CHECK(compiled.run(a, b, &nobody) == alone);
  for (auto run : {runBackwards, runOnTwo, runOnFive})
    for (int repetition = 0; repetition < 50; ++repetition) {
      Counts counts;
      Executor executor{run, &counts, 0};
      REQUIRE(compiled.run(a, b, &executor) == alone);
      REQUIRE(counts.launches == std::vector<uint32_t>{9, 12});
    }
}

TEST_CASE("what is promised of an executor matters: without tasks there are no results") {
  Compiled compiled(twoLayers);
  Executor idle{[](void *, uint32_t, Task, void *) {}, nullptr, 0};
  std::vector<float> a = numbers(12 * 20), b = numbers(20 * 18);
  std::vector<float> withoutTasks = compiled.run(a, b, &idle);
  CHECK(withoutTasks != compiled.run(a, b, nullptr));
}

} // namespace
