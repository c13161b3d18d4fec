// The activation functions of recurrent operators, which ONNX names in an attribute.
#pragma once

#include "graph/Operator.h"
#include "ops/elementwise/ActivationBodies.h"

namespace kgen {

struct GateActivation {
  std::string name;
  double alpha = 0, beta = 0; ///< of functions that have them

  /// f(x) of one element.
  mlir::Value apply(const Formula &formula, mlir::Value x) const;
};

/// The attributes `activations`, `activation_alpha` and `activation_beta`.
std::vector<AttributeSchema> gateActivationAttributes();

/// The functions that the attributes name, `defaults` for each direction if there are none; nothing
/// after reporting what is wrong.
std::optional<std::vector<GateActivation>> gateActivations(const InferenceContext &context,
                                                           const std::vector<std::string> &defaults,
                                                           size_t directions);

} // namespace kgen
