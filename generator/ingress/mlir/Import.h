// The third way in: functions on tensors of an MLIR file become typed graphs.
#pragma once

#include "graph/Graph.h"
#include "spec/Spec.h"

#include <llvm/ADT/StringRef.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kgen {

struct MlirRequest {
  std::string path;
  std::string function; ///< empty: the only public one
  std::string library;  ///< whose names the graph's inputs and outputs must not have
  Graph settings;       ///< its name, and what the spec says of its arithmetic
  SourceLoc asked{};    ///< where the function is asked for; nothing: in `path`
  const OperatorTable *templates = nullptr; ///< those that may be called; null: none
  /// Dimensions that `kgen.dim` of arguments names. Parameters come in the order of
  /// `settings.dims`, others as arguments name them.
  std::map<std::string, Dim> dims{};
  std::set<std::string> *usedDims =
      nullptr; ///< gets the names that arguments have; null: nobody asks
};

/// Files whose functions become graphs, each of which is read once.
class MlirFiles {
public:
  MlirFiles();
  ~MlirFiles();

  /// The names of the file's public functions with a body, in order. Reports what cannot be read,
  /// or that there is none, and returns nothing then.
  std::optional<std::vector<std::string>> functions(const std::string &path,
                                                    Diagnostics &diagnostics);
  /// A file that does not parse is read without what the function does not name, with a note.
  std::optional<Graph> import(const MlirRequest &request, Diagnostics &diagnostics);

private:
  struct File;
  class Parsed;
  /// Null after an error, which was reported: it is not there.
  File *read(const std::string &path, Diagnostics &diagnostics);
  static std::unique_ptr<Parsed> *parsedFor(File &file, const MlirRequest &request,
                                            Diagnostics &diagnostics);
  static void reportProblems(const File &file, Diagnostics &diagnostics);

  std::map<std::string, std::unique_ptr<File>> files;
};

/// The function as a graph: a node for each operation on tensors, in order, whose operator is
/// called like the operation, or is the template that is called. Calls are inlined, TOSA becomes
/// linalg. Constants of more than 64 elements become weights, named as their resource. Arguments
/// become inputs, named by the attribute `kgen.name`, else `arg0` ...; `kgen.dim` names a `?` of
/// one, `kgen.dims` several; one whose elements nobody reads is left out. Results become outputs,
/// named likewise, else `out0` .... Reports everything that cannot be imported at once, with its
/// place in the file, and returns nothing then. `request.path` says where the text is from.
std::optional<Graph> importMlirText(llvm::StringRef text, const MlirRequest &request,
                                    Diagnostics &diagnostics);

} // namespace kgen
