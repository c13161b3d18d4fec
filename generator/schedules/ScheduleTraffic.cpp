#include "schedules/Nest.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace kgen {

ScheduleTraffic scheduleTraffic(const ScheduleSpec &schedule, const ScheduledOperator &op,
                                const ScheduleParameters &parameters) {
  Nest nest(schedule, op, parameters);
  std::map<char, int64_t> now;
  for (char loop : op.loops) {
    int64_t multiple = std::max<int64_t>(nest.multipleOf(loop), 1);
    now[loop] = llvm::alignTo(op.sizeOf(loop), multiple);
  }
  auto bytes = [&](const ScheduledOperand &operand) {
    return operand.elements(now) *
           int64_t(llvm::divideCeil(operand.elementType.getIntOrFloatBitWidth(), 8));
  };
  ScheduleTraffic traffic;
  int64_t trips = 1;
  const ScheduledOperand &out = op.operands.back();
  traffic.fromL2 = traffic.fromL1 = bytes(out);
  for (const NestLevel &level : nest.levels) {
    for (auto [loop, size] : level.sizes) {
      trips *= std::max<int64_t>(now[loop] / size, 1);
      now[loop] = std::min(now[loop], size);
    }
    for (const ScheduledOperand &operand : op.operands) {
      if (operand.name == "out")
        continue;
      if (nest.keeps(level, operand.name, "L2"))
        traffic.toL2 += trips * bytes(operand);
      if (nest.keeps(level, operand.name, "L1"))
        traffic.toL1 += trips * bytes(operand);
    }
  }
  return traffic;
}

} // namespace kgen
