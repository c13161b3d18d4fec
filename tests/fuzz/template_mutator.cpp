// Files of templates for libFuzzer: changes of the one that there is, and others from a grammar.
#include "texts.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  std::mt19937 random(seed);
  std::string text(reinterpret_cast<char *>(data), size);
  unsigned kind = random() % 4;
  if (kind < 2 || text.empty())
    text = makeTemplates(random);
  if (kind > 0)
    for (unsigned i = random() % 4; i-- > 0 && !text.empty();)
      changeText(text, random);
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}
