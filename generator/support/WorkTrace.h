// The work of a thread, for the report of a crash.
#pragma once

#include "support/Diagnostics.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/PrettyStackTrace.h>

namespace kgen {

/// While it lives, its thread works on what it names. The texts must live as long.
class WorkTrace : public llvm::PrettyStackTraceEntry {
public:
  WorkTrace(llvm::StringRef kind, llvm::StringRef name) : kind(kind), name(name) {}
  /// "stage 'pack'".
  void print(llvm::raw_ostream &os) const override;

private:
  llvm::StringRef kind, name;
};

/// While it lives, its thread works on a node.
class NodeTrace : public llvm::PrettyStackTraceEntry {
public:
  NodeTrace(llvm::StringRef op, llvm::StringRef name, const SourceLoc &where)
      : op(op), name(name), where(where) {}
  /// "node 'y' (MatMul) at mlp.yaml:7:9".
  void print(llvm::raw_ostream &os) const override;

private:
  llvm::StringRef op, name;
  const SourceLoc &where;
};

/// Prints " at file:line:col" without taking memory, or nothing if there is no such place.
void printPlace(llvm::raw_ostream &os, const SourceLoc &where);

} // namespace kgen
