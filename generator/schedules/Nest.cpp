#include "schedules/Nest.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

int64_t valueOf(const ScheduleSize &size, const ScheduleParameters &parameters) {
  return size.parameter.empty() ? size.number : parameters.at(size.parameter);
}

ScheduleParameters defaultParameters(const ScheduleSpec &schedule) {
  ScheduleParameters result;
  for (const auto &[name, values] : schedule.parameters)
    result[name] = values.front();
  return result;
}

Nest::Nest(const ScheduleSpec &schedule, const ScheduledOperator &op,
           const ScheduleParameters &parameters)
    : op(op) {
  std::map<char, int64_t> steps; // of the loops around
  for (const ScheduleLevel &level : schedule.nest) {
    NestLevel made{level.kind, {}, {}, level.buffers};
    for (const auto &[loop, size] : level.sizes)
      made.sizes[loop[0]] = valueOf(size, parameters);
    if (level.kind == ScheduleLevel::Kind::loop) {
      auto [loop, step] = *made.sizes.begin();
      auto around = steps.find(loop);
      made.isOneIteration = step >= (around == steps.end() ? op.sizeOf(loop) : around->second);
      if (!made.isOneIteration)
        steps[loop] = step;
    }
    for (const auto &[operand, memory] : level.keep)
      made.keep[operand] = memory.value;
    levels.push_back(std::move(made));
  }
  for (const auto &[loop, size] : schedule.tiles)
    tiles[loop[0]] = valueOf(size, parameters);
  for (const auto &[operand, order] : schedule.layout)
    layouts[operand] = order.value;
}

int64_t Nest::multipleOf(char loop) const {
  int64_t largest = 0, smallest = 0;
  for (const NestLevel &level : levels) {
    auto size = level.sizes.find(loop);
    if (size == level.sizes.end())
      continue;
    if (!level.isOneIteration)
      largest = std::max(largest, size->second);
    smallest = smallest == 0 ? size->second : std::min(smallest, size->second);
  }
  int64_t ofLoops = largest ? largest : smallest;
  return std::max(ofLoops, tileOf(loop));
}

bool Nest::keeps(const NestLevel &level, const std::string &operand,
                 const std::string &memory) const {
  auto found = level.keep.find(operand);
  return found != level.keep.end() && found->second == memory;
}

bool Nest::keepsAnywhere(const std::string &operand, const std::string &memory) const {
  return llvm::any_of(levels,
                      [&](const NestLevel &level) { return keeps(level, operand, memory); });
}

int64_t Nest::tileOf(char loop) const {
  auto tile = tiles.find(loop);
  return tile == tiles.end() ? 1 : tile->second;
}

std::string Nest::layoutOf(const ScheduledOperand &operand) const {
  auto written = layouts.find(operand.name);
  if (written != layouts.end())
    return written->second;
  std::string inner;
  for (char loop : operand.tileDims)
    if (tiles.count(loop))
      inner += loop;
  return operand.dims + inner;
}

} // namespace kgen
