// The provider `templates`: micro-kernels that users write as templates, whose headers say for
// which descriptors.
//
// The kernel's function calls the template, with pointers to A, B and C; the instance comes in its
// place after kgen-generate-micro-kernels. An epilogue is a second pass over the sums.
#include "providers/KernelBuilder.h"

#include "templates/Templates.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {

namespace {

using templates::KernelFacts;

expressions::Value typeValue(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return expressions::Value::makeType(text);
}

/// Calls a template for the sums, and computes the epilogue of them.
class TemplateKernel : public KernelBuilder {
public:
  TemplateKernel(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
      : KernelBuilder(kernel, target, builder) {}

  KernelFacts facts() {
    KernelFacts facts;
    auto number = [&](StringRef name, int64_t value, std::optional<int64_t> otherwise = {}) {
      facts[name.str()] = {expressions::Value::makeNumber(value), value == otherwise};
    };
    auto flag = [&](StringRef name, bool value) {
      facts[name.str()] = {expressions::Value::makeBoolean(value), !value};
    };
    auto type = [&](StringRef name, Type value, bool isDefault) {
      facts[name.str()] = {typeValue(value), isDefault};
    };
    type("element", element, false);
    number("m", kernel.getM());
    number("n", kernel.getN());
    number("k", kernel.getK());
    number("a_row", kernel.getARow());
    number("a_col", kernel.getACol());
    number("b_row", kernel.getBRow());
    number("c_row", strideOfSums());
    number("b_col", kernel.getBCol(), 1);
    type("b_type", bElement, element == bElement);
    type("sums", accumulator, accumulator == accumulatorOf(element, bElement));
    flag("accumulate", kernel.getAccumulate());
    number("vnni", kernel.getVnni(), 1);
    number("batch", kernel.getBatch(), 1);
    number("a_batch", kernel.getABatch(), 0);
    number("b_batch", kernel.getBBatch(), 0);
    flag("a_unsigned", kernel.getAUnsigned());
    flag("b_unsigned", kernel.getBUnsigned());
    flag("strict_order", kernel.getStrictOrder());
    flag("f16_accumulate", kernel.getF16Accumulate());
    facts["b_padded"] = {expressions::Value::makeBoolean(kernel.getBPadded()),
                         true}; // a permission
    return facts;
  }

  /// Returns why no template can be the kernel; empty if one might.
  StringRef refusal() {
    if (kernel.getBQuant())
      return "B is quantized in blocks";
    if (kernel.getAValidRanges())
      return "it does not support a_valid_ranges";
    if (kernel.getARunRows())
      return "it does not support a_run_rows";
    if (kernel.getBUpconvertedRow())
      return "it does not support b_upconverted_row";
    if (kernel.getSumsRow())
      return "it does not support sums_row";
    return "";
  }

  void build(const KernelTemplate &called) {
    OpBuilder::InsertionGuard guard(b);
    beginFunction("templates");
    Sums sums = memoryForSums();
    callKernelTemplate(b, loc, called, {a, bPointer, sums.pointer});
    if (hasEpilogue())
      epilogueOverTile(sums);
    func::ReturnOp::create(b, loc);
  }
};

/// The template of the lowest cost.
std::optional<KernelTemplate> bestOffer(ukernel::GemmOp kernel, TargetAttr target,
                                        std::string &refusal) {
  OpBuilder builder(kernel.getContext());
  TemplateKernel wanted(kernel, target, builder);
  refusal = wanted.refusal().str();
  if (!refusal.empty())
    return std::nullopt;
  return bestKernelTemplate(kernel->getParentOfType<ModuleOp>(), wanted.facts(), target, refusal);
}

struct TemplatesProvider : Provider {
  using Provider::cost;
  using Provider::generate;
  StringRef name() const override { return "templates"; }
  StringRef summary() const override { return "templates of the library that are kernels"; }

  bool isAskedFor(ModuleOp module) const override { return hasKernelTemplates(module); }

  std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                             std::string &refusal) const override {
    std::optional<KernelTemplate> best = bestOffer(kernel, target, refusal);
    return best ? std::optional(best->cost) : std::nullopt;
  }

  LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                         OpBuilder &builder) const override {
    std::string refusal;
    std::optional<KernelTemplate> best = bestOffer(kernel, target, refusal);
    if (!best)
      return failure();
    TemplateKernel(kernel, target, builder).build(*best);
    return success();
  }
};

} // namespace

const Provider &templatesProvider() {
  static const TemplatesProvider provider;
  return provider;
}

} // namespace kgen
