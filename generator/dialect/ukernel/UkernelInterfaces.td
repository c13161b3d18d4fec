// The interface of micro-kernel descriptors.
#ifndef UKERNEL_INTERFACES_TD
#define UKERNEL_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Ukernel_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::kgen::ukernel";
  let description = "A descriptor: the tiles that a call passes, and how they are accessed.";
  let methods = [
    InterfaceMethod<"The number of tiles that a call passes.", "unsigned", "getTileCount">,
    InterfaceMethod<"The position of the tile of results.", "unsigned", "getDestination">,
    InterfaceMethod<"True if the tile is written; the others are only read.", "bool", "writesTile",
                    (ins "unsigned":$number)>,
    InterfaceMethod<"True if the tile of results is read, too.", "bool", "readsDestination">,
    InterfaceMethod<"The scalar operations on each element, ending in ukernel.yield.",
                    "::mlir::Region &", "getScalarCode">,
    InterfaceMethod<"Rows of the destination.", "uint64_t", "getM">,
    InterfaceMethod<"Columns of the destination.", "uint64_t", "getN">,
    InterfaceMethod<"The type of the destination's elements.", "::mlir::Type", "getResultType">,
  ];
}

#endif
