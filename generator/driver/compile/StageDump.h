// The code between two stages as text: for people who look for a node, and for kgen-opt.
#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace kgen {

/// The module with each operation's location after it ("loc("h0")", the nodes whose work it does),
/// not as an alias: the text can be searched for a node's name. kgen-opt reads the text and records
/// the same decisions. Without `withWeights`, constants of more than 64 elements or bytes are left
/// out; kgen-opt cannot run the later stages on what is left then.
std::string dumpText(mlir::ModuleOp module, bool withWeights);

/// `text` of the MLIR printer with the aliases of locations ("#loc7") replaced by what they stand
/// for. The printer's own way to do so, --mlir-print-local-scope, leaves out the weights.
std::string withInlineLocations(llvm::StringRef text);

} // namespace kgen
