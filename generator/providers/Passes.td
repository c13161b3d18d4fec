// The pass that asks providers for the code of micro-kernels.
#ifndef KGEN_PROVIDER_PASSES_TD
#define KGEN_PROVIDER_PASSES_TD

include "mlir/Pass/PassBase.td"

def GenerateMicroKernelsPass : Pass<"kgen-generate-micro-kernels", "::mlir::ModuleOp"> {
  let summary = "Replace each micro-kernel's descriptor by a function.";
  let description = [{
    Every provider is asked for its cost; the cheapest one that can make the kernel makes it, and the function records
    its name as `kgen.provider`. A kernel that nobody can make is an error that lists each provider's reason. With
    `provider=<name>` only that one is asked.
  }];
  let options = [Option<"provider", "provider", "std::string", /*default=*/"\"auto\"",
                        "`auto`: the cheapest provider for each kernel; else the name of the only one to ask">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

#endif
