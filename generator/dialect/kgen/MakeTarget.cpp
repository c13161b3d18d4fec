#include "dialect/kgen/MakeTarget.h"

#include "dialect/kgen/Kgen.h"
#include "target/Target.h"

#include <mlir/IR/Builders.h>

namespace kgen {

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
