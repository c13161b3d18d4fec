#include "OneDnnCode.h"

#include "Measure.h"

#include <algorithm>

namespace bench {
using dnnl::memory;

Place OneDnnCode::allocate(const memory::desc &layout) {
  std::shared_ptr<Aligned<char>> best;
  for (const auto &bytes : pool)
    if (bytes.use_count() == 1 && bytes->size() >= layout.get_size() &&
        (!best || bytes->size() < best->size()))
      best = bytes;
  if (!best)
    best = pool.emplace_back(std::make_shared<Aligned<char>>(layout.get_size()));
  return {layout, best};
}

Place OneDnnCode::constant(const memory::desc &plain, const char *numbers,
                           const memory::desc &wanted) {
  Place place{wanted, constants.emplace_back(std::make_shared<Aligned<char>>(wanted.get_size()))};
  memory from(plain, engine, const_cast<char *>(numbers)), to = at(place);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  return place;
}

bool OneDnnCode::owns(const Place &place) const {
  return std::find(pool.begin(), pool.end(), place.bytes) != pool.end();
}

OneDnnCode::Step OneDnnCode::step(const dnnl::primitive &primitive,
                                  const std::unordered_map<int, Place> &arguments) const {
  Step step{primitive, {}};
  for (const auto &[role, place] : arguments)
    step.arguments[role] = at(place);
  return step;
}

void OneDnnCode::add(const dnnl::primitive &primitive,
                     const std::unordered_map<int, Place> &arguments) {
  steps.push_back(step(primitive, arguments));
}

double OneDnnCode::secondsOf(const dnnl::primitive &primitive,
                             const std::unordered_map<int, Place> &arguments) {
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

Place OneDnnCode::reordered(const Place &place, const memory::desc &wanted) {
  return place.layout == wanted ? place : copied(place, wanted);
}

Place OneDnnCode::copied(const Place &place, const memory::desc &layout) {
  Place to = allocate(layout);
  add(dnnl::reorder(at(place), at(to)), {{DNNL_ARG_FROM, place}, {DNNL_ARG_TO, to}});
  return to;
}

void OneDnnCode::run() {
  for (Step &step : steps)
    step.primitive.execute(stream, step.arguments);
  stream.wait();
}

void OneDnnCode::read(const Place &place, const memory::desc &plain, char *numbers) {
  memory from = at(place), to(plain, engine, numbers);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

} // namespace bench
