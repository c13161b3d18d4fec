// Forms of operators for graphics cards.
#pragma once

#include <string>

namespace kgen {

struct GpuForm {
  enum class Extent { all, some, none } extent = Extent::all; ///< of an operator's cases
  std::string without; ///< which cases have no form, or why there is none
};

/// Operators of templates have the form that their code has: this is about those of kgen.
GpuForm gpuFormOf(const std::string &op);

/// "yes", "some", "no".
std::string toString(GpuForm::Extent extent);

} // namespace kgen
