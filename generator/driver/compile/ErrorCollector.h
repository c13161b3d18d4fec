// Collects what passes report, as text.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "driver/compile/Compile.h"
#include "driver/crash/CrashReport.h"
#include "driver/crash/PassTrace.h"
#include "graph/Operator.h"

#include <mlir/IR/Diagnostics.h>

#include <set>

namespace kgen {

class ErrorCollector {
public:
  /// Collects errors of the context. One about a node of the graph gets the node's place. Without a
  /// graph, locations are printed as MLIR has them.
  explicit ErrorCollector(mlir::MLIRContext &context, const Graph *graph = nullptr)
      : graph(graph), handler(&context, [this](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(text);
          stream << (text.empty() ? "" : "\n");
          for (mlir::StringAttr name : namesIn(diagnostic.getLocation()))
            failed.insert(name.str());
          if (const Node *node = nodeAt(diagnostic.getLocation()))
            stream << node->where.str() << ": " << node->op->name << " '" << node->name << "'";
          else
            stream << diagnostic.getLocation();
          stream << ": " << diagnostic;
          return mlir::success();
        }) {}
  /// A defect, of which --report keeps what repeats it. `cause` is what is known beside what was
  /// reported.
  llvm::Error take(const llvm::Twine &what, llvm::StringRef cause = "") {
    if (!cause.empty())
      text = text.empty() ? cause.str() : cause.str() + "\n" + text;
    std::string all = message(what);
    reportDefect(all);
    return llvm::createStringError(all);
  }
  /// Names of the nodes that something was reported for.
  const std::set<std::string> &failedNodes() const { return failed; }
  llvm::Error takeRefusal(const llvm::Twine &what) {
    return llvm::make_error<RequestError>(message(what), llvm::inconvertibleErrorCode());
  }

private:
  std::string message(const llvm::Twine &what) {
    return (what + ": " + (text.empty() ? silentFailure() : text)).str();
  }

  /// The first node whose name is in the location, or null.
  const Node *nodeAt(mlir::Location location) const {
    if (graph)
      for (mlir::StringAttr name : namesIn(location))
        for (const Node &node : graph->nodes)
          if (node.name == name.getValue())
            return &node;
    return nullptr;
  }

  const Graph *graph;
  std::string text;
  std::set<std::string> failed;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace kgen
