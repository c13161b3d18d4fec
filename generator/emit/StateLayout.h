// Places of tensors in a block of state.
#pragma once

#include "emit/State.h"

namespace kgen {

/// The sizes that a block was made for, in the order of its header.
std::vector<SizeParameter> stateSizes(const LibraryInterface &library);

/// Places of tensors in a block of any sizes.
struct OpenLayout {
  /// Bytes of a tensor: a number, and how many tensors of each kind come before it.
  struct Place {
    int64_t bytes = stateHeaderBytes;
    std::vector<int64_t> before{};
  };
  std::vector<std::string> kinds; ///< bytes of tensors, each expression of sizes once
  std::vector<size_t> kindOf;     ///< of each state; the number of kinds: its bytes are a number
  std::vector<Place> places;      ///< of each state, and of the end
};

OpenLayout openLayout(const LibraryInterface &library);
/// "128 + 2 * kgenrt_step(kgenrt_bytes[0])".
std::string placeText(const OpenLayout::Place &place);

/// The byte of the block at which a state begins, in functions that have checked it.
std::string offsetText(const LibraryInterface &library, const std::string &name);

} // namespace kgen
