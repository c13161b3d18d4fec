// kgen targets: what there is, as a table or JSON.
#include "explain/Table.h"
#include "spec/MachineSpec.h"
#include "spec/Yaml.h"
#include "support/Json.h"
#include "target/Cpu.h"
#include "target/TargetFiles.h"
#include "tools/Commands.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

namespace kgen {
namespace {

/// The *.yaml files of the folders.
std::vector<std::string> targetFiles(const std::vector<std::string> &searchPath) {
  std::vector<std::string> files;
  for (const std::string &directory : searchPath) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(directory, error), end; it != end && !error;
         it.increment(error))
      if (llvm::sys::path::extension(it->path()) == ".yaml")
        files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> featuresOf(const TargetSpec &target) {
  std::vector<std::string> features;
  for (const auto &feature : target.requiredFeatures)
    features.push_back(feature.value);
  return features;
}

std::vector<std::string> without(std::vector<std::string> features,
                                 const std::vector<std::string> &others) {
  llvm::erase_if(features, [&](const std::string &f) { return llvm::is_contained(others, f); });
  return features;
}

/// Returns what a CPU must have beyond what another target requires: of those that require less,
/// the one that leaves the fewest features to name.
std::string requirementText(const TargetSpec &target, const std::vector<TargetSpec> &targets) {
  std::vector<std::string> features = featuresOf(target), extra = features;
  std::string base;
  for (const TargetSpec &other : targets) {
    std::vector<std::string> theirs = featuresOf(other), more = without(features, theirs);
    if (without(theirs, features).empty() && theirs.size() < features.size() &&
        more.size() <= extra.size())
      base = other.name.value + " + ", extra = more;
  }
  return base + fmt::format("{}", fmt::join(extra, " "));
}

/// "0x19, 0x1a"
std::string idsText(const std::vector<int64_t> &ids) {
  return fmt::format("{:#x}", fmt::join(ids, ", "));
}

/// The CPUs that choose a target by its rank: "AuthenticAMD, family 0x1a"; empty: all.
std::string onlyOnText(const CpuMatch &cpus) {
  std::string text = cpus.vendor;
  if (!cpus.families.empty())
    text += ", family " + idsText(cpus.families);
  if (!cpus.models.empty())
    text += ", model " + idsText(cpus.models);
  return text;
}

Json targetJson(const TargetSpec &target) {
  Json json = {{"name", target.name.value},
               {"rank", target.rank},
               {"file", target.path},
               {"vector_bits", target.vectorBits},
               {"requires", featuresOf(target)}};
  const CpuMatch &cpus = target.onlyOn;
  if (!cpus.vendor.empty())
    json["only_on"] = {
        {"vendor", cpus.vendor}, {"families", cpus.families}, {"models", cpus.models}};
  return json;
}

Json machineJson(const MachineSpec &machine) {
  return {{"name", machine.name.value},
          {"file", machine.path},
          {"grid", {{"block", machine.blockGrid}, {"core", machine.coreGrid}}},
          {"bytes", {{"L2", machine.l2.bytes}, {"L1", machine.l1.bytes}}},
          {"bytes_per_cycle", {{"L3", machine.l3BytesPerCycle}, {"L2", machine.l2BytesPerCycle}}},
          {"products_per_cycle", machine.productsPerCycle}};
}

Json gpuJson(const GpuSpec &gpu) {
  Json json = {{"name", gpu.name.value}, {"file", gpu.path}};
#define KGEN_GPU_FACT(KEY, MEMBER, TYPE, MEANING) json[#KEY] = gpu.facts.MEMBER;
#include "target/GpuFacts.def"
  return json;
}

std::string kibText(int64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} B", bytes);
}

Table machineTable(const std::vector<MachineSpec> &machines) {
  Table table{"",
              {{"machine"},
               {"cores"},
               {"L2 of a block", true},
               {"L1 of a core", true},
               {"bytes a cycle, L3, L2", true},
               {"products a cycle of a core"}},
              {}};
  for (const MachineSpec &machine : machines) {
    std::vector<std::string> products;
    for (const auto &[type, count] : machine.productsPerCycle)
      products.push_back(fmt::format("{} {:g}", type, count));
    table.rows.push_back(
        {machine.name.value, machine.gridText(), kibText(machine.l2.bytes),
         kibText(machine.l1.bytes),
         fmt::format("{:g}, {:g}", machine.l3BytesPerCycle, machine.l2BytesPerCycle),
         fmt::format("{}", fmt::join(products, ", "))});
  }
  return table;
}

Table gpuTable(const std::vector<GpuSpec> &gpus) {
  Table table{"",
              {{"graphics card"},
               {"cores", true},
               {"threads of a block", true},
               {"shared memory of a block", true},
               {"multiply-adds a cycle", true},
               {"bytes a cycle", true}},
              {}};
  for (const GpuSpec &gpu : gpus)
    table.rows.push_back(
        {gpu.name.value, std::to_string(gpu.facts.cores), std::to_string(gpu.facts.threadsOfBlock),
         kibText(gpu.facts.sharedBytes),
         fmt::format("{:g}", gpu.facts.multiplyAddsPerCycle * static_cast<double>(gpu.facts.cores)),
         fmt::format("{:g}", gpu.facts.bytesPerCycle)});
  return table;
}

/// All that is built in, and in the folders of the search path.
struct FoundTargets {
  std::vector<TargetSpec> cpus;
  std::vector<MachineSpec> machines;
  std::vector<GpuSpec> gpus;

  void add(const std::string &text, const std::string &path, Diagnostics &diagnostics) {
    const TargetKind kind = kindOfTarget(text);
    if (kind == TargetKind::gpu) {
      if (auto gpu = parseGpuText(text, path, diagnostics))
        gpus.push_back(std::move(*gpu));
    } else if (kind == TargetKind::machine) {
      if (auto machine = parseMachineText(text, path, diagnostics))
        machines.push_back(std::move(*machine));
    } else if (auto target = parseTargetText(text, path, diagnostics)) {
      cpus.push_back(std::move(*target));
    }
  }
};

void print(const FoundTargets &found, bool json) {
  Json targets = Json::array(), machines = Json::array(), gpus = Json::array();
  Table table{"", {{"target"}, {"rank", true}, {"vectors"}, {"only on"}, {"requires"}}, {}};
  for (const TargetSpec &target : found.cpus) {
    targets.push_back(targetJson(target));
    table.rows.push_back({target.name.value, std::to_string(target.rank),
                          fmt::format("{}x{}", target.vectorRegisters, target.vectorBits),
                          onlyOnText(target.onlyOn), requirementText(target, found.cpus)});
  }
  for (const MachineSpec &machine : found.machines)
    machines.push_back(machineJson(machine));
  for (const GpuSpec &gpu : found.gpus)
    gpus.push_back(gpuJson(gpu));
  if (json)
    std::cout << formatJson({{"targets", targets}, {"machines", machines}, {"gpus", gpus}});
  else
    std::cout << tableText(table) << "\n"
              << tableText(machineTable(found.machines)) << "\n"
              << tableText(gpuTable(found.gpus));
}

} // namespace

int listHeuristics(bool json) {
  Json all = {{"facts", Json::array()}, {"heuristics", Json::array()}};
  Table facts{"Facts", {{"name"}, {"section"}, {"default", true}, {"unit"}, {"meaning"}}, {}},
      heuristics{"Heuristics", {{"name"}, {"default", true}, {"unit"}, {"meaning"}}, {}};
  auto add = [](std::vector<std::string> row, Json &list, Table &table) {
    Json entry;
    for (size_t i = 0; i < row.size(); ++i)
      entry[table.columns[i].title] = row[i];
    list.push_back(std::move(entry));
    table.rows.push_back(std::move(row));
  };
  for (const FactEntry &fact : factEntries())
    add({fact.name, fact.section, std::to_string(fact.value), fact.unit, fact.meaning},
        all["facts"], facts);
  for (const HeuristicEntry &entry : heuristicEntries())
    add({entry.name, fmt::format("{}", entry.value), entry.unit, entry.reason}, all["heuristics"],
        heuristics);
  if (json)
    std::cout << formatJson(all);
  else
    std::cout << tableText(facts) << "\n" << tableText(heuristics);
  return exitOk;
}

int listTargets(const std::vector<std::string> &searchPath, bool json) {
  Diagnostics diagnostics, ofOthers; // of architectures that this kgen is built without
  FoundTargets found;
  for (const TargetFile &file : builtInTargetFiles())
    found.add(file.text, file.path, ofOthers);
  for (const std::string &path : targetFiles(searchPath))
    if (auto text = readYamlText(path, diagnostics))
      found.add(*text, path, diagnostics);
  report(diagnostics, json);
  if (diagnostics.hasErrors())
    return exitUserError;
  std::stable_sort(found.cpus.begin(), found.cpus.end(), [](auto &a, auto &b) {
    return std::make_pair(-a.rank, a.name.value) < std::make_pair(-b.rank, b.name.value);
  });
  print(found, json);
  return exitOk;
}

} // namespace kgen
