// The located tree, and text that must not hurt.
#include "spec/Yaml.h"

#include <catch2/catch.hpp>

#include <ctime>

using namespace kgen;

namespace {

YamlNode parsedYaml(const std::string &text) {
  Diagnostics diagnostics;
  auto node = parseYaml(text, "a.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(!diagnostics.hasErrors());
  REQUIRE(node);
  return *node;
}

std::string errorsOf(const std::string &text) {
  Diagnostics diagnostics;
  parseYaml(text, "a.yaml", diagnostics);
  return diagnostics.str();
}

std::string repeated(const std::string &unit, size_t bytes) {
  std::string text;
  while (text.size() < bytes)
    text += unit;
  return text;
}

} // namespace

TEST_CASE("words that YAML 1.1 gives a meaning are ordinary names") {
  for (std::string word :
       {"y", "n", "on", "off", "yes", "no", "true", "null", "Null", "~", "NULL"}) {
    YamlNode root = parsedYaml("{" + word + ": " + word + ", b: [" + word + "]}");
    REQUIRE(root.entries.size() == 2);
    CHECK(root.entries[0].key == word);
    CHECK(root.entries[0].value.text == word);
    CHECK(root.entries[1].value.items[0].text == word);
    CHECK(parsedYaml(word + ": " + word + "\n").entries[0].value.text == word);
  }
}

TEST_CASE("nothing, an empty string and null are told apart") {
  YamlNode root = parsedYaml("a:\nb: \"\"\nc: null\nd: 'null'\n");
  CHECK(root.entries[0].value.describe() == "nothing");
  CHECK(root.entries[1].value.quoted);
  CHECK(root.entries[1].value.text.empty());
  CHECK(root.entries[2].value.text == "null");
  CHECK(!root.entries[2].value.quoted);
  CHECK(root.entries[3].value.quoted);
  CHECK(root.entries[0].value.mark.line == 1);
}

TEST_CASE("places count lines and columns from 1") {
  YamlNode root = parsedYaml("# comment\nlist:\n  - a\n  - {k: v}\n");
  const YamlNode &list = root.entries[0].value;
  CHECK(root.entries[0].keyMark.line == 2);
  CHECK(root.entries[0].keyMark.column == 1);
  CHECK(list.items[0].mark.line == 3);
  CHECK(list.items[0].mark.column == 5);
  CHECK(list.items[1].entries[0].value.mark.line == 4);
  CHECK(list.items[1].entries[0].value.mark.column == 9);
}

TEST_CASE("a byte order mark and Windows line ends are read") {
  YamlNode root = parsedYaml("\xEF\xBB\xBF"
                             "a: 1\r\nb: null\r\n");
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].value.text == "1");
  CHECK(root.entries[1].value.text == "null");
  CHECK(root.entries[1].keyMark.line == 2);
}

TEST_CASE("duplicate keys are errors wherever they are") {
  CHECK(errorsOf("{a: 1, b: 2, a: 3}") == "a.yaml:1:14: error: duplicate key 'a'\n"
                                          "    each key can be given once\n");
  CHECK_THAT(errorsOf("- {a: {\"b\": 1, b: 2}}"),
             Catch::Contains("1:16: error: duplicate key 'b'"));
  CHECK_THAT(errorsOf("? [a]\n: 1\n"), Catch::Contains("expected a name as a key, found a list"));
}

TEST_CASE("the first of two equal keys is kept") {
  Diagnostics diagnostics;
  auto root = parseYaml("{a: 1, a: 2, c: 3}", "a.yaml", diagnostics);
  REQUIRE(root);
  REQUIRE(root->entries.size() == 2);
  CHECK(root->entries[0].value.text == "1");
  CHECK(root->entries[1].value.text == "3");
}

TEST_CASE("a depth of 64 is read, 65 is not") {
  CHECK(errorsOf(std::string(64, '[') + "x" + std::string(64, ']')).empty());
  CHECK_THAT(errorsOf(std::string(65, '[') + "x" + std::string(65, ']')),
             Catch::Contains("1:65: error: lists and maps are nested more than 64 deep"));
}

TEST_CASE("quoteText keeps messages short and in UTF-8") {
  CHECK(quoteText("abc") == "'abc'");
  CHECK(quoteText("ab\ncd") == "'ab...'");
  CHECK(quoteText(std::string(1000, 'x')) == "'" + std::string(60, 'x') + "...'");
  CHECK(quotePath(std::string(1000, 'x')) == "'" + std::string(1000, 'x') + "'");
  // The 60th byte is the middle of a character.
  CHECK(quoteText(repeated("\xC3\xA4", 59) + "x\xC3\xA4\xC3\xA4") ==
        "'" + repeated("\xC3\xA4", 59) + "...'");
}

TEST_CASE("a megabyte of anything gives an error in bounded time") {
  const size_t megabyte = 1 << 20;
  for (std::string unit : {"[",   "{",      "- ", "? ",   "a: ",        "&a ",   "*a ", "!a ", "'",
                           "\"a", "[{a: ",  "]",  ",",    "%TAG ! a\n", "---\n", "#",   " ",   "\n",
                           "a\n", "\t",     "|",  ">",    "!",          "&",     "*",   "`",   "@",
                           "[? ", "a: b: ", "\\", "- - ", "{a: [",      "\xFF",  "k"}) {
    INFO("repeated: " << unit);
    std::clock_t start = std::clock(); // of this process: other work on the machine does not count
    Diagnostics diagnostics;
    auto root = parseYaml(repeated(unit, megabyte), "a.yaml", diagnostics);
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    CHECK((diagnostics.hasErrors() || root->kind == YamlNode::Kind::scalar ||
           root->kind == YamlNode::Kind::sequence));
    CHECK(seconds < 5);
    for (const Diagnostic &d : diagnostics.errors()) {
      CHECK(d.where.line >= 1);
      CHECK(d.message.size() < 500);
    }
  }
}

TEST_CASE("more values than memory should hold are refused") {
  CHECK_THAT(errorsOf(repeated("- a\n", 4u << 20 | 64)),
             Catch::Contains("more than 1048576 values"));
}
