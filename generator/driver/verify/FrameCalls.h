// A function that is called on one frame after another: its state is what the call before has left.
#pragma once

#include "driver/run/GraphCall.h"
#include "driver/verify/GivenValues.h"

namespace kgen {

class FrameCalls {
public:
  /// `values` must outlive the calls.
  static llvm::Expected<FrameCalls> make(const GivenValues &values, const GraphInterface &graph,
                                         const std::string &symbol, const std::string &target,
                                         CodeReference code);

  /// Calls the function on the frame, of which there is one without --frames.
  llvm::Error call(int64_t frame);
  const unsigned char *output(size_t i) { return function.output(i); }

private:
  FrameCalls(const GivenValues &values, GraphInterface graph, GraphCall function)
      : values(&values), graph(std::move(graph)), function(std::move(function)) {}

  void fillInputs(int64_t frame);

  const GivenValues *values;
  GraphInterface graph; ///< at the sizes of the values
  GraphCall function;
};

} // namespace kgen
