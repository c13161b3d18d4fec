// The tables of facts and heuristics.
#include "target/Cpu.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace kgen;

TEST_CASE("each heuristic is its own: set by name, read back, no other changes") {
  std::set<std::string> names;
  for (const HeuristicEntry &entry : heuristicEntries()) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(findHeuristic(entry.name) == &entry);
    CHECK(std::string(entry.unit) != "");
    CHECK(std::string(entry.reason) != "");
    Heuristics changed;
    CHECK(entry.get(changed) == entry.value);
    entry.set(changed, entry.value + 1);
    CHECK(entry.get(changed) == entry.value + 1);
    for (const HeuristicEntry &other : heuristicEntries())
      if (&other != &entry)
        CHECK(other.get(changed) == other.value);
  }
  CHECK(findHeuristic("max_task") == nullptr);
}

TEST_CASE("each fact has a member of its own") {
  Cpu cpu;
  for (const FactEntry &fact : factEntries()) {
    INFO(fact.name);
    CHECK(cpu.*fact.member == fact.value);
    cpu.*fact.member = -1;
  }
}
