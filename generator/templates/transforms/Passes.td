#ifndef KGEN_TRANSFORMS_TEMPLATES_PASSES_TD
#define KGEN_TRANSFORMS_TEMPLATES_PASSES_TD

include "mlir/Pass/PassBase.td"

def InstantiateTemplatesPass : Pass<"kgen-instantiate-templates", "::mlir::ModuleOp"> {
  let summary =
      "Replace calls of templates by instances, one for each distinct tuple of parameters.";
  let description = [{
    Precondition: templates stand in the module itself. Postcondition: neither `template.func` nor
    `template.call` is left. Without templates the module stays as it is. With `keep-templates` the
    templates stay, for kgen-replace-by-templates, with `keep-kernels` those that are micro-kernels,
    for kgen-generate-micro-kernels.

    A call takes the most special template that fits the types of its operands, looked at through
    `tensor.cast`. Its instance, a private function that is called after the whole tuple, is parsed
    and verified once. Instances follow the module's other functions, sorted by name, so that the
    bytes do not depend on the order of calls; with `inline` they take the place of their calls.

    A size that is known at run time only, where a parameter has a finite set, becomes an
    `scf.index_switch` over the instances; other sizes take the template that leaves the size open
    (`any_dim`).

    ```mlir
    %0 = template.call @mma(%a, %b) : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
    ```
    becomes, without `inline`,
    ```mlir
    %0 = call @"mma<T = bf16, M = 4, N = 6, K = 8>"(%a, %b) : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
    ```
  }];
  let options = [
    Option<"inlineInstances", "inline", "bool", "true",
           "Put instances in the place of their calls">,
    Option<"generalize", "generalize", "bool", "true",
           "Make linalg.generic of named linalg operations, but of linalg.fill, and of scalar "
           "operations on tensors">,
    Option<"references", "references", "bool", "false",
           "Call the templates that others name in `reference`, in their place">,
    Option<"keepTemplates", "keep-templates", "bool", "false", "Leave the templates in the module">,
    Option<"keepKernels", "keep-kernels", "bool", "false",
           "Leave those in the module that are micro-kernels">,
    Option<"maxDepth", "max-depth", "unsigned", "64",
           "Instances that call each other, one below the other">,
    Option<"maxInstances", "max-instances", "unsigned", "10000", "Instances in all">,
    Option<"maxOperations", "max-operations", "unsigned", "1000000",
           "Operations that instances leave in the place of their calls, in all">,
    Option<"maxUnroll", "max-unroll", "unsigned", "4096",
           "Copies of unrolled loops in one instance">,
    Option<"maxCases", "max-cases", "unsigned", "64", "Cases of a switch at run time">,
    Option<"maxText", "max-text", "unsigned", "1048576", "Bytes of an instance's text">
  ];
  let statistics = [Statistic<"numCalls", "calls", "Calls of templates">,
                    Statistic<"numInstances", "instances", "Distinct instances">,
                    Statistic<"numSwitches", "switches", "Calls that became a switch at run time">];
  let dependentDialects = ["::kgen::templates::TemplateDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ReplaceByTemplatesPass : Pass<"kgen-replace-by-templates", "::mlir::ModuleOp"> {
  let summary = "Call templates in the place of operations that compute the same.";
  let description = [{
    Precondition: linalg on tensors; of calls of templates only those are left that no pattern is to
    look through (kgen-instantiate-templates with `keep-templates`). Postcondition: where operations
    unify with the template that another one's header names in `replaces`, and the other one's cost
    is less, they are a `template.call` of the other one, which kgen-instantiate-templates makes an
    instance.

    A pattern is first compared by its form, in trial instances (kgen-check-templates says which):
    which operations read the results of which. The values that its arguments are found to be say
    what its parameters are, as operands of a call do, and numbers in the place of a parameter that
    is a constant. Then its instance with these parameters must be the same operation by operation:
    types, loops, indexing maps, attributes, and what a body computes. Named linalg operations are
    the same as `linalg.generic`; operands of operations that commute are compared in both orders; a
    tensor whose elements are not read may be any other.

    An operation whose result others read, too, is not replaced, but for results of the pattern;
    constants, `tensor.empty` and a `linalg.fill` with a constant stay for whoever reads them.
    Patterns of more operations come first, then later operations. The cost of a template without
    `cost` is 0, that of a pattern without is infinite. Of several templates, that of the lowest
    cost is called, of equal ones the first.

    ```mlir
    template.func {M : index, N : index} @scaled(%a : tensor<MxNxf32>, %b : tensor<MxNxf32>) -> tensor<MxNxf32> cost M * N { ... }
    template.func {M : index, N : index} @fast(%a : tensor<MxNxf32>, %b : tensor<MxNxf32>) -> tensor<MxNxf32>
    replaces @scaled cost M * N / target("vector_bits") { ... }
    ```
  }];
  let statistics = [Statistic<"numReplaced", "replaced",
                              "Groups of operations that a template took the place of">,
                    Statistic<"numRefused", "refused",
                              "Groups that unify with a pattern and stay">];
  let dependentDialects = ["::kgen::templates::TemplateDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CheckTemplatesPass : Pass<"kgen-check-templates", "::mlir::ModuleOp"> {
  let summary = "Parse and verify trial instances of each template.";
  let description = [{
    Precondition: as of kgen-instantiate-templates. Postcondition: the module is as it was; or it
    fails with the errors of instances.

    A template is tried with every combination of its finite sets, up to 64. A parameter without a
    set has its default, or the values of `examples {K = 6}` in the header, or some of our own.
    Combinations that `requires` excludes are left out. What `cost` says is evaluated with them,
    too.
  }];
  let statistics = [Statistic<"numTrials", "trials", "Instances that were tried">];
  let dependentDialects = ["::kgen::templates::TemplateDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif
