// Templates as micro-kernels: parameters follow from the attributes of a descriptor.
#pragma once

#include "templates/language/KernelFacts.h"
#include "templates/language/Unify.h"

#include <llvm/ADT/ArrayRef.h>

namespace kgen::templates {

/// Returns what `kernel ukernel.gemm {...}` of a header may list: attributes of the descriptor, and
/// `sums`, the type of the sums. All from `b_col` on need not be listed and are then their default.
llvm::ArrayRef<llvm::StringLiteral> kernelAttributes();
/// Those that have to be listed are the first ones.
size_t requiredKernelAttributes();

/// The parameters with which a template is the kernel of a descriptor, or why it is not.
Match matchKernel(const Template &of, const KernelFacts &facts, const TargetFacts *target);

} // namespace kgen::templates
