// A tensor in a file of its own (.pb) from hostile bytes.
#include "ingress/onnx/Model.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  std::string problem;
  auto tensor = kgen::onnx::parseTensor({reinterpret_cast<const char *>(data), size}, problem);
  if (tensor.has_value() != problem.empty())
    std::abort();
  return 0;
}
