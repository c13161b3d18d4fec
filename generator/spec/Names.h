// Names that a spec may use, and C names that a library will define, so that collisions are found
// before C does.
#pragma once

#include "spec/Spec.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/StringSet.h>

namespace kgen {

/// Uses of a name: part of a C name (library, graph, input, output) or only a label in dumps (node,
/// weight).
enum class NameUse { c, label };

/// Returns why `name` cannot be used, or "" if it can.
std::string nameProblem(const std::string &name, NameUse use);

/// A C name that resembles any text: "/layer.0/MatMul_output_0" is "layer_0_MatMul_output_0". Its
/// last characters stay if it is too long.
std::string cIdentifierOf(llvm::StringRef text);

/// Makes C identifiers of the names of a graph's values, each another one.
class UniqueNames {
public:
  explicit UniqueNames(std::string library) : library(std::move(library)) {}
  /// A parameter's name is none that the library's header defines, nor another parameter.
  std::string make(const std::string &name, bool isParameter);

private:
  std::string library;
  llvm::StringSet<> taken;
  llvm::StringMap<int> numbers; ///< the largest suffix of a name
};

/// Returns why the name cannot be an extern function's, or "" if it can.
std::string externNameProblem(const std::string &name);

/// Returns why the name cannot be a library's: it would hide a standard header or a system library.
std::string libraryNameProblem(const std::string &name);

/// "x86-64-v4", or the stem of a path: what a target's name is in C identifiers ("x86_64_v4").
std::string targetIdentifierOf(const std::string &nameOrPath);

/// Reports graphs, targets and tensors whose C names are the same or are taken by the library
/// itself.
void checkCNames(const LibrarySpec &spec, Diagnostics &diagnostics);

/// Reports such clashes of names that only a library has whose functions take sizes.
void checkSizedCNames(const LibrarySpec &spec, Diagnostics &diagnostics);
/// Reports such clashes of names that only a library with state has.
void checkStateCNames(const LibrarySpec &spec, Diagnostics &diagnostics);

/// Returns what a name is in C or POSIX, beside what the library makes of it: "a function of C or
/// POSIX";
/// "" if it is nothing.
std::string systemNameOrigin(llvm::StringRef name);

} // namespace kgen
