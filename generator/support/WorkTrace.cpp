#include "support/WorkTrace.h"

#include <llvm/Support/raw_ostream.h>

namespace kgen {

void printPlace(llvm::raw_ostream &os, const SourceLoc &where) {
  if (where.file.empty())
    return;
  os << " at " << where.file;
  if (where.line != 0)
    os << ":" << where.line << ":" << where.column;
  else if (!where.node.empty())
    os << ": node '" << where.node << "'";
}

void WorkTrace::print(llvm::raw_ostream &os) const { os << kind << " '" << name << "'\n"; }

void NodeTrace::print(llvm::raw_ostream &os) const {
  os << "node '" << name << "' (" << op << ")";
  printPlace(os, where);
  os << "\n";
}

} // namespace kgen
