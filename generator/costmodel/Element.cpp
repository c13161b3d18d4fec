#include "costmodel/Element.h"

#include <algorithm>

namespace kgen {

const char *nameOf(Element element) {
  switch (element) {
  case Element::i8:
    return "i8";
  case Element::i16:
    return "i16";
  case Element::i32:
    return "i32";
  case Element::i64:
    return "i64";
  case Element::f16:
    return "f16";
  case Element::bf16:
    return "bf16";
  case Element::f32:
    return "f32";
  case Element::f64:
    break;
  }
  return "f64";
}

int64_t bytesOf(Element element) {
  switch (element) {
  case Element::i8:
    return 1;
  case Element::i16:
  case Element::f16:
  case Element::bf16:
    return 2;
  case Element::i32:
  case Element::f32:
    return 4;
  case Element::i64:
  case Element::f64:
    break;
  }
  return 8;
}

Element accumulatorOf(Element element) {
  if (element == Element::i8)
    return Element::i32;
  return element == Element::bf16 || element == Element::f16 ? Element::f32 : element;
}

int64_t vnniFactor(Element b) { return b == Element::bf16 ? 2 : b == Element::i8 ? 4 : 1; }

int64_t lanes(const Cpu &cpu, Element element) {
  return std::max<int64_t>(1, cpu.vectorBits / (8 * bytesOf(element)));
}

} // namespace kgen
