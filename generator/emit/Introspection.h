// The const tables that describe a library's functions, and the call by index.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// The tables, <library>_call and the other functions of introspection.
std::string emitIntrospection(const LibraryInterface &library);

/// "static const mlp_tensor kgenrt_forward_inputs[] = {...};", or nothing without tensors.
std::string tensorTable(const LibraryInterface &library, const std::string &name,
                        const std::vector<TensorInterface> &tensors);

} // namespace kgen
