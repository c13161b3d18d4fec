#include "schedules/AllowedOperations.h"

#include <mlir/Dialect/Transform/IR/TransformOps.h>

#include <llvm/ADT/StringSet.h>

using namespace mlir;

namespace kgen {

static const llvm::StringSet<> &allowedOperations() {
  static const llvm::StringSet<> names = {
      // sequences and handles
      "annotate", "cast", "foreach", "get_consumers_of_result", "get_operand", "get_parent_op",
      "get_producer_of_operand", "get_result", "include", "merge_handles", "named_sequence",
      "num_associations", "param.constant", "print", "replicate", "select", "split_handle", "yield",
      // clean-up
      "apply_cse", "apply_dce", "apply_licm", "apply_patterns", "apply_registered_pass",
      // linalg
      "structured.fuse", "structured.fuse_into_containing_op", "structured.generalize",
      "structured.interchange", "structured.match", "structured.pack", "structured.pack_greedily",
      "structured.pack_transpose", "structured.pad", "structured.split",
      "structured.tile_reduction_using_for", "structured.tile_using_for",
      "structured.tile_using_forall",
      // loops
      "loop.coalesce", "loop.hoist_loop_invariant_subsets", "loop.peel", "loop.unroll",
      "scf.take_assumed_branch"};
  return names;
}

static bool isAllowed(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("transform."))
    return true; // what is not of the dialect is refused by the interpreter
  for (StringRef patterns : {"canonicalization", "linalg.", "scf.", "tensor."})
    if (name.starts_with(("apply_patterns." + patterns).str()))
      return true;
  return allowedOperations().contains(name);
}

/// Passes of others may need what a function of tensors does not have.
static bool isAllowedPass(StringRef name) {
  return name.starts_with("kgen-") || name == "canonicalize" || name == "cse";
}

void checkOperations(ModuleOp script, const SourceLoc &where, Diagnostics &diagnostics) {
  script.walk([&](Operation *op) {
    auto report = [&](const std::string &message, const std::string &hint) {
      SourceLoc at = where;
      if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
        at = {place.getFilename().str(), place.getLine(), place.getColumn()};
      diagnostics.error(at, message, hint);
    };
    if (!isAllowed(op))
      report("kgen does not run '" + op->getName().getStringRef().str() + "' in scripts",
             "docs/Schedules.md lists the operations that scripts may use");
    else if (auto apply = dyn_cast<transform::ApplyRegisteredPassOp>(op);
             apply && !isAllowedPass(apply.getPassName()))
      report("kgen does not run the pass '" + apply.getPassName().str() + "' in scripts",
             "it runs kgen's own passes, canonicalize and cse");
  });
}

} // namespace kgen
