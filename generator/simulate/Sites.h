// Locations of the operations of a function, and errors at them.
#pragma once

#include "support/Diagnostics.h"

#include <mlir/IR/Operation.h>

#include <map>
#include <vector>

namespace kgen {

/// The place of an operation: of its file, and of the node that it came from.
SourceLoc locationOf(mlir::Location location);

/// The operations that are executed, by number.
class Sites {
public:
  int add(mlir::Operation *op);
  /// An argument of the function, which has no operation.
  int addArgument(mlir::Value argument, unsigned number);

  const SourceLoc &where(int site) const { return list[site].where; }
  const std::string &name(int site) const { return list[site].name; } ///< "linalg.copy"
  std::string text(int site) const;                                   ///< "linalg.copy, line 30"
  /// "the memref<4x8xi32, 2> of line 20", of a site that allocates; with the element's subscripts.
  std::string elementText(int site, int64_t element) const;
  size_t size() const { return list.size(); }

private:
  struct Site {
    SourceLoc where;
    std::string name, type; ///< `type` is that of what it allocates
    std::vector<int64_t> shape;
  };
  std::vector<Site> list;
};

/// Errors of a run. Each kind is reported once for each operation, with the step in which it came
/// first and how often it came.
class Faults {
public:
  /// Counts a fault; returns whether it is the first of its kind, whose text is to be set.
  bool count(int site, const std::string &kind);
  void describe(int site, const std::string &kind, std::string message, std::string hint);
  void report(const Sites &sites, Diagnostics &diagnostics) const;
  int64_t size() const { return static_cast<int64_t>(list.size()); }

private:
  struct Fault {
    std::string message, hint;
    int64_t count = 0;
  };
  std::map<std::pair<int, std::string>, Fault> list;
};

} // namespace kgen
