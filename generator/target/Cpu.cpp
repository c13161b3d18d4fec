#include "target/Cpu.h"

#include <algorithm>
#include <type_traits>

namespace kgen {

const Product *Capabilities::product(Product::Kind kind, Element element) const {
  auto found = std::find_if(products.begin(), products.end(), [&](const Product &one) {
    return one.kind() == kind && one.element == element;
  });
  return found == products.end() ? nullptr : &*found;
}

bool Capabilities::hasByteDots(Product::Signs signs) const {
  return std::any_of(products.begin(), products.end(), [&](const Product &one) {
    return one.kind() == Product::Kind::dot && one.element == Element::i8 &&
           (one.signs == signs || one.signs == Product::Signs::any);
  });
}

bool Capabilities::hasTileRegisters() const {
  return std::any_of(products.begin(), products.end(),
                     [](const Product &one) { return one.inTiles; });
}

const std::vector<HeuristicEntry> &heuristicEntries() {
  static const std::vector<HeuristicEntry> entries = {
#define KGEN_HEURISTIC(member, yamlName, type, value, unit, reason)                                \
  {#yamlName,                                                                                      \
   unit,                                                                                           \
   reason,                                                                                         \
   static_cast<double>(value),                                                                     \
   std::is_integral_v<type>,                                                                       \
   [](const Heuristics &from) { return static_cast<double>(from.member); },                        \
   [](Heuristics &to, double number) { to.member = static_cast<type>(number); }},
#include "target/Heuristics.def"
  };
  return entries;
}

const std::vector<FactEntry> &factEntries() {
  static const std::vector<FactEntry> entries = {
#define KGEN_CPU_FACT(section, member, yamlName, value, unit, meaning)                             \
  {section, #yamlName, unit, meaning, value, &Cpu::member},
#include "target/Facts.def"
  };
  return entries;
}

const HeuristicEntry *findHeuristic(const std::string &name) {
  const std::vector<HeuristicEntry> &all = heuristicEntries();
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const HeuristicEntry &entry) { return name == entry.name; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace kgen
