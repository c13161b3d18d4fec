// A schedule's nest with numbers for sizes. Private to schedules/.
#pragma once

#include "schedules/ScheduleScript.h"

namespace kgen {

struct NestLevel {
  ScheduleLevel::Kind kind;
  std::map<char, int64_t> sizes; ///< of an iteration's part, by loop
  std::map<std::string, std::string> keep;
  int64_t buffers;
  /// A sequential loop has one iteration: upstream's patterns remove such a loop.
  bool isOneIteration = false;
};

/// The nest for one operator: parameters have their values.
class Nest {
public:
  Nest(const ScheduleSpec &schedule, const ScheduledOperator &op,
       const ScheduleParameters &parameters);

  /// Of what the padded size of a loop is a multiple.
  int64_t multipleOf(char loop) const;
  bool keeps(const NestLevel &level, const std::string &operand, const std::string &memory) const;
  bool keepsAnywhere(const std::string &operand, const std::string &memory) const;
  int64_t tileOf(char loop) const;
  /// The order of a packed operand's dimensions, outer then inner.
  std::string layoutOf(const ScheduledOperand &operand) const;

  const ScheduledOperator &op;
  std::vector<NestLevel> levels;
  std::map<char, int64_t> tiles;
  std::map<std::string, std::string> layouts;
};

} // namespace kgen
