// The whole front end over one file, as `kgen check` runs it.
#pragma once

#include "ingress/yaml/BuildGraph.h"
#include "spec/MachineSpec.h"
#include "target/TargetSpec.h"

#include "FakeOperators.h"

#include <algorithm>
#include <tuple>

namespace kgen::test {

/// Everything that can be reported about a file. A file whose name begins with "target-" describes
/// a CPU, one with "machine-" a machine.
inline void checkFile(const std::string &path, Diagnostics &diagnostics) {
  std::string name = path.substr(path.rfind('/') + 1);
  if (name.rfind("target-", 0) == 0) {
    parseTargetSpec(path, diagnostics);
    return;
  }
  if (name.rfind("machine-", 0) == 0) {
    parseMachineSpec(path, diagnostics);
    return;
  }
  auto library = parseLibrarySpec(path, diagnostics);
  if (!library)
    return;
  for (const auto &target : library->targets)
    findTarget(target, path, {}, diagnostics);
  for (const GraphSpec &graph : library->graphs)
    buildGraph(graph, fakeOperators(), diagnostics);
}

/// Diagnostics in the order in which they are shown.
inline std::vector<Diagnostic> sorted(const Diagnostics &diagnostics) {
  std::vector<Diagnostic> list = diagnostics.errors();
  auto key = [](const Diagnostic &d) { return std::tie(d.where.line, d.where.column, d.message); };
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto &a, const auto &b) { return key(a) < key(b); });
  return list;
}

} // namespace kgen::test
