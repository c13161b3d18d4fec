// Facts that the cost model plans a macro-kernel from: sizes, strides and types of the contraction.
#include "analysis/SizeBounds.h"
#include "analysis/ViewSource.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

/// True if B is contiguous along k only, so are the rows of A, and sums may be in any order.
bool MacroKernel::isContiguousAlongK() {
  bool oneColumn = sizes[n()] == 1, contiguous = bOperand.strides[k()] == 1 && a.strides[k()] == 1;
  return contiguous && (oneColumn || bOperand.strides[n()] != 1) &&
         isa<FloatType>(gemm.getBType()) && !gemm.getStrictOrder() && gemm.hasOneType();
}

bool MacroKernel::areDotProducts() { return !panel && isContiguousAlongK(); }

GemmStrides MacroKernel::stridesOf(const Operand &operand) {
  SmallVector<int64_t> strides(operand.strides);
  llvm::replace(strides, ShapedType::kDynamic, int64_t(0));
  return {m > 0 ? strides[outer()] : 0, strides[m], strides[n()], strides[r()], strides[k()]};
}

/// True if rows of the last batch dimension are not a constant distance apart.
bool MacroKernel::hasDynamicOuter() {
  auto isDynamic = [&](const Operand &operand) { return operand.hasDynamicStride(outer()); };
  return m > 0 && (dynamicSizes[outer()].value || isDynamic(a) || isDynamic(bOperand) ||
                   isDynamic(c) || llvm::any_of(epilogueOperands, isDynamic));
}

void MacroKernel::describeB(GemmFacts &facts) {
  Value whole = viewSource(bOperand.base); // of which a task may have a slice
  facts.panel = panel;
  facts.vnni = gemm.getVnni();
  facts.bBytes = bytesOfElement(gemm.getBType());
  facts.isQuantized = gemm.getBQuant().has_value();
  facts.bytesOfB = facts.bytesOfMatrixB = greatestBytesOf(whole);
  for (unsigned batch = 0; batch < m; ++batch)
    if (bOperand.strides[batch] != 0)
      facts.bytesOfMatrixB /= sizes[batch];
  facts.hasPanelsBeside =
      sizes[n()] > panel || greatestElementsOf(whole) != greatestElementsOf(bOperand.base);
  facts.panelRowElements = panel ? rowOfPanel() : 0;
  facts.quantizedPanelRows = facts.isQuantized ? rowsOfPanel(sizes[k()]) : 0;
}

GemmFacts MacroKernel::facts() {
  GemmFacts facts;
  Type aType = gemm.getAType(), bType = gemm.getBType(), sum = gemm.getAccumulatorType();
  facts.hasBatch = m > 0;
  facts.outer = m > 0 ? sizes[outer()] : 1;
  facts.m = sizes[m];
  facts.rowDivisor = dynamicSizes[m].value ? dynamicSizes[m].divisor : 0;
  facts.hasDynamicOuter = hasDynamicOuter();
  facts.hasDynamicProducts = a.hasDynamicStride(r());
  facts.n = sizes[n()];
  facts.r = sizes[r()];
  facts.k = sizes[k()];
  facts.a = stridesOf(a);
  facts.b = stridesOf(bOperand);
  facts.c = stridesOf(c);
  for (const Operand &operand : epilogueOperands)
    facts.epilogues.push_back(stridesOf(operand));
  describeB(facts);
  facts.lanes = target.lanes(gemm.getF16Accumulate() ? aType : sum);
  facts.aBytes = bytesOfElement(aType);
  facts.bytesOfA = greatestBytesOf(viewSource(a.base));
  facts.hasOneType = gemm.hasOneType();
  facts.hasFloats = isa<FloatType>(bType);
  facts.storesSums = gemm.getCType().getElementType() == sum;
  facts.f16Accumulate = gemm.getF16Accumulate();
  facts.strictOrder = gemm.getStrictOrder();
  facts.hasImplicitPads = !implicitPads.empty();
  facts.isContiguousAlongK = isContiguousAlongK();
  // Bytes that are multiplied in pairs are up-converted in blocks of k.
  facts.convertsBytes =
      !facts.isQuantized && tpp::planOf(gemm, target).inVectors().getForm() == "multiply_add_i16";
  facts.convertsPairs = gemm.getVnni() > 1 && aType != bType;
  if ((bType.isBF16() || bType.isF16()) && sum.isF32() && aType == sum)
    facts.narrowB = elementOf(bType);
  facts.blocking = tpp::blockingOf(gemm, target, sizes[m], /*mayUseTiles=*/true);
  facts.vectorBlocking = tpp::blockingOf(gemm, target, sizes[m], /*mayUseTiles=*/false);
  GemmShape shape{elementOf(gemm.getAValueType()), elementOf(gemm.getBValueType())};
  shape.n = sizes[n()];
  shape.isPacked = gemm.getPanel().has_value();
  facts.usualKc = usualDepth(target.cpu(), shape, tpp::planOf(gemm, target).inVectors().tile());
  return facts;
}

} // namespace kgen
