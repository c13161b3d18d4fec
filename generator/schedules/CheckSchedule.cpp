#include "schedules/Nest.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace kgen {

namespace {

class Checker {
public:
  Checker(const ScheduleSpec &schedule, const ScheduledOperator &op,
          const ScheduleParameters &parameters, Diagnostics &diagnostics)
      : schedule(schedule), op(op), parameters(parameters), diagnostics(diagnostics) {}

  void check() {
    for (const auto &[name, size] : schedule.tiles)
      checkLoop(name, size.where);
    if (!schedule.tiles.empty() && op.kind != ScheduledKind::product)
      error(schedule.tiles.front().second.where, "only operands of products are packed into tiles");
    if (schedule.fusesEpilogue && op.kind == ScheduledKind::elementwise)
      error(schedule.name.where, "an elementwise operation has no epilogue");
    for (const ScheduleLevel &level : schedule.nest)
      checkLevel(level);
    checkOrder();
    if (!isBad) // sizes of unknown loops mean nothing
      checkTiles();
    for (const auto &[operand, order] : schedule.layout)
      checkLayout(operand, order);
  }

private:
  void error(const SourceLoc &where, const std::string &message, const std::string &hint = "") {
    diagnostics.error(where, "schedule '" + schedule.name.value + "': " + message, hint);
    isBad = true;
  }

  int64_t valueOf(const ScheduleSize &size) const { return kgen::valueOf(size, parameters); }

  bool checkLoop(const std::string &name, const SourceLoc &where) {
    if (name.size() == 1 && op.loops.find(name[0]) != std::string::npos)
      return true;
    std::string known;
    for (char loop : op.loops)
      known += (known.empty() ? "" : ", ") + std::string(1, loop);
    error(where, "the operator has no loop '" + name + "'", "its loops are " + known);
    return false;
  }

  void checkLevel(const ScheduleLevel &level) {
    for (const auto &[name, size] : level.sizes) {
      if (!checkLoop(name, size.where))
        continue;
      char loop = name[0];
      if (level.kind != ScheduleLevel::Kind::loop && op.isReduction(loop))
        error(size.where, "loop '" + name + "' reduces; its iterations cannot be in parallel",
              "write {for: " + name + ", step: ...}");
      checkSize(loop, size);
    }
    for (const auto &[operand, memory] : level.keep) {
      checkOperand(operand, memory.where);
      if (memory.value != "L1" && memory.value != "L2")
        error(memory.where, "there is no memory '" + memory.value + "'",
              "memories are L2, of a block, and L1, of a core");
    }
  }

  /// Results that are not packed do not outlive a loop over cores inside of a sum.
  void checkOrder() {
    bool isInSum = false;
    for (const ScheduleLevel &level : schedule.nest) {
      bool isLoop = level.kind == ScheduleLevel::Kind::loop;
      if (!isLoop && isInSum && schedule.tiles.empty())
        error(level.where, "without 'tiles', a 'forall' is outside of the loops that sum up",
              "move it in front of them, or say which 'tiles' are packed");
      isInSum |= isLoop && op.isReduction(level.sizes.front().first[0]);
    }
  }

  /// Within the size around it, which it divides.
  void checkSize(char loop, const ScheduleSize &size) {
    int64_t value = valueOf(size);
    std::string name(1, loop);
    if (value < 1)
      return error(size.where, "the size of loop '" + name + "' is " + std::to_string(value));
    auto around = sizes.find(loop);
    if (around != sizes.end() && value > around->second)
      error(size.where, "the part of loop '" + name + "', " + std::to_string(value) +
                            ", is larger than the one around it, " +
                            std::to_string(around->second));
    else if (around != sizes.end() && around->second % value != 0)
      error(size.where, "the part of loop '" + name + "', " + std::to_string(value) +
                            ", does not divide the one around it, " +
                            std::to_string(around->second));
    else if (around == sizes.end() && op.kind == ScheduledKind::window &&
             op.sizeOf(loop) % value != 0 && !(schedule.splitsRagged && !op.isReduction(loop)))
      error(size.where,
            "the part of loop '" + name + "', " + std::to_string(value) +
                ", does not divide its size, " + std::to_string(op.sizeOf(loop)),
            op.isReduction(loop)
                ? "parts of a convolution's sums are whole"
                : "parts of convolutions are not padded; 'ragged: split' gives the rest a nest");
    sizes[loop] = value;
  }

  void checkTiles() {
    for (const auto &[name, size] : schedule.tiles) {
      int64_t value = valueOf(size);
      auto around = sizes.find(name[0]);
      if (value < 1)
        error(size.where, "the tile of loop '" + name + "' is " + std::to_string(value));
      else if (around != sizes.end() && (value > around->second || around->second % value != 0))
        error(size.where, "the tile of loop '" + name + "', " + std::to_string(value) +
                              ", does not divide the innermost loop's part, " +
                              std::to_string(around->second));
    }
  }

  bool checkOperand(const std::string &name, const SourceLoc &where) {
    if (op.find(name))
      return true;
    std::string names;
    for (const ScheduledOperand &operand : op.operands)
      names += (names.empty() ? "" : ", ") + operand.name;
    error(where, "the operator has no operand '" + name + "'", "its operands are " + names);
    return false;
  }

  /// Each dimension once, then each packed one.
  void checkLayout(const std::string &name, const Located<std::string> &order) {
    if (!checkOperand(name, order.where))
      return;
    const ScheduledOperand &operand = *op.find(name);
    std::string inner;
    for (const auto &[loop, size] : schedule.tiles)
      if (operand.dims.find(loop) != std::string::npos)
        inner += loop;
    std::string outer = operand.dims;
    std::string given = order.value, givenOuter = given.substr(0, outer.size());
    std::string givenInner = given.size() > outer.size() ? given.substr(outer.size()) : "";
    if (!std::is_permutation(outer.begin(), outer.end(), givenOuter.begin(), givenOuter.end()) ||
        !std::is_permutation(inner.begin(), inner.end(), givenInner.begin(), givenInner.end()))
      error(order.where, "'" + given + "' is no order of operand '" + name + "'",
            "it has '" + outer + "' in an order, then the tiles '" + inner + "' in an order");
  }

  const ScheduleSpec &schedule;
  const ScheduledOperator &op;
  const ScheduleParameters &parameters;
  Diagnostics &diagnostics;
  std::map<char, int64_t> sizes; ///< the innermost so far, by loop
  bool isBad = false;
};

} // namespace

bool checkSchedule(const ScheduleSpec &schedule, const ScheduledOperator &op,
                   const ScheduleParameters &parameters, Diagnostics &diagnostics) {
  size_t before = diagnostics.errors().size();
  Checker(schedule, op, parameters, diagnostics).check();
  return diagnostics.errors().size() == before;
}

} // namespace kgen
