// Builds the located tree from yaml-cpp's events and refuses what the language does not allow.
// Private to Yaml.cpp.
#pragma once

#include "spec/Yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <set>

namespace kgen {

/// Thrown out of a parse that must not go on; the reason is in the diagnostics.
struct YamlAbandoned {};

class YamlBuilder : public YAML::EventHandler {
public:
  YamlBuilder(const std::string &text, const std::string &file, Diagnostics &diagnostics)
      : text(text), file(file), diagnostics(diagnostics) {}

  YamlNode root;
  bool hasRoot = false;

  void OnDocumentStart(const YAML::Mark &mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                const std::string &value) override;
  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

private:
  /// A collection that is still open. In a map, `haveKey` is true between a key and its value.
  struct Level {
    YamlNode node;
    bool haveKey = false, dropValue = false;
    YamlEntry entry;
    std::set<std::string> keys;
  };

  void error(YamlMark mark, std::string message, std::string hint = "");
  void checkProperties(YamlMark mark, const std::string &tag, YAML::anchor_t anchor);
  void open(YamlNode node);
  void close();
  void add(YamlNode node);
  void addKey(Level &level, YamlNode node);

  const std::string &text;
  const std::string &file;
  Diagnostics &diagnostics;
  std::vector<Level> levels;
  size_t nodes = 0;
};

} // namespace kgen
