#include "driver/verify/FrameCalls.h"

#include "driver/run/ForeignMachine.h"

#include <cstring>

namespace kgen {

llvm::Expected<FrameCalls> FrameCalls::make(const GivenValues &values, const GraphInterface &graph,
                                            const std::string &symbol, const std::string &target,
                                            CodeReference code) {
  llvm::Expected<GraphCall> function = GraphCall::make(graph, symbol, target, code, values.sizes);
  if (!function)
    return function.takeError();
  return FrameCalls(values, atSizes(graph, values.sizes), std::move(*function));
}

void FrameCalls::fillInputs(int64_t frame) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const TensorInterface &input = graph.inputs[i];
    const char *bytes = bytesOfFrame(values->inputs[i], input.type, frame);
    if (frame == 0 || input.state.empty())
      std::memcpy(function.input(i), bytes, static_cast<size_t>(input.type.byteCount()));
  }
}

llvm::Error FrameCalls::call(int64_t frame) {
  if (frame > 0)
    function.carryState();
  fillInputs(frame);
  llvm::Expected<int> status = function.call();
  if (!status)
    return status.takeError();
  if (*status == 0)
    return llvm::Error::success();
  return foreignError("graph '" + graph.name + "': an extern function failed" +
                      (values->frames ? " in frame " + std::to_string(frame) : "") +
                      ": it returned " + std::to_string(*status));
}

} // namespace kgen
