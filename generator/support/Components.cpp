#include "support/Components.h"

namespace kgen {

std::string Component::refusal() const {
  return std::string("this kgen is built without ") + name + " (" + option + "=OFF)";
}

std::string Component::advice() const {
  return std::string("build it with `cmake -D ") + option + "=ON`, which is the default";
}

// Macros of this file alone, so that nothing else is compiled again when an option changes.
const Component &templatesComponent() {
  static constexpr Component component{"templates", "KGEN_TEMPLATES", KGEN_TEMPLATES};
  return component;
}

const Component &machinesComponent() {
  static constexpr Component component{"machines", "KGEN_MACHINES", KGEN_MACHINES};
  return component;
}

} // namespace kgen
