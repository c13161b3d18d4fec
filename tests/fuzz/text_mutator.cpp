// Changes of a text, for libFuzzer.
#include "texts.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  std::mt19937 random(seed);
  std::string text(reinterpret_cast<char *>(data), size);
  if (text.empty())
    return LLVMFuzzerMutate(data, size, maxSize);
  changeText(text, random);
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}
