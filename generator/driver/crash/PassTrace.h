// Passes, and the nodes that patterns are at, as a part of what a thread works on.
#pragma once

#include "graph/Graph.h"
#include "support/WorkTrace.h"

#include <mlir/IR/Location.h>
#include <mlir/IR/MLIRContext.h>

namespace kgen {

/// The graph that a thread compiles, for a target.
class GraphTrace : public llvm::PrettyStackTraceEntry {
public:
  GraphTrace(const Graph &graph, llvm::StringRef target) : graph(graph), target(target) {}
  void print(llvm::raw_ostream &os) const override;

  const Graph &graph;
  const llvm::StringRef target;
};

/// A pass that runs on an operation, or a pattern that is tried on it.
class OperationTrace : public llvm::PrettyStackTraceEntry {
public:
  OperationTrace(llvm::StringRef what, llvm::StringRef name, mlir::Operation *op);
  void print(llvm::raw_ostream &os) const override;

  const llvm::StringRef what, name;
  mlir::Operation *const op; ///< may be gone
  const mlir::Location where;
};

/// From now on, what passes and patterns do in `context` is known to the report of a crash.
void tracePasses(mlir::MLIRContext &context);

/// The pass that began last on this thread; empty if none did.
llvm::StringRef lastPass();

/// Returns what to say of a failure for which nobody gave a reason: the pass that began last.
std::string silentFailure();

/// The first node's name in a location, without taking memory; empty if there is none.
llvm::StringRef firstNameIn(mlir::Location location);

/// Prints " (MatMul) at file:line:col" of the graph's node with that name, if there is one.
void printNode(llvm::raw_ostream &os, const Graph &graph, llvm::StringRef name);

} // namespace kgen
