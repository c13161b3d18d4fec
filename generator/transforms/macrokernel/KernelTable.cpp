#include "transforms/macrokernel/KernelTable.h"

#include "dialect/kgen/LoweringConfig.h"
#include "dialect/ukernel/KernelAttributes.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds the epilogue with the micro-kernel's terminator, or one that yields the accumulator.
void buildEpilogue(Region &region, tpp::ContractionOpInterface op, bool withEpilogue,
                   Location loc) {
  OpBuilder b(region.getContext());
  Block *block = b.createBlock(&region, region.end(), {op.getAccumulatorType()}, {loc});
  if (!withEpilogue) {
    ukernel::YieldOp::create(b, loc, block->getArgument(0));
    return;
  }
  Block &source = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(source.getArgument(0), block->getArgument(0));
  for (BlockArgument operand : source.getArguments().drop_front())
    mapping.map(operand, block->addArgument(operand.getType(), loc));
  for (Operation &inner : source.without_terminator())
    b.clone(inner, mapping);
  ukernel::YieldOp::create(b, loc, mapping.lookupOrDefault(source.getTerminator()->getOperand(0)));
}

/// "_<count>e" for a region of `count` operations; empty if there are none.
std::string epilogueSuffix(Region &code) {
  auto ops = code.front().getOperations().size() - 1;
  return ops > 0 ? "_" + std::to_string(ops) + "e" : "";
}

/// An element type as a part of a kernel's name: "f32", "u8", "i8".
std::string typeName(Type type, bool isUnsigned) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  if (isUnsigned)
    name.front() = 'u';
  return name;
}

std::string nameOf(ukernel::GemmOp kernel) {
  std::string a = typeName(kernel.getElement(), kernel.getAUnsigned()),
              b = typeName(kernel.getBElement(), kernel.getBUnsigned());
  std::string name;
  llvm::raw_string_ostream os(name);
  os << (kernel.getBatch() > 1 ? "uk_brgemm_" : "uk_gemm_") << a;
  if (auto blocks = kernel.getBQuant())
    os << "x" << (blocks->getZeros() ? "u" : "i") << blocks->getBits() << "b" << blocks->getSize()
       << (blocks->getF16Scales() ? "h" : "");
  else if (a != b)
    os << "x" << b;
  if (kernel.getResultType() != kernel.getElement())
    os << "_" << kernel.getResultType();
  os << "_" << kernel.getM() << "x" << kernel.getN() << "x";
  if (kernel.getBatch() > 1)
    os << kernel.getBatch() << "x";
  os << kernel.getK() << (kernel.getF16Accumulate() ? "_half" : "")
     << (kernel.getAccumulate() ? "_acc" : "") << (kernel.getAValidRanges() ? "_in" : "")
     << (kernel.getBPrefetch() ? "_pf" : "") << (kernel.getBUpconvertedRow() ? "_wide" : "")
     << (kernel.getSumsRow() ? "_sums" : "");
  if (auto streams = kernel.getBStreams())
    os << "_" << streams << "s";
  os << epilogueSuffix(kernel.getEpilogue());
  return name;
}

/// The name by the grammar of the descriptor, without the number that makes equal names unique.
std::string kernelName(ukernel::KernelOpInterface kernel) {
  if (auto gemm = dyn_cast<ukernel::GemmOp>(kernel.getOperation()))
    return nameOf(gemm);
  std::string name;
  llvm::raw_string_ostream(name) << "uk_map_" << kernel.getResultType() << "_" << kernel.getM()
                                 << "x" << kernel.getN() << epilogueSuffix(kernel.getScalarCode());
  return name;
}

/// The descriptor as text, without its name.
std::string describe(ukernel::KernelOpInterface kernel) {
  StringAttr name = SymbolTable::getSymbolName(kernel);
  SymbolTable::setSymbolName(kernel, "uk");
  std::string description;
  llvm::raw_string_ostream os(description);
  kernel->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  SymbolTable::setSymbolName(kernel, name);
  return description;
}

} // namespace

KernelTable::KernelTable(ModuleOp module) : module(module) {
  for (Operation &op : *module.getBody()) {
    if (StringAttr name = SymbolTable::getSymbolName(&op))
      names.insert(name.getValue());
    if (auto kernel = dyn_cast<ukernel::KernelOpInterface>(op))
      byDescription.try_emplace(describe(kernel),
                                FlatSymbolRefAttr::get(SymbolTable::getSymbolName(&op)));
  }
}

FlatSymbolRefAttr KernelTable::find(ukernel::KernelOpInterface kernel) const {
  return byDescription.lookup(describe(kernel));
}

FlatSymbolRefAttr KernelTable::intern(ukernel::KernelOpInterface kernel) {
  auto [entry, isNew] = byDescription.try_emplace(describe(kernel));
  if (!isNew) {
    kernel->erase();
    return entry->second;
  }
  std::string base = kernelName(kernel), name = base;
  while (!names.insert(name).second)
    name = base + "_" + std::to_string(++count[base]);
  SymbolTable::setSymbolName(kernel, name);
  return entry->second = FlatSymbolRefAttr::get(module.getContext(), name);
}

FlatSymbolRefAttr KernelTable::get(tpp::ContractionOpInterface op, const KernelShape &shape) {
  OpBuilder b(module.getBodyRegion());
  Location loc = UnknownLoc::get(module.getContext());
  Type bType = shape.isUpconverted ? op.getAccumulatorType() : op.getBType();
  uint64_t vnni = shape.isUpconverted ? 1 : op.getVnni();
  auto kernel = ukernel::GemmOp::create(
      b, loc, "uk", op.getAType(), shape.m, shape.n, shape.k, shape.aRow, shape.aCol, shape.bRow,
      shape.cRow, shape.bPrefetch, shape.epilogueRows, shape.epilogueCols, shape.accumulate,
      shape.padded, op.getStrictOrder(), vnni, shape.batch, shape.aBatch, shape.bBatch, shape.bCol,
      bType == op.getAType() ? TypeAttr() : TypeAttr::get(bType), op.getAUnsigned(),
      op.getBUnsigned(), op.getBQuant().value_or(BlockwiseQuantAttr()), shape.bStreams, shape.aRun,
      shape.aJump, op.getF16Accumulate(),
      shape.aInside.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(shape.aInside),
      shape.bWide, shape.sumsRow, shape.prefetchesRows, shape.hasPrefetchEnd);
  buildEpilogue(kernel.getEpilogue(), op, shape.withEpilogue, loc);
  if (kernel.isDotProducts()) // which have no f16 accumulation
    kernel.setF16Accumulate(false);
  if (shape.oneChain)
    kernel->setDiscardableAttr(ukernel::oneChainAttrName, b.getUnitAttr());
  if (LoweringConfigAttr config = loweringConfigOf(op); config && config.getProvider())
    kernel->setDiscardableAttr(wantedProviderAttrName, config.getProvider());
  return intern(kernel);
}

} // namespace kgen
