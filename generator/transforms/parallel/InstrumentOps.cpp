// A clock after each numbered operation of a graph's function, for `kgen bench --steps`.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/parallel/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_INSTRUMENTOPSPASS
#include "transforms/parallel/Passes.h.inc"

namespace {

bool writesOrCalls(Operation &op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(&op);
  return !effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect());
  });
}

/// The numbered operations between two readings of the clock; equal ones share a timer.
struct TimedOps {
  SmallVector<int64_t> steps;
  SmallVector<Location> locations;

  explicit TimedOps(Operation &op) {
    llvm::SetVector<int64_t> numbers;
    llvm::SetVector<Location> all;
    op.walk([&](Operation *inner) {
      if (std::optional<int64_t> step = opIdOf(inner->getLoc()))
        numbers.insert(*step);
      if (!namesIn(inner->getLoc()).empty())
        all.insert(inner->getLoc());
    });
    steps = llvm::to_vector(numbers);
    llvm::sort(steps);
    locations = all.takeVector();
  }
  bool isNamed() const { return !steps.empty() || !locations.empty(); }
  bool isSameAs(const TimedOps &other) const {
    return steps == other.steps && (!steps.empty() || locations == other.locations);
  }
};

/// A function's clock, which is read at its beginning and after each group of operations.
class Clock {
public:
  Clock(func::FuncOp function, StringRef symbol, DecisionLog &log)
      : function(function), symbol(symbol), log(log), b(function.getContext()) {}

  /// Inserts the calls; returns the number of timers.
  int64_t install() {
    Block &body = function.getBody().front();
    b.setInsertionPointToStart(&body);
    read(-1);
    Operation *last = nullptr; // of the group that is not timed yet
    size_t current = 0;
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      if (isa<func::CallOp>(op) && cast<func::CallOp>(op).getCallee() == symbol)
        continue;
      if (!writesOrCalls(op))
        continue;
      TimedOps timed(op);
      size_t id = timed.isNamed() || !last ? idOf(timed) : current;
      if (last && id != current)
        readAfter(last, current);
      last = &op;
      current = id;
    }
    if (last)
      readAfter(last, current);
    for (auto [id, timed] : llvm::enumerate(timers))
      log.add("timed", FusedLoc::get(timed.locations, {}, b.getContext()),
              log.details()
                  .set("id", static_cast<int64_t>(id))
                  .set("steps", ArrayRef<int64_t>(timed.steps)));
    return timers.size();
  }

private:
  size_t idOf(const TimedOps &timed) {
    auto same = llvm::find_if(timers, [&](const TimedOps &other) { return timed.isSameAs(other); });
    if (same != timers.end())
      return same - timers.begin();
    timers.push_back(timed);
    return timers.size() - 1;
  }
  void readAfter(Operation *op, size_t id) {
    b.setInsertionPointAfter(op);
    read(static_cast<int64_t>(id));
  }
  void read(int64_t id) {
    Location loc = function.getLoc();
    Value number = arith::ConstantIndexOp::create(b, loc, id);
    func::CallOp::create(b, loc, symbol, TypeRange(), number);
  }

  func::FuncOp function;
  StringRef symbol;
  DecisionLog &log;
  OpBuilder b;
  SmallVector<TimedOps> timers;
};

struct InstrumentOpsPass : impl::InstrumentOpsPassBase<InstrumentOpsPass> {
  using InstrumentOpsPassBase::InstrumentOpsPassBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    bool isAny = false;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isDeclaration()) {
        numTimers += Clock(function, symbol, log).install();
        isAny = true;
      }
    if (!isAny)
      return;
    OpBuilder b(getOperation().getBodyRegion());
    auto clock = func::FuncOp::create(b, getOperation().getLoc(), symbol,
                                      b.getFunctionType(b.getIndexType(), {}));
    clock.setPrivate();
  }
};

} // namespace
} // namespace kgen
