// Sizes with names: `dims` of a library or a graph, and expressions of them in types. Private to
// spec/.
#pragma once

#include "spec/Fields.h"
#include "support/Dim.h"

#include <map>
#include <memory>
#include <set>

namespace kgen {

/// Sizes that the command line gives, which go before those of a spec.
class GivenSizes {
public:
  /// For graphs of these names or patterns; none: for all. `sizes` outlives it.
  explicit GivenSizes(const std::map<std::string, Dim> &sizes, std::vector<std::string> graphs = {})
      : sizes(sizes), graphs(std::move(graphs)) {}

  /// From now on dimensions are those of a graph.
  void beginGraph(const std::string &name);
  /// The size that is given for a dimension of the spec; nothing if there is none.
  std::optional<Dim> find(const std::string &name);
  /// Reports sizes of dimensions that the spec does not have.
  void reportUnknown(const std::string &path, Diagnostics &diagnostics) const;

private:
  const std::map<std::string, Dim> &sizes;
  const std::vector<std::string> graphs;
  bool isChosen = true;
  std::set<std::string> known; ///< dimensions of the spec
};

/// {min: 1, max: 64, multiple: 16} of dimension `name`; nothing after an error. A `state` that
/// holds it is read where there is a place for it.
std::optional<DimSymbol> readBounds(const SpecReader &reader, const YamlNode &node,
                                    const std::string &name, Located<std::string> *state = nullptr);

/// The dimensions that types of a graph, or of a library's graphs, may name.
class Dims {
public:
  /// A graph has those of its library, too.
  explicit Dims(const Dims *library = nullptr) : library(library) {}

  /// Reads a `dims:` map; reports bad names, bad sizes, and names that the library has.
  void read(const SpecReader &reader, const YamlNode &map, GivenSizes &given);

  /// True if a text begins, or contains after an operator, a name.
  static bool isExpression(llvm::StringRef text);
  /// The value of an expression of dimensions and integers, which stands in `node`. Nothing after
  /// an error, or if the error of a dimension in it was reported.
  std::optional<Dim> evaluate(const SpecReader &reader, const YamlNode &node,
                              llvm::StringRef text) const;
  /// Like evaluate, where only a number will do, as the value of `what`.
  std::optional<int64_t> evaluateNumber(const SpecReader &reader, const YamlNode &node,
                                        llvm::StringRef text, const std::string &what) const;
  /// The symbols among the dimensions, those of the library first, as they are written.
  std::vector<std::shared_ptr<const DimSymbol>> symbols() const;
  /// The state that a dimension names as what holds it; null if it names none.
  const Located<std::string> *stateOf(const std::string &name) const;
  /// The dimensions that expressions of this graph have named and states hold, even if the command
  /// line gives numbers for them.
  std::vector<std::string> heldNames() const;
  /// Those that have sizes, all of which may be named from now on.
  std::map<std::string, Dim> sizes() const;
  /// Appends an error for each dimension that no expression has named.
  void addUnused(const SpecReader &reader, std::vector<Diagnostic> &errors) const;

  bool empty() const { return entries.empty() && (!library || library->empty()); }

private:
  struct Entry {
    YamlMark mark;
    std::optional<Dim> size; ///< none: its error was reported
    Located<std::string> state{};
  };

  const Entry *find(const std::string &name) const;
  std::vector<std::string> names() const;
  /// True if all names of an expression have sizes; reports those that are unknown.
  bool checkNames(const SpecReader &reader, const YamlNode &node,
                  const std::vector<std::string> &used) const;

  const Dims *library;
  std::map<std::string, Entry> entries;
  std::vector<std::string> order; ///< of the entries, as they are written
  mutable std::set<std::string> used;
  mutable std::set<std::string> named; ///< of the library's, too
};

/// Properties that the graphs of a library share.
struct LibraryDims {
  Dims dims{};
  GivenSizes given;
  /// Errors that count if there is no other: what names a dimension may have been left out.
  std::vector<Diagnostic> unused{};
};

} // namespace kgen
