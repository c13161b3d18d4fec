#include "driver/verify/FrameCalls.h"

#include "driver/run/ForeignMachine.h"

#include <cstring>

namespace kgen {

llvm::Expected<FrameCalls> FrameCalls::make(const GivenValues &values, const GraphInterface &graph,
                                            Maker maker) {
  llvm::Expected<GraphCall> function = maker(values.sizes);
  if (!function)
    return function.takeError();
  return FrameCalls(values, atSizes(graph, values.sizes), std::move(maker), std::move(*function));
}

llvm::Expected<FrameCalls> FrameCalls::make(const GivenValues &values, const GraphInterface &graph,
                                            const std::string &symbol, const std::string &target,
                                            CodeReference code) {
  return make(values, graph, [=](const SizeValues &sizes) {
    return GraphCall::make(graph, symbol, target, code, sizes);
  });
}

void FrameCalls::fillInputs(int64_t frame) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const TensorInterface &input = graph.inputs[i];
    const char *bytes = bytesOfFrame(values->inputs[i], input.type, frame);
    if (frame == 0 || input.state.empty())
      std::memcpy(function.input(i), bytes, static_cast<size_t>(input.type.byteCount()));
  }
}

/// States become what the last call has made of them, and sizes what states hold.
llvm::Error FrameCalls::goOn(int64_t frame) {
  function.carryState();
  SizeValues next = sizes;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    for (const DimSymbol &dim : graph.dims)
      if (!dim.state.empty() && dim.state == graph.inputs[i].state) {
        std::memcpy(&next[dim.name], function.input(i), sizeof(int64_t));
        if (!dim.contains(next[dim.name]))
          return foreignError("graph '" + graph.name + "': before frame " + std::to_string(frame) +
                              " the state '" + dim.state + "' holds " +
                              std::to_string(next[dim.name]) + ", and '" + dim.name + "' is " +
                              dim.range());
      }
  if (next == sizes)
    return llvm::Error::success();
  llvm::Expected<GraphCall> made = maker(next);
  if (!made)
    return made.takeError();
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (!graph.inputs[i].state.empty())
      std::memcpy(made->input(i), function.input(i),
                  static_cast<size_t>(graph.inputs[i].type.byteCount()));
  function = std::move(*made);
  sizes = std::move(next);
  return llvm::Error::success();
}

llvm::Error FrameCalls::call(int64_t frame) {
  if (frame > 0)
    if (llvm::Error error = goOn(frame))
      return error;
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
