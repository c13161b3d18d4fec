// Files that describe machines, the built-in ones, and how they are found.
#include "spec/Fields.h"
#include "spec/MachineSpec.h"
#include "target/MachineLookup.h"
#include "target/TargetSpec.h"

#include "TemporaryFolder.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

std::optional<MachineSpec> find(const std::string &name, const std::string &specPath,
                                Diagnostics &diagnostics) {
  return findMachine({name, {"--machine " + name, 0, 0}}, specPath, {}, diagnostics);
}

const std::string text = "machine: mine\n"
                         "grid: {block: 2, core: [3, 4]}\n"
                         "memories: {L2: {of: block, bytes: 1.5MiB}, L1: {of: core, bytes: 1000}}\n"
                         "bytes_per_cycle: {L3: 12.5, L2: 4}\n"
                         "products_per_cycle: {bf16: 0.5}\n";

} // namespace

TEST_CASE("the built-in machines") {
  CHECK(builtInMachines() == std::vector<std::string>{"array-2x2", "array-4x5"});
  Diagnostics diagnostics;
  auto machine = find("array-2x2", "", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(machine);
  CHECK(machine->name.value == "array-2x2");
  CHECK(machine->path == "<built-in>/array-2x2.yaml");
  CHECK(machine->cores() == 4);
  CHECK(machine->blocks() == 1);
  CHECK(machine->l2.bytes == 512 << 10);
  CHECK(machine->l1.bytes == 64 << 10);
  CHECK(machine->l3BytesPerCycle == 32);
  CHECK(machine->l2BytesPerCycle == 16);
  CHECK(machine->productsPerCycle.at("i32") == 32);
  CHECK(machine->gridText() == "2x2");
  REQUIRE(find("array-4x5", "", diagnostics));
  CHECK(find("array-4x5", "", diagnostics)->cores() == 20);
}

TEST_CASE("what a machine's file says") {
  Diagnostics diagnostics;
  auto machine = parseMachineText(text, "mine.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(machine);
  CHECK(machine->blockGrid == std::vector<int64_t>{2});
  CHECK(machine->coreGrid == std::vector<int64_t>{3, 4});
  CHECK(machine->gridText() == "2 blocks of 3x4");
  CHECK(machine->l2.bytes == 3 << 19);
  CHECK(machine->l1.bytes == 1000);
  CHECK(machine->l3BytesPerCycle == 12.5);
  CHECK(machine->productsPerCycle == std::map<std::string, double>{{"bf16", 0.5}});
  CHECK(machine->l1.ofCore);
  CHECK(memoryName(machine->l1.space) == std::string("L1"));
}

TEST_CASE("a machine is found beside the spec, by its path, and by nothing else") {
  test::TemporaryFolder folder;
  folder.write("mine.yaml", text);
  folder.write("yours.yaml", text);
  Diagnostics diagnostics;
  CHECK(find("mine", folder.path("spec.yaml"), diagnostics));
  CHECK(find(folder.path("mine.yaml"), "", diagnostics));
  CHECK(diagnostics.str() == "");
  CHECK(!find(folder.path("yours.yaml"), "", diagnostics));
  CHECK_THAT(diagnostics.str(),
             Catch::Contains("yours.yaml:1:10: error: expected the name of the file, 'yours', as "
                             "the machine's name, found 'mine'"));
}

TEST_CASE("names that are no machines") {
  Diagnostics diagnostics;
  CHECK(!find("array-2x3", "", diagnostics));
  CHECK(!find("x86-64-v4", "", diagnostics));
  CHECK(!findTarget({"array-4x5", {"a.yaml", 3, 4}}, "", {}, diagnostics));
  REQUIRE(diagnostics.errors().size() == 3);
  CHECK(diagnostics.errors()[0].message ==
        "unknown machine 'array-2x3' (did you mean 'array-2x2'?)");
  CHECK(diagnostics.errors()[1].message ==
        "target 'x86-64-v4' is a CPU; a machine is expected here");
  CHECK(diagnostics.errors()[2].message ==
        "target 'array-4x5' is a machine; a CPU is expected here");
  CHECK(diagnostics.errors()[2].where.line == 3);
}

TEST_CASE("a machine among others of a map") {
  Diagnostics diagnostics;
  auto root = parseYaml(text, "mine.yaml", diagnostics);
  REQUIRE(root);
  root->entries.erase(root->entries.begin()); // the name is the key of the map
  SpecReader reader("mine.yaml", diagnostics);
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  map.entries.push_back({"other", {}, *root});
  std::vector<MachineSpec> machines;
  readMachines(reader, map, machines);
  INFO(diagnostics.str());
  REQUIRE(machines.size() == 1);
  CHECK(machines[0].name.value == "other");
  CHECK(machines[0].cores() == 12);
  readMachines(reader, map, machines); // the name is taken
  CHECK(machines.size() == 1);
  CHECK(diagnostics.errors().size() == 1);
}
