#include "OneDnnCode.h"

#include "Measure.h"

#include <algorithm>

namespace bench {
using dnnl::memory;

Buffer OneDnnCode::allocate(const memory::desc &layout) {
  std::shared_ptr<Aligned<char>> best;
  for (const auto &bytes : pool)
    if (bytes.use_count() == 1 && bytes->size() >= layout.get_size() &&
        (!best || bytes->size() < best->size()))
      best = bytes;
  if (!best)
    best = pool.emplace_back(std::make_shared<Aligned<char>>(layout.get_size()));
  return {layout, best};
}

Buffer OneDnnCode::constant(const memory::desc &plain, const char *numbers,
                            const memory::desc &wanted) {
  Buffer buffer{wanted, constants.emplace_back(std::make_shared<Aligned<char>>(wanted.get_size()))};
  memory from(plain, engine, const_cast<char *>(numbers)), to = at(buffer);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  return buffer;
}

bool OneDnnCode::owns(const Buffer &buffer) const {
  return std::find(pool.begin(), pool.end(), buffer.bytes) != pool.end();
}

OneDnnCode::Step OneDnnCode::step(const dnnl::primitive &primitive,
                                  const std::unordered_map<int, Buffer> &arguments) const {
  Step step{primitive, {}};
  for (const auto &[role, buffer] : arguments)
    step.arguments[role] = at(buffer);
  return step;
}

void OneDnnCode::add(const dnnl::primitive &primitive,
                     const std::unordered_map<int, Buffer> &arguments) {
  steps.push_back(step(primitive, arguments));
}

double OneDnnCode::secondsOf(const dnnl::primitive &primitive,
                             const std::unordered_map<int, Buffer> &arguments) {
  Step timed = step(primitive, arguments);
  auto run = [&] {
    timed.primitive.execute(stream, timed.arguments);
    stream.wait();
  };
  run();
  double best = seconds(run, 1, kgen::wallSeconds);
  for (int i = 0; i < 9; ++i)
    best = std::min(best, seconds(run, 1, kgen::wallSeconds));
  return best;
}

Buffer OneDnnCode::reordered(const Buffer &buffer, const memory::desc &wanted) {
  return buffer.layout == wanted ? buffer : copied(buffer, wanted);
}

Buffer OneDnnCode::copied(const Buffer &buffer, const memory::desc &layout) {
  Buffer to = allocate(layout);
  add(dnnl::reorder(at(buffer), at(to)), {{DNNL_ARG_FROM, buffer}, {DNNL_ARG_TO, to}});
  return to;
}

void OneDnnCode::run() {
  for (Step &step : steps)
    step.primitive.execute(stream, step.arguments);
  stream.wait();
}

void OneDnnCode::read(const Buffer &buffer, const memory::desc &plain, char *numbers) {
  memory from = at(buffer), to(plain, engine, numbers);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

} // namespace bench
