#include "schedules/DecisionAttribute.h"

using namespace mlir;

namespace kgen {

DictionaryAttr decisionAttribute(const std::string &node, const ScheduleSpec &schedule,
                                 const ScheduleParameters &parameters, Builder &builder) {
  const ScheduleDecisions &decisions = schedule.decisions;
  NamedAttrList all;
  all.set("node", builder.getStringAttr(node));
  all.set("schedule", builder.getStringAttr(schedule.name.value));
  auto set = [&](StringRef key, const std::optional<ScheduleDecisions::Tiles> &tiles) {
    if (!tiles)
      return;
    NamedAttrList sizes;
    for (const auto &[loop, size] : *tiles)
      sizes.set(loop, builder.getI64IntegerAttr(valueOf(size, parameters)));
    all.set(key, sizes.getDictionary(builder.getContext()));
  };
  set("tasks", decisions.tasks);
  set("caches", decisions.caches);
  set("registers", decisions.registers);
  if (decisions.unroll)
    all.set("unroll", builder.getI64IntegerAttr(*decisions.unroll));
  NamedAttrList layouts;
  for (const auto &[operand, form] : decisions.layout)
    layouts.set(operand, builder.getStringAttr(form));
  if (!layouts.empty())
    all.set("layout", layouts.getDictionary(builder.getContext()));
  if (decisions.nonTemporal)
    all.set("non_temporal", builder.getBoolAttr(*decisions.nonTemporal));
  if (const std::string &provider = decisions.provider.value; !provider.empty())
    all.set("provider", builder.getStringAttr(provider));
  return all.getDictionary(builder.getContext());
}

} // namespace kgen
