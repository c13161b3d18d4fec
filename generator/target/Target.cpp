// From a target's YAML to the attribute that passes read, and LLVM's feature string.
#include "target/Target.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Builders.h>

#include <llvm/ADT/StringExtras.h>

namespace kgen {

std::string targetIdentifier(const std::string &name) {
  std::string identifier = name;
  for (char &c : identifier)
    if (!llvm::isAlnum(c))
      c = '_';
  return identifier;
}

std::string llvmFeatures(const TargetSpec &target) {
  std::string text;
  for (const Located<std::string> &feature : target.requiredFeatures)
    text += (text.empty() ? "+" : ",+") + feature.value;
  return text;
}

TargetAttr makeTargetAttr(const TargetSpec &target, mlir::MLIRContext *context) {
  mlir::Builder b(context);
  mlir::NamedAttrList kinds;
  for (const auto &[kind, values] : target.gemmTiles) {
    mlir::NamedAttrList list;
    for (const auto &[name, value] : values)
      list.set(name, b.getI64IntegerAttr(value));
    kinds.set(kind, list.getDictionary(context));
  }
  mlir::NamedAttrList costs;
  for (const auto &[instruction, cycles] : target.costs)
    costs.set(instruction, b.getF64FloatAttr(cycles));
  // Only what differs from the defaults, so that dumps say what a target states.
  mlir::NamedAttrList facts, heuristics;
  for (const FactEntry &fact : factEntries())
    if (int64_t value = target.*fact.member; value != fact.value)
      facts.set(fact.name, b.getI64IntegerAttr(value));
  for (const HeuristicEntry &entry : heuristicEntries())
    if (double value = entry.get(target.heuristics); value != entry.value)
      heuristics.set(entry.name, entry.isInteger
                                     ? mlir::Attribute(b.getI64IntegerAttr(int64_t(value)))
                                     : mlir::Attribute(b.getF64FloatAttr(value)));
  return TargetAttr::get(context, target.name.value, target.triple, llvmFeatures(target),
                         target.tune, target.vectorBits, target.vectorRegisters, target.l1dBytes,
                         target.l2Bytes, kinds.getDictionary(context), costs.getDictionary(context),
                         facts.getDictionary(context), heuristics.getDictionary(context));
}

} // namespace kgen
