// The pass that generates the code of micro-kernels.
#ifndef KGEN_PROVIDER_PASSES_TD
#define KGEN_PROVIDER_PASSES_TD

include "mlir/Pass/PassBase.td"

def GenerateMicroKernelsPass : Pass<"kgen-generate-micro-kernels", "::mlir::ModuleOp"> {
  let summary = "Generate a function for each micro-kernel descriptor.";
  let description = [{
    Precondition: each distinct kernel has one descriptor, whose epilogue is final
    (kgen-combine-ukernels, kgen-deduplicate-ukernels). Postcondition: a private function of the
    same name replaces each descriptor, so that kgen-lower-micro-kernel-calls can call it; its
    attribute `kgen.provider` names the provider, and `ukernel.tile_shapes` has the shapes of tile
    registers that the back end places.

    Of the provider `templates`, the function calls the template (`template.call`):
    kgen-instantiate-templates comes next.

    The provider with the lowest estimated cost in cycles generates the kernel. If none can, the
    error lists the reason of each. With `provider=<name>` there is only that one to choose from.
    `kgen explain` gets a record `kernel` for each kernel: the provider, the cost or the refusal of
    every provider, and the operations that call the kernel.
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Micro-kernels generated">,
                    Statistic<"numRefusals", "refusals",
                              "Kernels that a provider could not generate">];
  let options = [Option<"provider", "provider", "std::string", /*default=*/"\"auto\"",
                        "`auto`: the provider with the lowest cost for each kernel; else the name of the only one to use">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

#endif
