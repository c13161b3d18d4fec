// CPUs and operating systems of a library file.
#include "spec/SpecParts.h"

namespace kgen {

static void readNames(const SpecReader &reader, const YamlNode &node, LibrarySpec &spec) {
  if (!reader.isList(node, "a list of target names"))
    return;
  if (node.items.empty())
    reader.error(node.mark, "a library needs at least one target");
  for (const YamlNode &item : node.items)
    if (auto target = reader.text(item, "the name or path of a target")) {
      if (target->value.empty())
        reader.expected(item, "the name or path of a target");
      spec.targets.push_back(*target);
    }
}

static void readSystems(const SpecReader &reader, const YamlNode &node, LibrarySpec &spec) {
  if (!reader.isList(node, "a list of operating systems"))
    return;
  if (node.items.empty())
    reader.error(node.mark, "a library needs at least one system");
  for (const YamlNode &item : node.items)
    if (auto system = reader.text(item, "the name of an operating system"))
      spec.systems.push_back(*system);
}

void readTargets(const SpecReader &reader, const Fields &fields, LibrarySpec &spec) {
  if (const YamlNode *targets = fields.find("targets")) // else the graphs decide
    readNames(reader, *targets, spec);
  if (const YamlNode *systems = fields.find("systems"))
    readSystems(reader, *systems, spec);
}

} // namespace kgen
