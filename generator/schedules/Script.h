// Text of a transform script, operation by operation. Private to schedules/.
#pragma once

#include "spec/ScheduleSpec.h"

#include <mlir/IR/Types.h>

#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

constexpr const char *anyOp = "!transform.any_op";
constexpr const char *param = "!transform.param<i64>";

inline std::string types(int count) {
  std::string text = anyOp;
  for (int i = 1; i < count; ++i)
    text += fmt::format(", {}", anyOp);
  return text;
}

template <typename Range> std::string list(const Range &values) {
  return "[" + fmt::format("{}", fmt::join(values, ", ")) + "]";
}

/// The positions in `given` of the loops of `wanted`.
inline std::string permutation(const std::string &wanted, const std::string &given) {
  std::vector<size_t> positions;
  for (char loop : wanted)
    positions.push_back(given.find(loop));
  return list(positions);
}

inline std::string text(mlir::Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

inline std::string zeroOf(mlir::Type type) {
  return fmt::format("{} : {}", mlir::isa<mlir::FloatType>(type) ? "0.0" : "0", text(type));
}

/// Padding of what is divided by, and of what functions are computed of: its results are cut off.
inline std::string oneOf(mlir::Type type) {
  return fmt::format("{} : {}", mlir::isa<mlir::FloatType>(type) ? "1.0" : "1", text(type));
}

/// The lines of a script. Handles are called after what they stand for.
class Script {
public:
  std::vector<std::string> lines;
  std::string function = "%f";

  std::vector<std::string> add(const std::string &operation, std::vector<std::string> names) {
    for (std::string &name : names)
      name = fmt::format("%{}{}", name, ++counts[name]);
    std::string results = fmt::format("{}", fmt::join(names, ", "));
    lines.push_back(results.empty() ? operation : results + " = " + operation);
    return names;
  }
  void add(const std::string &operation) { lines.push_back(operation); }

  std::string match(const std::string &name, const std::string &what,
                    const std::string &where = "") {
    return add(fmt::format("transform.structured.match {} in {} : ({}) -> {}", what,
                           where.empty() ? function : where, anyOp, anyOp),
               {name})[0];
  }
  std::string matchKind(const std::string &name, const std::string &kind,
                        const std::string &where = "") {
    return match(name, fmt::format("ops{{[\"{}\"]}}", kind), where);
  }
  /// The fused producer and the loop.
  std::pair<std::string, std::string> fuse(const std::string &name, const std::string &producer,
                                           const std::string &loop) {
    auto results = add(fmt::format("transform.structured.fuse_into_containing_op {} into {} : ({}) "
                                   "-> ({})",
                                   producer, loop, types(2), types(2)),
                       {name, "loop"});
    return {results[0], results[1]};
  }
  std::string producer(const std::string &name, const std::string &of, size_t operand) {
    return add(fmt::format("transform.get_producer_of_operand {}[{}] : ({}) -> {}", of, operand,
                           anyOp, anyOp),
               {name})[0];
  }
  /// The tiled operation and the loop.
  std::pair<std::string, std::string> tile(const std::string &what,
                                           const std::vector<int64_t> &sizes,
                                           const std::string &loops, ScheduleLevel::Kind kind) {
    std::string operation;
    if (kind == ScheduleLevel::Kind::loop)
      operation = fmt::format("transform.structured.tile_using_for {} tile_sizes {} : ({}) -> ({})",
                              what, list(sizes), anyOp, types(2));
    else
      operation = fmt::format("transform.structured.tile_using_forall {} tile_sizes {} (mapping = "
                              "{}) : ({}) -> ({})",
                              what, list(sizes), mapping(sizes, loops, kind), anyOp, types(2));
    auto results = add(operation, {"op", "loop"});
    return {results[0], results[1]};
  }
  /// The padded operation, its pads, and what cuts off the padding of the result.
  std::vector<std::string> pad(const std::string &name, const std::string &what,
                               const std::vector<int64_t> &multiples, size_t loops,
                               const std::vector<std::string> &values,
                               const std::vector<int64_t> &nofold) {
    std::vector<int64_t> dims(loops);
    std::iota(dims.begin(), dims.end(), 0);
    std::string sizes = multiples.empty() ? "" : " pad_to_multiple_of " + list(multiples);
    return add(
        fmt::format("transform.structured.pad {}{} {{padding_values = {}, "
                    "padding_dimensions = {}, nofold_flags = {}, copy_back_op = \"none\"}} : "
                    "({}) -> ({})",
                    what, sizes, list(values), list(dims), list(nofold), anyOp, types(3)),
        {name, "pads", "back"});
  }
  /// Applies a pass; handles below the function are invalid then.
  void apply(const std::string &pass) {
    function = add(fmt::format("transform.apply_registered_pass \"{}\" to {} : ({}) -> {}", pass,
                               function, anyOp, anyOp),
                   {"function"})[0];
  }
  /// The argument of the sequence, which passes consume.
  bool consumesFunction() const { return function != "%f"; }
  void clean(bool isLast = false) {
    add(fmt::format("transform.include @{} failures(propagate) ({}) : ({}) -> ()",
                    isLast ? "clean_last" : "clean", function, anyOp));
  }
  void annotate(const std::string &what, llvm::StringRef name, const std::string &value) {
    add(fmt::format("transform.annotate {} \"{}\" = {} : {}, {}", what, name.str(), value, anyOp,
                    param));
  }
  std::string constant(const std::string &name, int64_t value) {
    return add(fmt::format("transform.param.constant {} : i64 -> {}", value, param), {name})[0];
  }

private:
  /// Returns the mapping of loops to axes, which is the same for the same loops in every grid,
  /// whatever their order: a core finds what it has in its L1.
  static std::string mapping(const std::vector<int64_t> &sizes, const std::string &loops,
                             ScheduleLevel::Kind kind) {
    std::string tiled;
    for (auto [size, loop] : llvm::zip_equal(sizes, loops))
      if (size != 0)
        tiled += loop;
    std::string sorted = tiled; // n is the innermost one, m the next, batches are around them
    llvm::sort(sorted, [](char a, char b) { return rank(a) < rank(b); });
    const char *grid = kind == ScheduleLevel::Kind::core ? "thread" : "block";
    const char *axes[] = {"x", "y", "z"};
    std::vector<std::string> dims;
    for (char loop : tiled) {
      size_t axis = sorted.find(loop);
      dims.push_back(tiled.size() <= 3 ? fmt::format("#gpu.{}<{}>", grid, axes[axis])
                                       : fmt::format("#gpu.{}<linear_dim_{}>", grid, axis));
    }
    return list(dims);
  }
  static int rank(char loop) {
    if (loop == 'n')
      return 0;
    return loop == 'm' ? 1 : 2 + ('z' - loop);
  }

  std::map<std::string, int> counts;
};

} // namespace kgen
