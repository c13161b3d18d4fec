#include "schedules/ScheduleTraffic.h"

#include "schedules/Nest.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace kgen {

namespace {

int64_t elementBytes(const ScheduledOperand &operand) {
  return llvm::divideCeil(operand.elementType.getIntOrFloatBitWidth(), 8);
}

/// The iterations of the loops down to a level of the nest.
class Sweep {
public:
  explicit Sweep(const Nest &nest) : op(nest.op) {
    for (char loop : op.loops) {
      int64_t multiple =
          op.kind == ScheduledKind::window ? 1 : std::max<int64_t>(nest.multipleOf(loop), 1);
      parts[loop] = llvm::alignTo(op.sizeOf(loop), multiple);
      trips[loop] = 1;
    }
  }

  void enter(const NestLevel &level) {
    for (auto [loop, size] : level.sizes)
      if (!level.isOneIteration && size < parts[loop]) {
        trips[loop] *= parts[loop] / size;
        parts[loop] = size;
      }
  }

  /// Whole parts, with what pads them, once in each iteration of `loops`.
  Moved whole(const ScheduledOperand &operand, const std::string &loops) const {
    Moved sum{operand.elements(parts) * elementBytes(operand), 1};
    for (char loop : loops)
      sum = {sum.bytes * trips.at(loop), sum.transfers * trips.at(loop)};
    return sum;
  }

  /// Without what pads them: of a loop that is one dimension, all parts together are its size, and
  /// those that are padding altogether do not move.
  Moved real(const ScheduledOperand &operand, const std::string &loops) const {
    Moved sum{elementBytes(operand), 1};
    std::string others = loops;
    for (const std::map<char, int64_t> &subscript : operand.subscripts) {
      int64_t extent = 1;
      for (auto [loop, factor] : subscript)
        extent += factor * (parts.at(loop) - 1);
      bool isPlain = subscript.size() == 1 && subscript.begin()->second == 1;
      if (char loop = subscript.empty() ? 0 : subscript.begin()->first;
          isPlain && others.find(loop) != std::string::npos) {
        sum.bytes *= op.sizeOf(loop);
        sum.transfers *= llvm::divideCeil(op.sizeOf(loop), parts.at(loop));
        others.erase(others.find(loop), 1);
      } else {
        sum.bytes *= extent;
      }
    }
    for (char loop : others)
      sum = {sum.bytes * trips.at(loop), sum.transfers * trips.at(loop)};
    return sum;
  }

private:
  const ScheduledOperator &op;
  std::map<char, int64_t> parts, trips; ///< of the innermost iteration; of all loops around it
};

class TrafficFormula {
public:
  TrafficFormula(const Nest &nest) : nest(nest) {}

  MachineTraffic traffic() {
    for (const ScheduledOperand &operand : nest.op.operands)
      if (operand.name == "out")
        addResult(operand);
      else
        addInput(operand);
    return std::move(sum);
  }

  /// The operands of the epilogue but the product's result, whose loops are those of the result.
  void addEpilogue(const ScheduledOperator &epilogue) {
    const NestLevel *first = nullptr, *last = nullptr;
    for (const NestLevel &level : nest.levels)
      if (level.kind != ScheduleLevel::Kind::loop) {
        first = first ? first : &level;
        last = &level;
      }
    for (const ScheduledOperand &operand :
         llvm::ArrayRef(epilogue.operands).drop_front().drop_back()) {
      if (operand.isRepeated)
        continue;
      ScheduledOperand renamed = operand;
      bool isRagged = false;
      for (auto &subscript : renamed.subscripts) {
        std::map<char, int64_t> names;
        for (auto [loop, factor] : subscript) {
          char name = outDims()[epilogue.loops.find(loop)];
          names[name] = factor;
          isRagged |= nest.op.sizeOf(name) % std::max<int64_t>(nest.multipleOf(name), 1) != 0;
        }
        subscript = std::move(names);
      }
      // Padded operands are padded in L2.
      sum[0][isRagged ? 1 : 2] += sweepTo(isRagged ? first : last).real(renamed, outDims());
      Moved inCore = sweepTo(last).whole(renamed, outDims());
      if (isRagged)
        sum[1][2] += inCore;
      if (isReordered(renamed))
        sum[2][2] += inCore;
    }
    resultBytes = elementBytes(epilogue.operands.back());
  }

private:
  const std::string &outDims() const { return nest.op.operands.back().dims; }

  /// True if packed tiles of an epilogue's operand, whose order is the result's, are in another
  /// order than it is.
  bool isReordered(const ScheduledOperand &operand) const {
    std::string order = nest.layoutOf(nest.op.operands.back()), packed, plain;
    for (size_t i = 0; i < order.size(); ++i)
      for (const auto &subscript : operand.subscripts)
        if (subscript.count(order[i]))
          packed += i < outDims().size() ? order[i] : static_cast<char>(std::toupper(order[i]));
    for (const auto &subscript : operand.subscripts)
      for (auto [loop, factor] : subscript) {
        plain += loop;
        if (nest.tiles.count(loop))
          plain += static_cast<char>(std::toupper(loop));
      }
    return !nest.tiles.empty() && packed != plain;
  }

  const NestLevel *levelThatKeeps(const std::string &operand, const char *memory) const {
    const NestLevel *found = nullptr;
    for (const NestLevel &level : nest.levels)
      if (nest.keeps(level, operand, memory))
        found = &level;
    return found;
  }

  Sweep sweepTo(const NestLevel *last) const {
    Sweep sweep(nest);
    for (const NestLevel &level : nest.levels) {
      sweep.enter(level);
      if (&level == last)
        break;
    }
    return sweep;
  }

  void addInput(const ScheduledOperand &operand) {
    const NestLevel *l2 = levelThatKeeps(operand.name, "L2"),
                    *l1 = levelThatKeeps(operand.name, "L1");
    if (operand.isRepeated)
      return;
    // A loop of one iteration is left out: its copies to L2 stay in the outermost loop.
    if (l2 && l2->isOneIteration)
      l2 = nullptr;
    for (const NestLevel &level : nest.levels)
      if (!level.isOneIteration && nest.keepsAnywhere(operand.name, "L2") &&
          (!l2 || nest.keeps(level, operand.name, "L2")))
        l2 = &level;
    if (l2)
      sum[0][1] += sweepTo(l2).real(operand, nest.op.loops);
    if (l1 && l2)
      sum[1][2] += sweepTo(l1).whole(operand, nest.op.loops);
    else if (l1)
      sum[0][2] += sweepTo(l1).real(operand, nest.op.loops);
  }

  void addResult(const ScheduledOperand &out) {
    const NestLevel *l2 = levelThatKeeps("out", "L2"), *l1 = levelThatKeeps("out", "L1");
    auto leave = [&](int from, int to, Moved moved) {
      if (resultBytes)
        moved.bytes = moved.bytes / elementBytes(out) * resultBytes;
      sum[from][to] += moved;
    };
    if (l1 && l2)
      leave(2, 1, sweepTo(l1).whole(out, outDims()));
    else if (l1)
      leave(2, 0, sweepTo(l1).real(out, outDims()));
    if (l2)
      leave(1, 0, sweepTo(l2).real(out, outDims()));
  }

  const Nest &nest;
  MachineTraffic sum{};
  int64_t resultBytes = 0; ///< of an element of the epilogue's result; 0: there is none
};

} // namespace

MachineTraffic scheduleTraffic(const ScheduleSpec &schedule, const ScheduledOperator &op,
                               const ScheduleParameters &parameters,
                               const std::optional<ScheduledOperator> &epilogue) {
  Nest nest(schedule, op, parameters);
  TrafficFormula formula(nest);
  if (epilogue)
    formula.addEpilogue(*epilogue);
  return formula.traffic();
}

} // namespace kgen
