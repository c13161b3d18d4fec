#include "dialect/kgen/DebugOutput.h"

#include "dialect/kgen/DecisionLog.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

using namespace mlir;

namespace kgen {
namespace {

llvm::StringSet<> debuggedNames;
thread_local StringRef passOfThread;
thread_local bool isThreadDebugged = false;

/// "file:line:col (nodes)"; either part is left out if the location does not have it.
std::string placeOf(Location loc) {
  std::string place;
  llvm::raw_string_ostream os(place);
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn();
  SmallVector<StringAttr> names = namesIn(loc);
  if (names.empty())
    return place.empty() ? "unknown location" : place;
  os << (place.empty() ? "(" : " (");
  llvm::interleaveComma(names, os, [&](StringAttr name) { os << name.getValue(); });
  os << ")";
  return place;
}

} // namespace

void debugPasses(llvm::StringSet<> names) { debuggedNames = std::move(names); }

PassScope::PassScope(StringRef pass) : outer(passOfThread), outerIsDebugged(isThreadDebugged) {
  passOfThread = pass;
  isThreadDebugged = !debuggedNames.empty() && debuggedNames.contains(pass);
}

PassScope::~PassScope() {
  passOfThread = outer;
  isThreadDebugged = outerIsDebugged;
}

bool isDebugged() { return isThreadDebugged; }

void traceRefusal(Location where, const Twine &reason) {
  if (!isThreadDebugged)
    return;
  std::string line = ("[" + passOfThread + "] " + placeOf(where) + ": " + reason + "\n").str();
  static std::mutex mutex; // passes of functions run on several threads
  std::lock_guard<std::mutex> lock(mutex);
  llvm::errs() << line;
}

} // namespace kgen
