// Facts about a descriptor of a micro-kernel that headers of templates may ask for.
#pragma once

#include "expressions/Value.h"

namespace kgen::templates {

/// An attribute of a descriptor.
struct KernelFact {
  expressions::Value value;
  bool isDefault = false;
};
using KernelFacts = std::map<std::string, KernelFact, std::less<>>;

} // namespace kgen::templates
