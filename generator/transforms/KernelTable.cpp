#include "transforms/KernelTable.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

/// The epilogue with the micro-kernel's terminator, or just the accumulator.
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
  for (BlockArgument extra : source.getArguments().drop_front())
    mapping.map(extra, block->addArgument(extra.getType(), loc));
  for (Operation &inner : source.without_terminator())
    b.clone(inner, mapping);
  ukernel::YieldOp::create(b, loc, mapping.lookupOrDefault(source.getTerminator()->getOperand(0)));
}

/// The name by the grammar of ukernel.gemm, without the number that tells equal names apart.
std::string kernelName(ukernel::GemmOp kernel) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << (kernel.getBatch() > 1 ? "uk_brgemm_" : "uk_gemm_") << kernel.getElement();
  if (kernel.getResultType() != kernel.getElement())
    os << "_" << kernel.getResultType();
  os << "_" << kernel.getM() << "x" << kernel.getN() << "x";
  if (kernel.getBatch() > 1)
    os << kernel.getBatch() << "x";
  os << kernel.getK() << (kernel.getAccumulate() ? "_acc" : "")
     << (kernel.getBPrefetch() ? "_pf" : "");
  Block &body = kernel.getEpilogue().front();
  if (auto steps = std::distance(body.begin(), body.end()) - 1; steps > 0)
    os << "_" << steps << "e";
  return name;
}

} // namespace

FlatSymbolRefAttr KernelTable::get(tpp::ContractionOpInterface op, const KernelShape &shape) {
  OpBuilder b(module.getBodyRegion());
  Location loc = UnknownLoc::get(module.getContext());
  auto kernel = ukernel::GemmOp::create(
      b, loc, "uk", op.getElementType(), shape.m, shape.n, shape.k, shape.aRow, shape.aCol,
      shape.bRow, shape.cRow, shape.bPrefetch, shape.extraRows, shape.extraCols, shape.accumulate,
      shape.padded, op.getSequential(), op.getVnni(), shape.batch, shape.aBatch, shape.bBatch,
      shape.bCol);
  buildEpilogue(kernel.getEpilogue(), op, shape.withEpilogue, loc);
  std::string description;
  {
    llvm::raw_string_ostream os(description);
    kernel.print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  }
  auto [entry, isNew] = byDescription.try_emplace(description);
  if (!isNew) {
    kernel.erase();
    return entry->second;
  }
  std::string name = kernelName(kernel);
  if (int number = count[name]++)
    name += "_" + std::to_string(number);
  kernel.setSymName(name);
  return entry->second = FlatSymbolRefAttr::get(module.getContext(), name);
}

} // namespace kgen
