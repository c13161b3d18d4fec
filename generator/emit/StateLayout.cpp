#include "emit/StateLayout.h"

#include "emit/Sizes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <set>

namespace kgen {

void layOutStates(std::vector<StateInterface> &states) {
  int64_t next = stateHeaderBytes;
  for (StateInterface &state : states) {
    state.offset = next;
    next += int64_t(llvm::alignTo(largestByteCount(state.type), stateAlignment));
  }
}

int64_t stateBytes(const LibraryInterface &library) {
  if (library.states.empty())
    return 0;
  const StateInterface &last = library.states.back();
  return last.offset + int64_t(llvm::alignTo(largestByteCount(last.type), stateAlignment));
}

bool hasOpenStates(const LibraryInterface &library) {
  return llvm::any_of(library.states,
                      [](const StateInterface &state) { return !state.type.isStatic(); });
}

std::vector<SizeParameter> stateSizes(const LibraryInterface &library) {
  GraphInterface all{"", {}, {}, {}, {}};
  std::set<std::string> known;
  for (const StateInterface &state : library.states)
    for (const Dim &dim : state.type.shape.dims())
      for (const auto &[name, symbol] : dim.symbols())
        if (!known.count(name)) {
          known.insert(name);
          all.dims.push_back(*symbol);
        }
  return sizeParameters(library, all);
}

OpenLayout openLayout(const LibraryInterface &library) {
  OpenLayout layout;
  SizeNames names = parameterNames(stateSizes(library));
  std::vector<std::string> texts;
  for (const StateInterface &state : library.states) {
    const Dim bytes = state.type.shape.elements() * Dim(int64_t(byteWidth(state.type.element)));
    texts.push_back(bytes.isNumber() ? "" : sizeExpression(bytes, names));
    if (!bytes.isNumber() && !llvm::is_contained(layout.kinds, texts.back()))
      layout.kinds.push_back(texts.back());
  }
  if (layout.kinds.empty()) // arrays of C have elements
    layout.kinds.push_back("0");
  OpenLayout::Place next;
  next.before.assign(layout.kinds.size(), 0);
  for (size_t i = 0; i < library.states.size(); ++i) {
    layout.places.push_back(next);
    layout.kindOf.push_back(llvm::find(layout.kinds, texts[i]) - layout.kinds.begin());
    if (layout.kindOf.back() < layout.kinds.size())
      ++next.before[layout.kindOf.back()];
    else
      next.bytes +=
          int64_t(llvm::alignTo(largestByteCount(library.states[i].type), stateAlignment));
  }
  layout.places.push_back(next);
  return layout;
}

std::string placeText(const OpenLayout::Place &place) {
  std::string text = std::to_string(place.bytes);
  for (size_t kind = 0; kind < place.before.size(); ++kind)
    if (place.before[kind] != 0)
      text += " + " + std::to_string(place.before[kind]) + " * kgenrt_step(kgenrt_bytes[" +
              std::to_string(kind) + "])";
  return text;
}

std::string offsetText(const LibraryInterface &library, const std::string &name) {
  auto state = llvm::find_if(library.states,
                             [&](const StateInterface &known) { return known.name == name; });
  return hasOpenStates(library)
             ? placeText(openLayout(library).places[state - library.states.begin()])
             : std::to_string(state->offset);
}

} // namespace kgen
