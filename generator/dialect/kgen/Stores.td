// The discardable attribute `kgen.stores`: where the results of operations go, and by which stores.
// Apart from Kgen.td, so that only those who choose or read it depend on it.
#ifndef KGEN_STORES_TD
#define KGEN_STORES_TD

include "mlir/IR/EnumAttr.td"

def Kgen_Stores : I32BitEnumAttr<"Stores", "Where the results of an operation go, and by which stores.", [
    I32BitEnumAttrCaseNone<"cached">,
    I32BitEnumAttrCaseBit<"memory", 0>,
    I32BitEnumAttrCaseBit<"alongRows", 1, "along_rows">,
    I32BitEnumAttrCaseBit<"acrossRows", 2, "across_rows">]> {
  let cppNamespace = "::kgen";
}

#endif
