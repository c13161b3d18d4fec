#include "explain/Explanation.h"

#include <fmt/format.h>

namespace kgen {

int64_t Explanation::weightBytes() const {
  int64_t total = 0;
  for (const ExplainedWeight &weight : weights)
    total += weight.storage == WeightStorage::shared ? weight.bytes : 0;
  return total;
}

int64_t Explanation::copiedBytes() const {
  int64_t total = 0;
  for (const ExplainedCopy &copy : copies)
    total += copy.bytes;
  for (const ExplainedStep &step : steps)
    if (step.loops && step.loops->form == "copy")
      total += step.loops->bytes;
  return total;
}

std::vector<std::string> Explanation::bufferNames() const {
  std::vector<std::string> names;
  std::map<std::string, int> count, number;
  for (const ExplainedBuffer &buffer : buffers) {
    names.push_back(fmt::format("{}", fmt::join(buffer.values, ", ")));
    ++count[names.back()];
  }
  for (std::string &name : names)
    if (count[name] > 1)
      name += fmt::format(" #{}", ++number[name]);
  return names;
}

} // namespace kgen
