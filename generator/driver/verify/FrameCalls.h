// A function that is called on one frame after another: its state is what the call before has left.
#pragma once

#include "driver/run/GraphCall.h"
#include "driver/verify/GivenValues.h"

#include <functional>

namespace kgen {

class FrameCalls {
public:
  /// The function at sizes, some of which change from frame to frame where a state holds them.
  using Maker = std::function<llvm::Expected<GraphCall>(const SizeValues &sizes)>;

  /// `values` must outlive the calls, and so must the code of what `maker` makes.
  static llvm::Expected<FrameCalls> make(const GivenValues &values, const GraphInterface &graph,
                                         Maker maker);
  /// Of one function for all sizes.
  static llvm::Expected<FrameCalls> make(const GivenValues &values, const GraphInterface &graph,
                                         const std::string &symbol, const std::string &target,
                                         CodeReference code);

  /// Calls the function on the frame, of which there is one without --frames.
  llvm::Error call(int64_t frame);
  const unsigned char *output(size_t i) { return function.output(i); }

private:
  FrameCalls(const GivenValues &values, GraphInterface graph, Maker maker, GraphCall function)
      : values(&values), graph(std::move(graph)), maker(std::move(maker)), sizes(values.sizes),
        function(std::move(function)) {}

  void fillInputs(int64_t frame);
  llvm::Error goOn(int64_t frame);

  const GivenValues *values;
  GraphInterface graph; ///< at the sizes of the values
  Maker maker;
  SizeValues sizes; ///< of `function`
  GraphCall function;
};

} // namespace kgen
