#include "analysis/StoreKinds.h"

#include "analysis/SizeBounds.h"
#include "analysis/ViewSource.h"
#include "costmodel/Caches.h"
#include "costmodel/NonTemporalStores.h"
#include "dialect/kgen/LoweringConfig.h"

using namespace mlir;

namespace kgen {

Stores storesOf(linalg::LinalgOp op, TargetAttr target) {
  std::optional<Stores> written = writtenStores(op);
  return written ? *written : chooseStores(op, target);
}

Stores chooseStores(linalg::LinalgOp op, TargetAttr target,
                    function_ref<bool(OpOperand &)> isInTile) {
  const Cpu &cpu = target.cpu();
  Stores stores = Stores::cached, nonTemporal = Stores::alongRows | Stores::acrossRows;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isInTile(operand))
      continue;
    int64_t bytes = greatestBytesOf(viewSourceThroughLoops(operand.get()));
    if (exceedsLastLevel(cpu, bytes))
      stores = stores | Stores::memory;
    if (!op.isDpsInit(&operand))
      continue;
    if (isNonTemporalProfitable(cpu, bytes, StoreOrder::alongRows))
      stores = stores | Stores::alongRows;
    if (isNonTemporalProfitable(cpu, bytes, StoreOrder::acrossRows))
      stores = stores | Stores::acrossRows;
  }
  LoweringConfigAttr config = loweringConfigOf(op);
  BoolAttr demanded = config ? config.getNonTemporal() : BoolAttr();
  if (!demanded)
    return stores;
  return demanded.getValue() ? stores | nonTemporal : stores & ~nonTemporal;
}

} // namespace kgen
