// `run_on`: nodes that the CPU computes where a graphics card computes the graph.
#include "spec/SpecParts.h"

namespace kgen {

static constexpr char device[] = "cpu";

void readRunOn(const SpecReader &reader, const YamlNode &node, NodeSpec &result) {
  auto name = reader.text(node, "the device that computes the node: cpu");
  if (name && name->value != device)
    reader.error(node.mark,
                 "expected cpu, found " + node.describe() + didYouMean(name->value, {device}));
  result.runsOnCpu = name && name->value == device;
}

void readRunOn(const SpecReader &reader, const YamlNode &node, GraphSpec &graph) {
  if (!reader.isMap(node, "a map from a device to nodes, such as {cpu: [LSTM, y]}"))
    return;
  Fields fields(reader, node, "'run_on'", {{device, FieldRule::Kind::required, ""}});
  const YamlNode *names = fields.find(device);
  if (!names || !reader.isList(*names, "a list of nodes and operators"))
    return;
  if (names->items.empty())
    reader.error(names->mark, "expected at least one node or operator");
  for (const YamlNode &item : names->items)
    if (auto name = reader.text(item, "the name of a node, or an operator"))
      graph.onCpu.push_back(*name);
}

} // namespace kgen
