// Parts that a build of kgen may leave out.
#pragma once

#include <string>

namespace kgen {

struct Component {
  const char *name;   ///< "templates"
  const char *option; ///< of CMake, "KGEN_TEMPLATES"
  bool isThere;

  /// "this kgen is built without templates (KGEN_TEMPLATES=OFF)"
  std::string refusal() const;
  /// Says how to get a kgen that has the component.
  std::string advice() const;
};

const Component &templatesComponent();
const Component &machinesComponent();

} // namespace kgen
