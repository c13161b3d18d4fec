#include "driver/SeededRun.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace kgen {
namespace {

constexpr size_t alignment = 64;

/// Bytes at a multiple of 64, not initialised to anything in particular but always the same.
class Buffer {
public:
  explicit Buffer(int64_t bytes) : storage(static_cast<size_t>(bytes) + alignment, 0xA5) {}
  unsigned char *data() {
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    return storage.data() + (alignment - address % alignment) % alignment;
  }

private:
  std::vector<unsigned char> storage;
};

uint64_t nextRandom(uint64_t &state) { // SplitMix64
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <typename T> void store(unsigned char *place, T value) {
  std::memcpy(place, &value, sizeof value);
}

/// Floats in [low, low + span); integers from -8 to 7, unsigned ones to 15; 0 and 1.
void fillInput(const TensorType &type, uint64_t &state, double low, double span,
               unsigned char *place) {
  int64_t width = byteWidth(type.element);
  for (int64_t i = 0; i < type.elementCount(); ++i, place += width) {
    uint64_t bits = nextRandom(state);
    int64_t integer = static_cast<int64_t>(bits >> 60);
    double real = low + span * static_cast<double>(bits >> 11) * 0x1p-53;
    if (type.element == ElementType::f32)
      store(place, static_cast<float>(real));
    else if (type.element == ElementType::f64)
      store(place, real);
    else if (type.element == ElementType::boolean)
      store(place, static_cast<uint8_t>(integer & 1));
    else if (type.element == ElementType::u8)
      store(place, static_cast<uint8_t>(integer));
    else if (type.element == ElementType::i8)
      store(place, static_cast<int8_t>(integer - 8));
    else if (type.element == ElementType::i32)
      store(place, static_cast<int32_t>(integer - 8));
    else if (type.element == ElementType::i64)
      store(place, integer - 8);
    else // 16-bit floats: small positive numbers of either format
      store(place, static_cast<uint16_t>(0x3800 | (bits >> 56)));
  }
}

double realAt(const TensorType &type, const unsigned char *place) {
  if (type.element == ElementType::f32) {
    float value;
    std::memcpy(&value, place, sizeof value);
    return value;
  }
  double value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

bool near(double a, double b, double allowed) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= allowed;
}

/// Says where two tensors differ; empty if they agree.
std::string compareFloats(const TensorType &type, const unsigned char *a, const unsigned char *b) {
  int64_t width = byteWidth(type.element), wrong = 0, first = -1;
  double largest = 0;
  for (int64_t i = 0; i < type.elementCount(); ++i) {
    double magnitude = std::fabs(realAt(type, b + i * width));
    if (std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  }
  double allowed = largest * (type.element == ElementType::f32 ? 0x1p-14 : 0x1p-43);
  for (int64_t i = 0; i < type.elementCount(); ++i)
    if (!near(realAt(type, a + i * width), realAt(type, b + i * width), allowed) && ++wrong == 1)
      first = i;
  if (!wrong)
    return "";
  return fmt::format("{} of {} elements differ; element {} is {:.9g}, generated now {:.9g} "
                     "(allowed: {:.2g})",
                     wrong, type.elementCount(), first, realAt(type, a + first * width),
                     realAt(type, b + first * width), allowed);
}

std::string compareTensors(const TensorType &type, const unsigned char *a, const unsigned char *b) {
  if (type.element == ElementType::f32 || type.element == ElementType::f64)
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
      fillInput(input.type, state, low, span, inputs.back().data());
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
