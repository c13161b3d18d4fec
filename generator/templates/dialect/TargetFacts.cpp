#include "templates/dialect/TargetFacts.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen::templates {

TargetFacts factsOf(TargetAttr target) {
  TargetFacts facts;
  if (!target)
    return facts;
  for (llvm::StringRef feature : llvm::split(target.getFeatures(), ','))
    if (feature.consume_front("+"))
      facts.features.push_back(feature.str());
  facts.numbers = {{"vector_bits", target.getVectorBits()},
                   {"vector_registers", target.getVectorRegisters()},
                   {"l1d", target.getL1d()},
                   {"l2", target.getL2()}};
  return facts;
}

} // namespace kgen::templates
