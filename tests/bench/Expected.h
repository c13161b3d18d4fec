// LLVM's errors as exceptions.
#pragma once

#include <llvm/Support/Error.h>

#include <stdexcept>

namespace bench {

template <typename T> T take(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

} // namespace bench
