// <library>.def: what a DLL of the library exports, and nothing else. It names the functions that
// the header declares.
#include "emit/HostText.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>

#include <set>

namespace kgen {
namespace {

/// The function that a line of the header declares; "" if it declares none.
llvm::StringRef declaredFunction(llvm::StringRef line, const std::string &prefix) {
  llvm::StringRef head = line.split('(').first;
  const bool isDeclaration = head.size() < line.size() && !line.starts_with(" ") &&
                             !line.starts_with("/*") && !line.starts_with("typedef");
  if (!isDeclaration)
    return "";
  llvm::StringRef name = head.substr(head.find_last_of(" *") + 1);
  return name.starts_with(prefix) ? name : "";
}

} // namespace

std::string emitExports(const LibraryInterface &library) {
  std::set<std::string> names;
  llvm::SmallVector<llvm::StringRef> lines;
  const std::string header = emitHeader(library);
  llvm::StringRef(header).split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (llvm::StringRef name = declaredFunction(line, library.name + "_"); !name.empty())
      names.insert(name.str());
  for (const ExternInterface &function : library.externs)
    names.erase(function.symbol);
  return "EXPORTS\n  " + llvm::join(names, "\n  ") + "\n";
}

} // namespace kgen
