// Time of a command: wall and CPU seconds by graph, target, stage and pass.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <functional>
#include <string>
#include <vector>

namespace kgen {

struct Seconds {
  double wall = 0, cpu = 0; ///< CPU seconds are those of the thread
};

/// Time of a pass in a stage, without what is timed inside of it.
struct TimedPass {
  std::string graph, target, stage; ///< empty: outside of all of them
  std::string pass;                 ///< empty: what of the stage is in no pass
  Seconds seconds{};
  size_t runs = 0;
};

/// From now on, scopes record what they take.
void startTiming();
bool isTimingStarted();
/// Returns what was recorded so far: each pass of a stage once, graphs and stages in the order in
/// which they began.
std::vector<TimedPass> recordedTimes();

/// Records the time of a graph, a stage or a pass, from here to the end of the block, on this
/// thread. MLIR's timers know no CPU time of threads, and LLVM's are those of passes only.
class TimedScope {
public:
  enum Level { stage, pass };
  TimedScope(Level level, llvm::StringRef name);
  /// A graph for a target.
  TimedScope(llvm::StringRef graph, llvm::StringRef target);
  ~TimedScope();
  TimedScope(const TimedScope &) = delete;

private:
  void begin();
  bool isStage() const { return !key.stage.empty() && key.pass.empty(); }

  TimedScope *const outer;
  TimedPass key;
  Seconds start{}, inner{};
  bool isActive = false;
};

/// A stage of a graph and target that begins, or has taken so many seconds by the wall clock.
struct StageEvent {
  llvm::StringRef graph, target, stage;
  bool hasEnded = false;
  double seconds = 0;
};

/// Called for each stage from any thread, several at a time; null: nobody is.
void watchStages(std::function<void(const StageEvent &event)> watcher);

} // namespace kgen
