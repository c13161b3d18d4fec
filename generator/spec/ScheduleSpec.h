// Schedules as plain structs: how the loops of a node are nested, which memory holds which operand,
// and in which order elements lie there.
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

/// A number, or the name of a parameter.
struct ScheduleSize {
  int64_t number = 0;
  std::string parameter; ///< empty: `number`
  SourceLoc where;
};

/// A loop of a nest. Each line is inside of the one before it.
struct ScheduleLevel {
  enum class Kind {
    block, ///< parallel, over blocks of the machine: `forall: block`
    core,  ///< parallel, over the cores of a block: `forall: core`
    loop   ///< sequential, over one of the operator's loops: `for: k`
  };
  Kind kind = Kind::loop;
  SourceLoc where;
  /// Sizes of an iteration's part, by the operator's loop ("m"). One for `loop`.
  std::vector<std::pair<std::string, ScheduleSize>> sizes;
  /// The memory ("L2") that holds an operand's part while the body runs, by operand ("lhs").
  std::map<std::string, Located<std::string>> keep;
  int64_t buffers = 1; ///< of each operand that the loop copies
};

/// A condition on a node: `m >= 256`, `type == f32`.
struct ScheduleCondition {
  std::string name;     ///< a loop of the operator, or "type"
  std::string relation; ///< one of ==, !=, <, <=, >, >=; after "%": the remainder's
  int64_t divisor = 0;  ///< 0, or that of `k % 64 == 0`
  int64_t number = 0;
  std::string type; ///< where the name is "type"
  SourceLoc where;
};

/// Conditions on the nodes that a schedule is for; all must hold. A schedule without any is for
/// nodes that name it.
struct ScheduleMatch {
  Located<std::string> op;                   ///< an operator; empty: any
  std::vector<Located<std::string>> nodes;   ///< names, with * for any text; empty: any
  std::vector<Located<std::string>> targets; ///< names; empty: any
  std::vector<ScheduleCondition> where;
  bool isGiven = false; ///< there is a `match`
  std::vector<std::string>
      namedBy; ///< targets that name the schedule: it is for each node there that it fits
};

/// Single decisions on a node on CPUs; what is missing is decided by kgen.
struct ScheduleDecisions {
  using Tiles = std::vector<std::pair<std::string, ScheduleSize>>;
  std::optional<Tiles> tasks, caches; ///< sizes by loop; loops without one stay whole
  std::optional<Tiles> registers;     ///< the register tile of a product, likewise
  std::optional<int64_t> unroll;      ///< vectors in an iteration of the loop over them; 0: all
  std::optional<bool> nonTemporal;    ///< whether non-temporal stores write the result
  /// "packed" or "plain", by operand of a product ("rhs").
  std::map<std::string, std::string> layout;
  Located<std::string> provider; ///< of micro-kernels of products; empty: the cheapest
  bool any() const {
    return tasks || caches || registers || unroll || nonTemporal || !layout.empty() ||
           !provider.value.empty();
  }
};

struct ScheduleSpec {
  Located<std::string> name;
  std::string file; ///< that it stands in; relative paths in it are relative to its folder
  ScheduleMatch match;
  /// Values to try, in the order of the file; the first one counts outside of `kgen tune`.
  std::vector<std::pair<std::string, std::vector<int64_t>>> parameters;

  ScheduleDecisions decisions;     ///< instead of `nest`
  std::vector<ScheduleLevel> nest; ///< from the outermost loop to the innermost one
  std::vector<std::pair<std::string, ScheduleSize>> tiles; ///< of packed operands, by loop
  std::map<std::string, Located<std::string>>
      layout; ///< order of dimensions, outer then inner, by operand
  bool splitsRagged =
      false; ///< `ragged: split`: a border part has a nest of its own, else it is padded
  bool fusesEpilogue =
      false; ///< `fuse: epilogue`: elementwise operations after the node belong to it

  Located<std::string> script; ///< a file with `@__kgen_schedule_NAME`, instead of `nest`
  std::vector<Located<std::string>> libraries; ///< files with sequences that the script includes
};

/// Schedules of a target's file.
struct TargetSchedules {
  std::vector<ScheduleSpec> own; ///< a map: for this target alone
  std::vector<Located<std::string>>
      names; ///< a list: schedules of the library, for each node that they fit
};

} // namespace kgen
