#include "driver/SeededRun.h"

#include "driver/TensorBytes.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace kgen {
namespace {

/// What the last digits may differ by, relative to the largest element.
double tolerance(ElementType type) {
  switch (type) {
  case ElementType::bf16:
    return 0x1p-5;
  case ElementType::f16:
    return 0x1p-8;
  case ElementType::f32:
    return 0x1p-14;
  default:
    return 0x1p-43;
  }
}

bool near(double a, double b, double allowed) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= allowed;
}

/// Says where two tensors differ; empty if they agree.
std::string compareFloats(const TensorType &type, const unsigned char *a, const unsigned char *b) {
  int64_t wrong = 0, first = -1;
  double largest = 0;
  for (int64_t i = 0; i < type.elementCount(); ++i) {
    double magnitude = std::fabs(elementAt(type, b, i));
    if (std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  }
  double allowed = largest * tolerance(type.element);
  for (int64_t i = 0; i < type.elementCount(); ++i)
    if (!near(elementAt(type, a, i), elementAt(type, b, i), allowed) && ++wrong == 1)
      first = i;
  if (!wrong)
    return "";
  return fmt::format("{} of {} elements differ; element {} is {:.9g}, generated now {:.9g} "
                     "(allowed: {:.2g})",
                     wrong, type.elementCount(), first, elementAt(type, a, first),
                     elementAt(type, b, first), allowed);
}

std::string compareTensors(const TensorType &type, const unsigned char *a, const unsigned char *b) {
  if (isFloat(type.element))
    return compareFloats(type, a, b);
  return std::memcmp(a, b, static_cast<size_t>(type.byteCount())) ? "the elements differ" : "";
}

/// Outputs of one call.
llvm::Expected<std::vector<Buffer>> runOnce(const GraphInterface &graph, const std::string &symbol,
                                            int64_t workspaceBytes, std::vector<Buffer> &inputs,
                                            LoadedCode &code) {
  std::vector<Buffer> outputs;
  for (const TensorInterface &output : graph.outputs)
    outputs.emplace_back(output.type.byteCount());
  Buffer workspace(workspaceBytes);
  std::vector<void *> arguments;
  for (std::vector<Buffer> *group : {&inputs, &outputs})
    for (Buffer &buffer : *group)
      arguments.push_back(buffer.data());
  arguments.push_back(workspace.data());
  arguments.push_back(nullptr); // no executor: on this thread
  if (llvm::Error error = code.call(symbol, arguments))
    return error;
  return outputs;
}

} // namespace

llvm::Expected<std::vector<std::string>> compareRuns(const GraphInterface &graph,
                                                     const std::string &symbol,
                                                     int64_t workspaceBytes, LoadedCode &present,
                                                     LoadedCode &made) {
  std::vector<std::string> lines;
  const std::pair<double, double> ranges[] = {{-1, 2}, {0.5, 1}};
  for (auto [low, span] : ranges) {
    uint64_t state = 1;
    std::vector<Buffer> inputs;
    for (const TensorInterface &input : graph.inputs) {
      inputs.emplace_back(input.type.byteCount());
      fillRandom(input.type, state, low, span, inputs.back().data());
    }
    auto old = runOnce(graph, symbol, workspaceBytes, inputs, present);
    if (!old)
      return old.takeError();
    auto now = runOnce(graph, symbol, workspaceBytes, inputs, made);
    if (!now)
      return now.takeError();
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      std::string line = compareTensors(graph.outputs[i].type, (*old)[i].data(), (*now)[i].data());
      if (!line.empty())
        lines.push_back(fmt::format("output '{}', inputs in [{}, {}): {}", graph.outputs[i].name,
                                    low, low + span, line));
    }
  }
  return lines;
}

} // namespace kgen
