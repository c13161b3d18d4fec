// The parts of a library file, each read by one source file. Private to spec/.
#pragma once

#include "spec/Fields.h"
#include "spec/Names.h"
#include "spec/Spec.h"

namespace kgen {

/// A name that obeys `use`; a bad one is reported.
std::optional<Located<std::string>> readName(const SpecReader &reader, const YamlNode &node,
                                             const std::string &what, NameUse use);
/// The same for a key.
std::optional<Located<std::string>> readKeyName(const SpecReader &reader, const YamlEntry &entry,
                                                const std::string &what, NameUse use);

/// What a graph and a module have in common.
struct GraphBody {
  std::vector<WeightSpec> weights;
  std::vector<NodeSpec> nodes;
};

/// `inputs` of a node.
void readNodeInputs(const SpecReader &reader, const YamlNode &node, NodeSpec &result);
/// `name`, `inputs` and `outputs` of a node: the name is that of the only result unless `outputs`
/// says otherwise.
void readNodeNames(const SpecReader &reader, const YamlNode &node, const Fields &fields,
                   NodeSpec &result);
/// A node with `op: extern`.
std::optional<NodeSpec> readExternNode(const SpecReader &reader, const YamlNode &node);
std::optional<NodeSpec> readNode(const SpecReader &reader, const YamlNode &node);
std::optional<WeightSpec> readWeight(const SpecReader &reader, const YamlEntry &entry);
/// A weight's `value:`, checked against its type.
std::optional<WeightFromValue> readWeightValue(const SpecReader &reader, const YamlNode &node,
                                               const TensorType &type);
std::optional<AttributeValue> readAttribute(const SpecReader &reader, const YamlNode &node,
                                            const std::string &name);

} // namespace kgen
