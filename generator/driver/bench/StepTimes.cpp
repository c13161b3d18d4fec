#include "driver/bench/StepTimes.h"

#include "driver/verify/ResultCheck.h"
#include "explain/Tables.h"
#include "measure/Clock.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

constexpr size_t minRuns = 3;

/// Callbacks of generated code, see kgen-instrument-ops. There is one at a time: C functions have
/// no other way to know.
class StepClock {
public:
  explicit StepClock(size_t timers) : seconds(timers) { current = this; }
  ~StepClock() { current = nullptr; }
  StepClock(const StepClock &) = delete;

  static void read(int64_t timer) {
    double now = wallSeconds();
    if (timer >= 0)
      current->seconds[static_cast<size_t>(timer)] += now - current->last;
    // The time of this function is no step's.
    current->last = wallSeconds();
  }
  /// Of the run that has ended, by timer; the next one begins at 0.
  std::vector<double> take() { return std::exchange(seconds, std::vector<double>(seconds.size())); }

private:
  static inline StepClock *current = nullptr;
  std::vector<double> seconds;
  double last = 0;
};

StepTime describe(const ExplainedTimer &timer, const Explanation &explanation) {
  StepTime time;
  time.steps = timer.steps;
  time.nodes = timer.nodes;
  for (size_t index : timer.steps) {
    time.flops += explanation.steps[index].flops;
    time.how += (time.how.empty() ? "" : "\n") + stepText(explanation.steps[index]);
  }
  if (timer.steps.empty())
    time.how = "copies and preparations";
  return time;
}

/// Steps of code for all sizes are counted at the greatest ones.
bool areCounted(const GenerateResult &made, const std::string &graph, const SizeValues &sizes,
                const SizeValues &compiled) {
  for (const GraphInterface &one : made.library.graphs)
    for (const DimSymbol &dim : one.dims)
      if (one.name == graph && !compiled.count(dim.name) && sizes.at(dim.name) != dim.max)
        return false;
  return true;
}

} // namespace

llvm::Expected<SteppedCode> SteppedCode::load(const GenerateResult &made) {
  std::string clock = stepClockSymbol(made.library.name + "_");
  llvm::Expected<LoadedCode> code =
      loadCode(made, {{clock, reinterpret_cast<void *>(&StepClock::read)}});
  if (!code)
    return code.takeError();
  return SteppedCode(made, std::move(*code));
}

llvm::Expected<std::vector<StepTime>>
SteppedCode::measure(const std::string &graph, const std::string &target, const ThreadPool &pool,
                     double seconds, const SizeValues &sizes, const SizeValues &counts) {
  llvm::Expected<GraphCall> call = callOf(*made, graph, target, code, sizes, counts);
  if (!call)
    return call.takeError();
  std::vector<StepTime> times;
  const SizeValues compiled = compiledSizes(*made, graph, sizes);
  for (const Part &part : made->parts)
    if (part.graph == graph && part.target == target && part.sizes == compiled)
      for (const ExplainedTimer &timer : part.explanation.timers)
        times.push_back(describe(timer, part.explanation));
  if (!areCounted(*made, graph, sizes, compiled))
    for (StepTime &time : times)
      time.flops = 0;
  StepClock clock(times.size());
  call->fill(0);
  call->run(pool.executor());
  clock.take();
  double begin = wallSeconds();
  for (size_t run = 0; run < minRuns || wallSeconds() - begin < seconds; ++run) {
    call->run(pool.executor());
    for (auto [time, taken] : llvm::zip_equal(times, clock.take()))
      time.seconds.add(taken);
  }
  return times;
}

} // namespace kgen
