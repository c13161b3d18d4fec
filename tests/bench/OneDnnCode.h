// Primitives of oneDNN that run one after another, and the memory between them.
#pragma once

#include "Chain.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

namespace bench {

/// A tensor in memory that is as large as its layout needs; views share it.
struct Buffer {
  dnnl::memory::desc layout;
  std::shared_ptr<Aligned<char>> bytes;
};

class OneDnnCode {
public:
  const dnnl::engine engine{dnnl::engine::kind::cpu, 0};

  /// Memory that is free by now: the smallest that is large enough, or a new one.
  Buffer allocate(const dnnl::memory::desc &layout);
  /// Memory of its own with these numbers, in the layout `wanted`.
  Buffer constant(const dnnl::memory::desc &plain, const char *numbers,
                  const dnnl::memory::desc &wanted);
  /// True if the memory comes from allocate(): its contents may change.
  bool owns(const Buffer &buffer) const;

  void add(const dnnl::primitive &primitive, const std::unordered_map<int, Buffer> &arguments);
  /// Returns how long the primitive takes now, at best; its results count for nothing.
  double secondsOf(const dnnl::primitive &primitive,
                   const std::unordered_map<int, Buffer> &arguments);
  /// A copy of the numbers in that layout, by another primitive unless they have it.
  Buffer reordered(const Buffer &buffer, const dnnl::memory::desc &wanted);
  /// A copy of the numbers in memory of their own.
  Buffer copied(const Buffer &buffer, const dnnl::memory::desc &layout);

  void run();
  /// The numbers in row-major order, now.
  void read(const Buffer &buffer, const dnnl::memory::desc &plain, char *numbers);

private:
  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, dnnl::memory> arguments;
  };

  Step step(const dnnl::primitive &primitive,
            const std::unordered_map<int, Buffer> &arguments) const;
  dnnl::memory at(const Buffer &buffer) const {
    return dnnl::memory(buffer.layout, engine, buffer.bytes->data());
  }

  dnnl::stream stream{engine};
  std::vector<std::shared_ptr<Aligned<char>>> pool, constants;
  std::vector<Step> steps;
};

} // namespace bench
