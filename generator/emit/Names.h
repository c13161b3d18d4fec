// Names in generated C: what the files of emit/ agree on besides emit/Library.h.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// "x86-64-v4" -> "x86_64_v4".
std::string cIdentifier(const std::string &name);
std::string upperCase(std::string name);
/// A C string literal with its quotes.
std::string cString(const std::string &text);
/// Text that cannot end a C comment.
std::string inComment(const std::string &text);

/// The variants, best first (equal ranks by name).
std::vector<VariantInterface> variantsByRank(const LibraryInterface &library);

/// True if a function refuses a call that has more rows than a state has room for.
bool mayBeFull(const LibraryInterface &library);

/// The statuses of a generated library; their values are their indices in the list.
struct StatusCode {
  std::string name;    ///< without the prefix: "OK"
  std::string meaning; ///< a template; may name @library@
};
std::vector<StatusCode> statusCodes(const LibraryInterface &library);

/// Returns the mark with which a context of the library begins, in hex. Differs between libraries
/// and between builds of one: a context of another library is refused.
std::string contextMark(const LibraryInterface &library);

/// A size that a graph's function is given, as it is declared in C.
struct SizeParameter {
  std::string name; ///< an identifier, unique in its function
  DimSymbol dim;
  std::string declaration() const { return "size_t " + name; }
  bool isHeld() const { return !dim.state.empty(); } ///< by a state
};

/// In the order of GraphInterface::dims; they come before the tensors.
std::vector<SizeParameter> sizeParameters(const LibraryInterface &library,
                                          const GraphInterface &graph);
/// Those that callers give: no state holds them.
std::vector<SizeParameter> callerSizes(const LibraryInterface &library,
                                       const GraphInterface &graph);

/// True if a state holds a size of the graph, or of one of the library's.
bool hasHeldSizes(const GraphInterface &graph);
bool hasHeldSizes(const LibraryInterface &library);

/// A graph's tensor as it is declared in C.
struct Parameter {
  std::string name;  ///< a C and C++ identifier, unique in its function
  std::string cType; ///< "const float *" or "float *"
  TensorType type;
  bool isInput;
  std::string typeText; ///< with the names of dimensions
  std::string state{};  ///< of the library, if callers do not pass the tensor
  std::string declaration() const { return cType + name; }
};

/// Inputs, then outputs, as the code takes them: states, too.
std::vector<Parameter> graphParameters(const LibraryInterface &library,
                                       const GraphInterface &graph);

/// The tensors of an extern function.
std::vector<Parameter> externParameters(const LibraryInterface &library,
                                        const ExternInterface &function);

/// "size_t, const float *, float *, unsigned char *, const void *": the kernel's parameter types.
std::string kernelParameterTypes(const LibraryInterface &library, const GraphInterface &graph);

} // namespace kgen
