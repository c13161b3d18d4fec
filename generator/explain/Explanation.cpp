#include "explain/Explanation.h"

namespace kgen {

int64_t Explanation::weightBytes() const {
  int64_t total = 0;
  for (const ExplainedWeight &weight : weights)
    total += weight.bytes;
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

} // namespace kgen
