#ifndef KGEN_TRANSFORMS_TEMPLATES_PASSES_TD
#define KGEN_TRANSFORMS_TEMPLATES_PASSES_TD

include "mlir/Pass/PassBase.td"

def InstantiateTemplatesPass : Pass<"kgen-instantiate-templates", "::mlir::ModuleOp"> {
  let summary = "Replace calls of templates by instances, one for each distinct tuple of parameters.";
  let description = [{
    Precondition: templates stand in the module itself. Postcondition: neither `template.func` nor `template.call` is left. Without
    templates the module stays as it is.

    A call takes the most special template that fits the types of its operands, looked at through `tensor.cast`. Its instance, a
    private function that is called after the whole tuple, is parsed and verified once. Instances follow the module's other functions,
    sorted by name, so that the bytes do not depend on the order of calls; with `inline` they take the place of their calls.

    A size that is known at run time only, where a parameter has a finite set, becomes an `scf.index_switch` over the instances;
    other sizes take the template that leaves the size open (`any_dim`).

    ```mlir
    %0 = template.call @mma(%a, %b) : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
    ```
    becomes, without `inline`,
    ```mlir
    %0 = call @"mma<T = bf16, M = 4, N = 6, K = 8>"(%a, %b) : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
    ```
  }];
  let options = [
    Option<"inlineInstances", "inline", "bool", "true", "Put instances in the place of their calls">,
    Option<"generalize", "generalize", "bool", "true", "Make linalg.generic of named linalg operations, but of linalg.fill, and of scalar operations on tensors">,
    Option<"references", "references", "bool", "false", "Call the templates that others name in `reference`, in their place">,
    Option<"maxDepth", "max-depth", "unsigned", "64", "Instances that call each other, one below the other">,
    Option<"maxInstances", "max-instances", "unsigned", "10000", "Instances in all">,
    Option<"maxOperations", "max-operations", "unsigned", "1000000", "Operations that instances leave in the place of their calls, in all">,
    Option<"maxUnroll", "max-unroll", "unsigned", "4096", "Copies of unrolled loops in one instance">,
    Option<"maxCases", "max-cases", "unsigned", "64", "Cases of a switch at run time">,
    Option<"maxText", "max-text", "unsigned", "1048576", "Bytes of an instance's text">
  ];
  let statistics = [Statistic<"numCalls", "calls", "Calls of templates">, Statistic<"numInstances", "instances", "Distinct instances">,
                    Statistic<"numSwitches", "switches", "Calls that became a switch at run time">];
  let dependentDialects = ["::kgen::templates::TemplateDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CheckTemplatesPass : Pass<"kgen-check-templates", "::mlir::ModuleOp"> {
  let summary = "Parse and verify trial instances of each template.";
  let description = [{
    Precondition: as of kgen-instantiate-templates. Postcondition: the module is as it was; or it fails with the errors of instances.

    A template is tried with every combination of its finite sets, up to 64. A parameter without a set has its default, or the values
    of `examples {K = 6}` in the header, or some of our own. Combinations that `requires` excludes are left out.
  }];
  let statistics = [Statistic<"numTrials", "trials", "Instances that were tried">];
  let dependentDialects = ["::kgen::templates::TemplateDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif
