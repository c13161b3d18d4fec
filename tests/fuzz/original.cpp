// Names of a model, `original` in a spec, from hostile bytes: as generated C and Python have them.
#include "emit/Names.h"
#include "emit/PythonNames.h"
#include "spec/Spec.h"

#include <cstdio>
#include <cstdlib>

static void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Each byte as an escape of YAML.
static std::string quoted(const unsigned char *data, size_t size) {
  std::string text = "\"";
  for (size_t i = 0; i < size; ++i) {
    char escape[5];
    std::snprintf(escape, sizeof escape, "\\x%02x", data[i]);
    text += escape;
  }
  return text + "\"";
}

/// No quote, and no end of a line, but after a backslash of its own.
static bool isOneLiteral(llvm::StringRef literal, char quote) {
  bool isEscaped = false;
  llvm::StringRef inside = literal.drop_front().drop_back();
  for (char c : inside) {
    if (c == '\n' || (c == quote && !isEscaped))
      return false;
    isEscaped = c == '\\' && !isEscaped;
  }
  return literal.size() >= 2 && literal.front() == literal.back() && !isEscaped;
}

static void requireSafe(const std::string &name) {
  require(isOneLiteral(kgen::cString(name), '"'));
  std::string literal = kgen::pythonString(name);
  require(isOneLiteral(literal, literal.front()));
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  std::string name(reinterpret_cast<const char *>(data), size);
  requireSafe(name);
  kgen::Diagnostics diagnostics;
  std::string text = "library: fuzz\n"
                     "targets: [x86-64-v2]\n"
                     "graphs:\n"
                     "  - name: f\n"
                     "    inputs: {x: {type: 'f32[4]', original: " +
                     quoted(data, size) +
                     "}}\n"
                     "    nodes: [{name: y, op: Relu, inputs: [x]}]\n"
                     "    outputs: [y]\n";
  auto library = kgen::parseLibraryText(text, "fuzz.yaml", diagnostics);
  require(library.has_value() != diagnostics.hasErrors());
  for (const kgen::GraphSpec &graph : library ? library->graphs : std::vector<kgen::GraphSpec>())
    for (const auto &[key, original] : graph.original)
      requireSafe(original);
  return 0;
}
