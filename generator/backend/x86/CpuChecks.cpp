// The part of a dispatcher in C that knows x86-64 CPUs.
#include "emit/CpuChecks.h"
#include "backend/x86/CpuFeatures.h"
#include "backend/x86/X86.h"
#include "emit/Names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <set>

namespace kgen::x86 {
namespace {
/// Lines between `#if KGENRT_MODELS` and `#endif` belong to libraries with a variant for certain
/// models of CPUs.
constexpr char runtimeText[] =
#include "RuntimeText.inc"
    ;

/// The rows that the library needs, in the table's order. A feature that the table does not know
/// gets a leaf that no CPU has: it counts as missing.
std::vector<CpuFeature> usedFeatures(llvm::ArrayRef<VariantInterface> variants) {
  std::set<std::string> names;
  for (const VariantInterface &variant : variants)
    names.merge(checkedFeatures(variant, cpuFeatures()));
  std::vector<CpuFeature> used;
  for (const CpuFeature &feature : cpuFeatures())
    if (auto it = names.find(std::string(feature.name)); it != names.end()) {
      names.erase(it);
      used.push_back(feature);
    }
  for (const VariantInterface &variant : variants)
    for (const std::string &name : variant.requiredFeatures)
      if (names.erase(name))
        used.push_back({name, "", false, 0xffffffff, 0, "eax", 0, 0, {}});
  return used;
}

std::string featureRow(const CpuFeature &f) {
  constexpr std::string_view registers[] = {"eax", "ebx", "ecx", "edx"};
  size_t reg = std::find(std::begin(registers), std::end(registers), f.reg) - std::begin(registers);
  return "  {" + cString(std::string(f.name)) + ", 0x" + llvm::utohexstr(f.leaf, true) + ", " +
         std::to_string(f.subleaf) + ", " + std::to_string(reg) + ", " + std::to_string(f.bit) +
         ", 0x" + llvm::utohexstr(f.osState, true) + "},\n";
}

/// "static const uint32_t NAME[] = {0x6, 0x1a};", or nothing for an empty list.
std::string idTable(const std::string &name, const std::vector<int64_t> &ids) {
  std::vector<std::string> texts;
  for (int64_t id : ids)
    texts.push_back("0x" + llvm::utohexstr(static_cast<uint64_t>(id), true));
  return ids.empty()
             ? ""
             : "static const uint32_t " + name + "[] = {" + llvm::join(texts, ", ") + "};\n";
}

std::string requirementTables(const VariantInterface &variant,
                              const std::vector<CpuFeature> &used) {
  std::string id = cIdentifier(variant.target), rows, line;
  std::set<std::string> required = checkedFeatures(variant, cpuFeatures());
  for (const CpuFeature &feature : used)
    if (required.count(std::string(feature.name))) {
      std::string item = " " + featureEnumerator(feature.name) + ",";
      if (line.size() + item.size() > 95) {
        rows += "\n   " + line;
        line.clear();
      }
      line += item;
    }
  return "static const uint8_t kgenrt_requires_" + id + "[] = {" + rows + "\n   " + line +
         "\n};\n" + idTable("kgenrt_families_" + id, variant.families) +
         idTable("kgenrt_models_" + id, variant.models);
}

/// The name of a table and its length, as two fields of a variant's row.
std::string tableFields(const std::string &name, const std::vector<int64_t> &ids) {
  return (ids.empty() ? "NULL" : name) + ", " + std::to_string(ids.size());
}

std::string variantRow(const VariantInterface &variant, bool withModels) {
  std::string id = cIdentifier(variant.target), required = "kgenrt_requires_" + id;
  return "  {" + cString(variant.target) + ", " + required + ", sizeof " + required + ", " +
         (variant.vendor.empty() ? "NULL" : cString(variant.vendor)) + ", " +
         tableFields("kgenrt_families_" + id, variant.families) +
         (withModels ? ", " + tableFields("kgenrt_models_" + id, variant.models) : "") + "},\n";
}

/// The runtime's text with or without the lines that only models of CPUs need.
std::string resolveModels(llvm::StringRef text, bool withModels) {
  std::string result;
  bool isInside = false;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    bool begins = line == "#if KGENRT_MODELS", ends = isInside && line == "#endif";
    if (begins || ends)
      isInside = begins;
    else if (!isInside || withModels)
      result += (line + "\n").str();
    text = rest;
  }
  return result;
}
} // namespace

std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) {
  std::string featureNames, features, requirements, rows;
  std::vector<CpuFeature> used = usedFeatures(variants);
  for (const CpuFeature &feature : used) {
    featureNames += "  " + featureEnumerator(feature.name) + ",\n";
    features += featureRow(feature);
  }
  bool withModels = llvm::any_of(
      variants, [](const VariantInterface &variant) { return !variant.models.empty(); });
  for (const VariantInterface &variant : variants) {
    requirements += requirementTables(variant, used);
    rows += variantRow(variant, withModels);
  }
  return cpuChecksText(
      {resolveModels(runtimeText, withModels), featureNames, features, requirements, rows});
}

} // namespace kgen::x86
