// What passes ask of descriptors of micro-kernels.
#ifndef UKERNEL_INTERFACES_TD
#define UKERNEL_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Ukernel_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::kgen::ukernel";
  let description = "A descriptor: which tiles a call passes, and what happens to them.";
  let methods = [
    InterfaceMethod<"How many tiles a call passes.", "unsigned", "getTileCount">,
    InterfaceMethod<"Which of them has the results.", "unsigned", "getDestination">,
    InterfaceMethod<"Whether a tile is written; all others are only read.", "bool", "writesTile", (ins "unsigned":$number)>,
    InterfaceMethod<"Whether the one that has the results is read, too.", "bool", "readsDestination">,
    InterfaceMethod<"The scalar operations on each element, ending in ukernel.yield.", "::mlir::Region &", "getScalarCode">,
    InterfaceMethod<"Rows of the destination.", "uint64_t", "getM">,
    InterfaceMethod<"Columns of the destination.", "uint64_t", "getN">,
    InterfaceMethod<"Of the destination's elements.", "::mlir::Type", "getResultType">,
  ];
}

#endif
