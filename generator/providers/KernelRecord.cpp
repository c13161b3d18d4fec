#include "providers/KernelRecord.h"

#include "dialect/kgen/TaskRange.h"

#include <llvm/ADT/MapVector.h>

using namespace mlir;

namespace kgen {

void KernelRecord::offer(StringRef provider, std::optional<double> cost, StringRef refusal) {
  if (!log.isOn())
    return;
  Details details = log.details().set("provider", provider);
  if (cost)
    details.set("cost", *cost);
  else
    details.set("refusal", refusal);
  offers.push_back(details.get());
}

/// For each numbered operation that calls the kernel: how often it does in one run of the graph.
ArrayAttr KernelRecord::calls() {
  llvm::MapVector<int64_t, int64_t> counts;
  kernel->getParentOfType<ModuleOp>().walk([&](ukernel::CallOp call) {
    if (call.getCalleeAttr().getAttr() == SymbolTable::getSymbolName(kernel))
      counts[opIdOf(call.getLoc()).value_or(-1)] += executionCount(call);
  });
  SmallVector<Attribute> list;
  for (auto [id, count] : counts)
    list.push_back(log.details().set("step", id).set("runs", count).get());
  return ArrayAttr::get(kernel.getContext(), list);
}

void KernelRecord::chosen(StringRef provider) {
  if (!log.isOn())
    return;
  auto gemm = dyn_cast<ukernel::GemmOp>(kernel.getOperation());
  Block &epilogue = kernel.getScalarCode().front();
  auto operations = llvm::count_if(epilogue.without_terminator(), [](Operation &op) {
    return !op.hasTrait<OpTrait::ConstantLike>();
  });
  log.add("kernel", kernel->getLoc(),
          log.details()
              .set("symbol", SymbolTable::getSymbolName(kernel).getValue())
              .set("provider", provider)
              .set("m", static_cast<int64_t>(kernel.getM()))
              .set("n", static_cast<int64_t>(kernel.getN()))
              .set("k", static_cast<int64_t>(gemm ? gemm.getK() : 0))
              .set("epilogue", static_cast<int64_t>(operations))
              .set("accumulate", static_cast<int64_t>(kernel.readsDestination()))
              .set("offers", ArrayAttr::get(kernel.getContext(), offers))
              .set("calls", calls()));
}

} // namespace kgen
