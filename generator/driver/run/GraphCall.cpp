#include "driver/run/GraphCall.h"

#include "support/WorkTrace.h"
#include "target/HostCpu.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace kgen {
namespace {

struct InputRange {
  double low, span;
};
constexpr InputRange inputRanges[GraphCall::inputSets] = {{-1, 2}, {0.5, 1}};

/// Returns what the last digits may differ by, relative to the largest element.
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

double largestMagnitude(const TensorType &type, const unsigned char *tensor) {
  double largest = 0;
  for (int64_t i = 0; i < type.elementCount(); ++i)
    if (double magnitude = std::fabs(elementAt(type, tensor, i)); std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  return largest;
}

/// Says where two tensors differ; empty if they agree, but for `many` elements.
std::string compareTensors(const TensorType &type, const unsigned char *a, const unsigned char *b,
                           double allowed, int64_t many) {
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < type.elementCount(); ++i)
    if (!near(elementAt(type, a, i), elementAt(type, b, i), allowed) && ++wrong == 1)
      first = i;
  if (wrong <= many)
    return "";
  return fmt::format("{} of {} elements differ; element {} is {:.9g}, expected {:.9g} (allowed: "
                     "{:.2g})",
                     wrong, type.elementCount(), first, elementAt(type, a, first),
                     elementAt(type, b, first), allowed);
}

size_t bytesOf(const TensorInterface &tensor) {
  return static_cast<size_t>(tensor.type.byteCount());
}

/// True for states that count or are places.
bool isCount(const TensorType &type) {
  return !isFloat(type.element) && bitWidth(type.element) >= 32;
}

} // namespace

llvm::Expected<GraphCall> GraphCall::make(const GraphInterface &described,
                                          const std::string &symbol, const std::string &target,
                                          CodeReference code, const SizeValues &sizes) {
  GraphCall call(atSizes(described, sizes));
  const GraphInterface &graph = call.graph;
  // Sizes are passed where pointers are: both are integers of 64 bits.
  for (const DimSymbol &dim : graph.dims)
    call.arguments.push_back(reinterpret_cast<void *>(static_cast<uintptr_t>(sizes.at(dim.name))));
  for (const TensorInterface &input : graph.inputs)
    call.arguments.push_back(call.inputs.emplace_back(input.type.byteCount()).data());
  for (const TensorInterface &output : graph.outputs) {
    call.arguments.push_back(call.outputs.emplace_back(output.type.byteCount()).data());
    if (!output.state.empty() && !graph.calls.empty())
      call.kept.emplace_back(output.type.byteCount());
  }
  auto workspace = graph.workspaceBytes.find(target); // a graphics card has its own
  call.workspaceBytes = workspace == graph.workspaceBytes.end() ? 0 : workspace->second;
  call.arguments.push_back(call.workspace.emplace_back(call.workspaceBytes).data());
  call.arguments.push_back(nullptr); // the executor
  if (code.program) {
    call.program = code.program;
    call.target = target;
    call.sizes = sizes;
    return call;
  }
  llvm::Expected<LoadedFunction> function =
      code.loaded->function(symbol, call.arguments.size(), !graph.calls.empty());
  if (!function)
    return function.takeError();
  call.function = *function;
  return call;
}

void GraphCall::fill(size_t set) {
  uint64_t state = 1;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!beginState(i))
      fillRandom(graph.inputs[i].type, state, inputRanges[set].low, inputRanges[set].span,
                 inputs[i].data());
  for (size_t i = 0; i < outputs.size(); ++i)
    std::memset(outputs[i].data(), 0xA5, bytesOf(graph.outputs[i]));
  begin();
}

bool GraphCall::beginState(size_t input) {
  const TensorInterface &tensor = graph.inputs[input];
  if (tensor.state.empty() || isFloat(tensor.type.element))
    return false;
  std::memset(inputs[input].data(), 0, bytesOf(tensor));
  for (const StateInterface &state : states)
    if (state.name == tensor.state && !state.init.empty())
      for (size_t i = 0; i < bytesOf(tensor); ++i)
        inputs[input].data()[i] = state.init[i % state.init.size()];
  if (auto count = counts.find(tensor.state); count != counts.end())
    std::memcpy(inputs[input].data(), &count->second, bytesOf(tensor)); // little-endian
  return true;
}

std::string GraphCall::describe(size_t set) {
  return fmt::format("inputs in [{}, {})", inputRanges[set].low,
                     inputRanges[set].low + inputRanges[set].span);
}

/// States are updated where they lie, in the outputs.
void GraphCall::beginUpdates(bool countsOnly) {
  if (!graph.calls.empty())
    return;
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t j = 0; j < inputs.size(); ++j)
      if (!graph.outputs[i].state.empty() && graph.outputs[i].state == graph.inputs[j].state &&
          (!countsOnly || isCount(graph.inputs[j].type)))
        std::memcpy(outputs[i].data(), inputs[j].data(), bytesOf(graph.outputs[i]));
}

int GraphCall::run(const void *executor) {
  beginUpdates(/*countsOnly=*/true);
  WorkTrace trace("function", graph.name);
  arguments.back() = const_cast<void *>(executor);
  int status = function(arguments.data());
  size_t next = outputs.size() - kept.size();
  for (Buffer &state : kept) {
    std::memcpy(state.data(), outputs[next].data(), bytesOf(graph.outputs[next]));
    ++next;
  }
  return status;
}

std::vector<GraphProgram::Bytes> GraphCall::bytesIn(const std::vector<TensorInterface> &tensors,
                                                    std::vector<Buffer> &buffers) {
  std::vector<GraphProgram::Bytes> list;
  for (size_t i = 0; i < buffers.size(); ++i)
    list.push_back({buffers[i].data(), bytesOf(tensors[i]), tensors[i].state});
  return list;
}

llvm::Error GraphCall::runProgram(unsigned threads) {
  return program->call(graph.name, target, sizes, inputBytes(), outputBytes(), threads);
}

llvm::Expected<int> GraphCall::call(const ThreadPool *pool) {
  begin();
  if (!program)
    return run(pool ? pool->executor() : nullptr);
  if (llvm::Error error = runProgram(pool ? pool->threads() : 1))
    return error;
  return 0;
}

void GraphCall::carryState() {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t j = 0; j < inputs.size(); ++j)
      if (!graph.outputs[i].state.empty() && graph.outputs[i].state == graph.inputs[j].state)
        std::memcpy(inputs[j].data(), outputs[i].data(), bytesOf(graph.outputs[i]));
}

void GraphCall::perturb(ElementType precision) {
  uint64_t state = 2;
  for (size_t i = 0; i < inputs.size(); ++i)
    kgen::perturb(graph.inputs[i].type, precision, state, inputs[i].data());
}

std::vector<double> GraphCall::deviations(GraphCall &other) {
  std::vector<double> largest;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorType &type = graph.outputs[i].type;
    double deviation = 0;
    for (int64_t j = 0; j < type.elementCount(); ++j) {
      double difference = std::fabs(elementAt(type, outputs[i].data(), j) -
                                    elementAt(type, other.outputs[i].data(), j));
      if (std::isfinite(difference))
        deviation = std::max(deviation, difference);
    }
    largest.push_back(deviation);
  }
  return largest;
}

std::vector<std::string> GraphCall::differences(GraphCall &expected,
                                                const std::vector<double> &allowed,
                                                ElementType precision, double undecided) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorInterface &output = graph.outputs[i];
    double limit = allowed.empty() ? 0 : allowed[i];
    if (isFloat(output.type.element))
      limit = std::max(limit, largestMagnitude(output.type, expected.outputs[i].data()) *
                                  std::max(tolerance(output.type.element), tolerance(precision)));
    int64_t maxUndecided =
        isFloat(output.type.element)
            ? 0
            : static_cast<int64_t>(undecided * static_cast<double>(output.type.elementCount()));
    std::string line = compareTensors(output.type, outputs[i].data(), expected.outputs[i].data(),
                                      limit, maxUndecided);
    if (!line.empty())
      lines.push_back(fmt::format("output '{}': {}", output.name, line));
  }
  return lines;
}

bool GraphCall::sameBytes(GraphCall &other) {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (std::memcmp(outputs[i].data(), other.outputs[i].data(), bytesOf(graph.outputs[i])))
      return false;
  return true;
}

void GraphCall::flush() {
  for (size_t i = 0; i < inputs.size(); ++i)
    hostCpu().flushFromCaches(inputs[i].data(), bytesOf(graph.inputs[i]));
  for (size_t i = 0; i < outputs.size(); ++i)
    hostCpu().flushFromCaches(outputs[i].data(), bytesOf(graph.outputs[i]));
  hostCpu().flushFromCaches(workspace.front().data(), static_cast<size_t>(workspaceBytes));
}

} // namespace kgen
