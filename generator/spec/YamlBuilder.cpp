// The tree is built with an explicit stack. Depth is limited here because yaml-cpp calls a
// collection's start event before it recurses into it: throwing from the event also bounds
// yaml-cpp's own recursion.
#include "spec/YamlBuilder.h"

#include <llvm/ADT/StringRef.h>

namespace kgen {

static YamlMark fromMark(const YAML::Mark &mark) {
  return {static_cast<uint32_t>(mark.line + 1), static_cast<uint32_t>(mark.column + 1)};
}

void YamlBuilder::error(YamlMark mark, std::string message, std::string hint) {
  diagnostics.error({file, mark.line, mark.column}, std::move(message), std::move(hint));
}

void YamlBuilder::OnDocumentStart(const YAML::Mark &mark) {
  if (!hasRoot)
    return;
  error(fromMark(mark), "expected one YAML document in the file, found a second",
        "remove '---' and what follows it");
  throw YamlAbandoned();
}

/// Without a tag yaml-cpp says "?" for plain scalars, "!" for quoted ones and "" for nothing at
/// all.
void YamlBuilder::checkProperties(YamlMark mark, const std::string &tag, YAML::anchor_t anchor) {
  if (anchor)
    error(mark, "anchors ('&name') are not part of the language", "write the value out");
  if (!tag.empty() && tag != "?" && tag != "!")
    error(mark, "tags ('!name') are not part of the language", "remove the tag '" + tag + "'");
}

/// yaml-cpp reports `null` and `~` by the same event as nothing at all; the text of the file tells
/// them apart.
void YamlBuilder::OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.mark = fromMark(mark);
  checkProperties(node.mark, "", anchor);
  if (mark.pos >= 0 && static_cast<size_t>(mark.pos) <= text.size()) {
    llvm::StringRef rest = llvm::StringRef(text).substr(mark.pos);
    for (const char *word : {"null", "Null", "NULL", "~"})
      if (rest.starts_with(word))
        node.text = word;
  }
  add(std::move(node));
}

void YamlBuilder::OnAlias(const YAML::Mark &mark, YAML::anchor_t) {
  YamlNode node;
  node.mark = fromMark(mark);
  error(node.mark, "aliases ('*name') are not part of the language", "write the value out");
  add(std::move(node));
}

void YamlBuilder::OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                           const std::string &value) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.mark = fromMark(mark);
  node.quoted = tag == "!";
  node.text = value;
  checkProperties(node.mark, tag, anchor);
  add(std::move(node));
}

void YamlBuilder::OnSequenceStart(const YAML::Mark &mark, const std::string &tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  YamlNode node;
  node.kind = YamlNode::Kind::sequence;
  node.mark = fromMark(mark);
  checkProperties(node.mark, tag, anchor);
  open(std::move(node));
}

void YamlBuilder::OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  YamlNode node;
  node.kind = YamlNode::Kind::map;
  node.mark = fromMark(mark);
  checkProperties(node.mark, tag, anchor);
  open(std::move(node));
}

void YamlBuilder::open(YamlNode node) {
  if (levels.size() >= yamlMaxDepth) {
    error(node.mark,
          "lists and maps are nested more than " + std::to_string(yamlMaxDepth) + " deep");
    throw YamlAbandoned();
  }
  levels.emplace_back();
  levels.back().node = std::move(node);
}

void YamlBuilder::close() {
  YamlNode node = std::move(levels.back().node);
  levels.pop_back();
  add(std::move(node));
}

void YamlBuilder::add(YamlNode node) {
  if (++nodes > yamlMaxNodes) {
    error(node.mark, "more than " + std::to_string(yamlMaxNodes) + " values in one file",
          "keep large weights in .npy or safetensors files");
    throw YamlAbandoned();
  }
  if (levels.empty()) {
    root = std::move(node);
    hasRoot = true;
    return;
  }
  Level &level = levels.back();
  if (level.node.kind == YamlNode::Kind::sequence)
    return level.node.items.push_back(std::move(node));
  if (!level.haveKey)
    return addKey(level, std::move(node));
  level.haveKey = false;
  // yaml-cpp locates a missing value at whatever comes next.
  if (node.kind == YamlNode::Kind::scalar && !node.quoted && node.text.empty())
    node.mark = level.entry.keyMark;
  level.entry.value = std::move(node);
  if (!level.dropValue)
    level.node.entries.push_back(std::move(level.entry));
  level.entry = {};
}

void YamlBuilder::addKey(Level &level, YamlNode node) {
  level.haveKey = true;
  level.entry.key = node.text;
  level.entry.keyMark = node.mark;
  level.dropValue = node.kind != YamlNode::Kind::scalar;
  if (level.dropValue) {
    if (node.kind != YamlNode::Kind::invalid)
      error(node.mark, "expected a name as a key, found " + node.describe());
    return;
  }
  if (!level.keys.insert(node.text).second) {
    error(node.mark, "duplicate key " + quoteText(node.text), "each key can be given once");
    level.dropValue = true;
  }
}

} // namespace kgen
