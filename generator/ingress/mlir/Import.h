// The third way in: functions on tensors of an MLIR file become typed graphs.
#pragma once

#include "graph/Graph.h"
#include "spec/Spec.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct MlirRequest {
  std::string path;
  std::string function; ///< empty: the only public one
  std::string library;  ///< whose names the graph's inputs and outputs must not have
  Graph settings;       ///< its name, and what the spec says of its arithmetic
  Location asked{};     ///< where the function is asked for; nothing: in `path`
  const OperatorTable *templates = nullptr; ///< those that may be called; null: none
};

/// The names of the file's public functions with a body, in order. Reports what cannot be read, or
/// that there is none, and returns nothing then.
std::optional<std::vector<std::string>> functionsOfMlir(const std::string &path,
                                                        Diagnostics &diagnostics);

/// The function as a graph: a node for each operation on tensors, in order, whose operator is
/// called like the operation, or is the template that is called. Calls are inlined, TOSA becomes
/// linalg. Constants of more than 64 elements become weights, named as their resource. Arguments
/// become inputs, named by the attribute `kgen.name`, else `arg0` ...; one whose elements nobody
/// reads is left out. Results become outputs, named likewise, else `out0` .... Reports everything
/// that cannot be imported at once, with its place in the file, and returns nothing then.
std::optional<Graph> importMlir(const MlirRequest &request, Diagnostics &diagnostics);

/// The same of a text; `request.path` says where it is from.
std::optional<Graph> importMlirText(llvm::StringRef text, const MlirRequest &request,
                                    Diagnostics &diagnostics);

} // namespace kgen
