#include "ops/sequence/GateActivation.h"

#include "dialect/tpp/Scalars.h"

#include <mlir/Dialect/Math/IR/Math.h>

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace kgen {
namespace {

using arith::CmpFPredicate;

/// A function with the parameters that it has, and what they are where the node does not say.
struct Function {
  const char *name;
  std::optional<double> alpha, beta;
  Value (*apply)(const Formula &f, Value x, double alpha, double beta);
};

Value tanhOf(const Formula &f, Value x) { return tpp::scalar::tanh(f.b, f.loc, x); }

const Function functions[] = {
    {"Sigmoid",
     {},
     {},
     [](const Formula &f, Value x, double, double) { return tpp::scalar::sigmoid(f.b, f.loc, x); }},
    {"Tanh", {}, {}, [](const Formula &f, Value x, double, double) { return tanhOf(f, x); }},
    {"Relu",
     {},
     {},
     [](const Formula &f, Value x, double, double) { return tpp::scalar::relu(f.b, f.loc, x); }},
    {"Affine", 1.0, 0.0,
     [](const Formula &f, Value x, double alpha, double beta) {
       return f.add(f.scaled(x, alpha), f.number(x.getType(), beta));
     }},
    {"LeakyRelu",
     0.01,
     {},
     [](const Formula &f, Value x, double alpha, double) {
       return tpp::scalar::leakyRelu(f.b, f.loc, x, alpha);
     }},
    {"ThresholdedRelu",
     1.0,
     {},
     [](const Formula &f, Value x, double alpha, double) {
       return f.choose(f.compare(CmpFPredicate::OLE, x, alpha), f.number(x.getType(), 0.0), x);
     }},
    {"ScaledTanh", 1.0, 1.0,
     [](const Formula &f, Value x, double alpha, double beta) {
       return f.scaled(tanhOf(f, f.scaled(x, beta)), alpha);
     }},
    {"HardSigmoid", 0.2, 0.5,
     [](const Formula &f, Value x, double alpha, double beta) {
       return f.hardSigmoid(x, alpha, beta);
     }},
    {"Elu",
     1.0,
     {},
     [](const Formula &f, Value x, double alpha, double) { return f.elu(x, alpha, 1.0); }},
    {"Softsign",
     {},
     {},
     [](const Formula &f, Value x, double, double) -> Value {
       Value magnitude = math::AbsFOp::create(f.b, f.loc, x);
       Value divisor = f.add(magnitude, f.number(x.getType(), 1.0));
       return arith::DivFOp::create(f.b, f.loc, x, divisor);
     }},
    {"Softplus", {}, {}, [](const Formula &f, Value x, double, double) { return f.softplus(x); }},
};

const Function *find(const std::string &name) {
  auto found = llvm::find_if(functions, [&](const Function &f) { return name == f.name; });
  return found == std::end(functions) ? nullptr : found;
}

/// The values of an attribute, which functions take in turn.
class Parameters {
public:
  Parameters(const InferenceContext &context, const std::string &name) : name(name) {
    if (context.hasAttribute(name))
      values = context.reals(name);
  }

  double take(std::optional<double> otherwise) {
    if (!otherwise)
      return 0;
    return next < values.size() ? values[next++] : *otherwise;
  }

  bool checkAllTaken(const InferenceContext &context) const {
    if (next == values.size())
      return true;
    context.error(name + " has " + std::to_string(values.size()) +
                  " numbers, but the activations take " + std::to_string(next));
    return false;
  }

private:
  std::string name;
  std::vector<double> values;
  size_t next = 0;
};

} // namespace

Value GateActivation::apply(const Formula &formula, Value x) const {
  return find(name)->apply(formula, x, alpha, beta);
}

std::vector<AttributeSchema> gateActivationAttributes() {
  return {optionalAttribute("activation_alpha", AttributeKind::reals,
                            "taken in turn by those activations that have an alpha"),
          optionalAttribute("activation_beta", AttributeKind::reals,
                            "taken in turn by those activations that have a beta"),
          optionalAttribute("activations", AttributeKind::strings,
                            "Sigmoid, Tanh, Relu, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, "
                            "HardSigmoid, Elu, Softsign or Softplus for each gate and direction")};
}

std::optional<std::vector<GateActivation>> gateActivations(const InferenceContext &context,
                                                           const std::vector<std::string> &defaults,
                                                           size_t directions) {
  std::vector<std::string> names;
  if (context.hasAttribute("activations"))
    names = context.strings("activations");
  else
    for (size_t i = 0; i < directions; ++i)
      names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != directions * defaults.size()) {
    context.error("activations must have " + std::to_string(directions * defaults.size()) +
                  " names, " + std::to_string(defaults.size()) + " for each direction, found " +
                  std::to_string(names.size()));
    return std::nullopt;
  }
  Parameters alphas(context, "activation_alpha"), betas(context, "activation_beta");
  std::vector<GateActivation> result;
  for (const std::string &name : names) {
    const Function *function = find(name);
    if (!function) {
      std::vector<std::string> known;
      for (const Function &f : functions)
        known.push_back(f.name);
      context.error("unknown activation '" + name + "'" + didYouMean(name, known));
      return std::nullopt;
    }
    result.push_back({name, alphas.take(function->alpha), betas.take(function->beta)});
  }
  if (!alphas.checkAllTaken(context) || !betas.checkAllTaken(context))
    return std::nullopt;
  return result;
}

} // namespace kgen
