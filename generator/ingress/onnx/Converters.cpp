#include "ingress/onnx/Converters.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::onnx {

bool isKnownDomain(const std::string &domain) {
  return domain.empty() || domain == "com.microsoft";
}

Converter findConverter(const std::string &domain, const std::string &name) {
  static const ConverterTable table = [] {
    ConverterTable all;
    for (auto add :
         {addConstantConverters, addElementwiseConverters, addShapeConverters,
          addNormalizationConverters, addWindowConverters, addLossConverters, addControlConverters,
          addSequenceConverters, addContribConverters, addAttentionConverters})
      add(all);
    return all;
  }();
  return table.lookup(domain.empty() ? name : domain + "." + name);
}

void convertSameName(NodeImport &node) {
  node.become(node.proto.op_type(), node.inputs(), node.attributes());
}

} // namespace kgen::onnx
