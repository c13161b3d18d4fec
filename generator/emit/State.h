// The caller's block of state in generated C: its layout, the checks of it, and the functions that
// make, read and write it.
#pragma once

#include "emit/Names.h"

#include <optional>

namespace kgen {

/// Bytes that begin the block, which are the library's: a mark of the layout, and zeros.
constexpr int64_t stateHeaderBytes = 64;
/// That the block must have, and its tensors have.
constexpr int64_t stateAlignment = 64;

/// Places `states` one after another.
void layOutStates(std::vector<StateInterface> &states);
/// Of a block of any sizes.
int64_t stateBytes(const LibraryInterface &library);
/// True if blocks are made for sizes, which they keep.
bool hasOpenStates(const LibraryInterface &library);

/// True if the graph's function takes the block.
bool usesState(const GraphInterface &graph);

/// The graph with the tensors that callers pass.
GraphInterface withoutState(GraphInterface graph);

/// Bytes after the workspace of the code in which it writes the values that states get, each at a
/// multiple of 64; 0: it updates none.
int64_t updateBytes(const GraphInterface &graph);
/// The bytes of workspace of a call, where the code needs `exact` bytes.
int64_t withUpdates(const GraphInterface &graph, int64_t exact);
/// Like withUpdates, in C, for an expression of `exact`.
std::string withUpdatesText(const GraphInterface &graph, const std::string &exact);

/// A parameter of a graph's function as callers know it: a tensor, or the block of state or its
/// size, which stand between inputs and outputs.
struct CallerParameter {
  std::string name, declaration;
  std::optional<Parameter> tensor{};
};
std::vector<CallerParameter> callerParameters(const LibraryInterface &library,
                                              const GraphInterface &graph);
/// Those that are tensors.
std::vector<Parameter> callerTensors(const LibraryInterface &library, const GraphInterface &graph);

/// "x, (const float *)((const unsigned char *)state + 64), y, ": the tensors of the code, in the
/// function that runs it.
std::string codeArguments(const LibraryInterface &library, const GraphInterface &graph);
/// Copies the values that states get into the block, where extern functions may fail before.
std::string copiedUpdates(const LibraryInterface &library, const GraphInterface &graph);

/// Declarations for the header, before the graphs' functions and after the tensors' type; nothing
/// without states.
std::string stateDeclarations(const LibraryInterface &library);
std::string stateTensorDeclarations(const LibraryInterface &library);
/// Refuse a block, in the function that runs the code: one that is not this library's, and then one
/// that is for other sizes or has no room. Nothing for a graph without state.
std::string blockCheck(const LibraryInterface &library, const GraphInterface &graph);
std::string contentsCheck(const LibraryInterface &library, const GraphInterface &graph);
/// The check of a block, before the graphs' functions; nothing without states.
std::string stateChecks(const LibraryInterface &library);
/// The functions of the header, after the tables; nothing without states.
std::string stateFunctions(const LibraryInterface &library);

} // namespace kgen
