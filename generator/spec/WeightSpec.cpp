// A weight of a graph: its type and where its numbers come from; what is quantized.
#include "spec/SpecParts.h"
#include "spec/TypeText.h"
#include "spec/Weights.h"

#include <limits>

namespace kgen {

using Kind = FieldRule::Kind;

static std::optional<WeightFromFile> readFileSource(const SpecReader &reader, const YamlNode &file,
                                                    const YamlNode *tensor) {
  auto path = reader.text(file, "the path of a .npy or .safetensors file");
  if (!path)
    return std::nullopt;
  llvm::StringRef name = path->value;
  bool npy = name.ends_with(".npy"), safetensors = name.ends_with(".safetensors");
  if (!npy && !safetensors) {
    reader.expected(file, "the path of a .npy or .safetensors file");
    return std::nullopt;
  }
  WeightFromFile source{*path, {}};
  if (npy && tensor) {
    reader.error(tensor->mark, "'tensor' is for .safetensors files; a .npy file holds one tensor");
    return std::nullopt;
  }
  if (!safetensors)
    return source;
  if (!tensor)
    return source; // that of the weight's name
  auto tensorName = reader.text(*tensor, "the name of a tensor in the file");
  if (!tensorName)
    return std::nullopt;
  source.tensor = *tensorName;
  return source;
}

static std::optional<WeightFromRandom> readRandomSource(const SpecReader &reader,
                                                        const YamlNode &node) {
  if (!reader.isMap(node, "a map such as {seed: 7}"))
    return std::nullopt;
  Fields fields(reader, node, "'random'", {{"seed", Kind::required, ""}});
  const YamlNode *seed = fields.find("seed");
  if (!seed)
    return std::nullopt;
  auto value = reader.integer(*seed, "'seed'", 0, std::numeric_limits<int64_t>::max());
  if (!value)
    return std::nullopt;
  return WeightFromRandom{static_cast<uint64_t>(*value)};
}

/// {bits: 4, block: 32}
static std::optional<BlockQuantization>
readQuantization(const SpecReader &reader, const YamlNode &node, const TensorType &type) {
  if (!reader.isMap(node, "a map such as {bits: 4, block: 32}"))
    return std::nullopt;
  Fields fields(
      reader, node, "'quantize'",
      {{"bits", Kind::required, ""}, {"block", Kind::optional, ""}, {"scale", Kind::optional, ""}});
  BlockQuantization result;
  result.where = reader.at(node.mark);
  if (const YamlNode *bits = fields.find("bits")) {
    auto value = reader.integer(*bits, "'bits'", INT64_MIN, INT64_MAX);
    if (value && *value != 4 && *value != 8)
      reader.expected(*bits, "'bits' to be 4 or 8");
    result.bits = value.value_or(result.bits);
  }
  if (const YamlNode *block = fields.find("block")) {
    auto value = reader.integer(*block, "'block'", 16, int64_t(1) << 30);
    if (value && (*value & (*value - 1)) != 0)
      reader.expected(*block, "'block' to be a power of two, at least 16");
    result.block = value.value_or(result.block);
  }
  if (const YamlNode *scale = fields.find("scale")) {
    auto value = reader.text(*scale, "'scale'");
    if (value && value->value != "f32" && value->value != "f16")
      reader.expected(*scale, "'scale' to be f32 or f16");
    result.f16Scales = value && value->value == "f16";
  }
  if (type.element != ElementType::f32 || type.shape.size() != 2) {
    reader.error(node.mark, "only matrices of f32 can be quantized, found " + type.str());
    return std::nullopt;
  }
  return result;
}

std::optional<RowQuantization> readActivations(const SpecReader &reader, const YamlNode &node) {
  RowQuantization result;
  result.where = reader.at(node.mark);
  if (node.kind == YamlNode::Kind::scalar && node.text == "none") {
    result.block = 0;
    return result;
  }
  if (!reader.isMap(node, "a map such as {bits: 8, block: 32}, or none"))
    return std::nullopt;
  Fields fields(reader, node, "'activations'",
                {{"bits", Kind::required, ""}, {"block", Kind::optional, ""}});
  if (const YamlNode *bits = fields.find("bits")) {
    auto value = reader.integer(*bits, "'bits'", INT64_MIN, INT64_MAX);
    if (value && *value != 8)
      reader.expected(*bits, "'bits' to be 8");
  }
  if (const YamlNode *block = fields.find("block")) {
    auto value = reader.integer(*block, "'block'", INT64_MIN, INT64_MAX);
    if (value && (*value < 16 || *value > maxRowBlock || (*value & (*value - 1)) != 0))
      reader.expected(*block, "'block' to be a power of two from 16 to 256");
    result.block = value.value_or(result.block);
  }
  return result;
}

bool readWeightSource(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                      const Fields &fields, const std::optional<Located<TensorType>> &type,
                      WeightSpec &weight) {
  const YamlNode *file = fields.find("file"), *value = fields.find("value"),
                 *random = fields.find("random"), *tensor = fields.find("tensor");
  int sources = (file != nullptr) + (value != nullptr) + (random != nullptr);
  if (sources != 1) {
    reader.error(node.mark, "expected one of 'file', 'value' and 'random' in weight '" +
                                weight.name.value + "', found " +
                                (sources ? std::to_string(sources) : "none"));
    return false;
  }
  if (tensor && !file)
    reader.error(tensor->mark, "'tensor' needs 'file'");
  auto take = [&](auto source) {
    if (source)
      weight.source = std::move(*source);
    return source.has_value();
  };
  if (file)
    return take(readFileSource(reader, *file, tensor));
  if (random)
    return take(readRandomSource(reader, *random));
  return type && take(readWeightValue(reader, *value, dims, type->value));
}

std::optional<WeightSpec> readWeight(const SpecReader &reader, const YamlEntry &entry,
                                     const Dims &dims) {
  auto name = readKeyName(reader, entry, "a weight", NameUse::label);
  const YamlNode &node = entry.value;
  if (!reader.isMap(node, "a weight such as {type: \"f32[4]\", file: w.npy}"))
    return std::nullopt;
  Fields fields(reader, node, "a weight",
                {{"type", Kind::required, ""},
                 {"file", Kind::optional, ""},
                 {"tensor", Kind::optional, ""},
                 {"value", Kind::optional, ""},
                 {"random", Kind::optional, ""},
                 {"quantize", Kind::optional, ""},
                 {"quantise", Kind::renamed, "quantize"},
                 {"layout", Kind::later, "weights that are packed already"}});
  std::optional<Located<TensorType>> type;
  if (const YamlNode *text = fields.find("type"))
    type = readStaticType(reader, *text, dims, "a weight");
  if (type && !boundedByteCount(type->value, maxWeightBytes)) {
    reader.error(fields.find("type")->mark, "not supported yet: a weight of 2 GiB or more",
                 "weights are part of the library's read-only data");
    type.reset();
  }
  WeightSpec weight;
  weight.name = name.value_or(Located<std::string>{entry.key, reader.at(entry.keyMark)});
  bool hasSource = readWeightSource(reader, node, dims, fields, type, weight);
  if (!name || !type || !hasSource)
    return std::nullopt;
  weight.type = *type;
  if (const YamlNode *quantize = fields.find("quantize"))
    weight.quantize = readQuantization(reader, *quantize, type->value);
  return weight;
}

} // namespace kgen
