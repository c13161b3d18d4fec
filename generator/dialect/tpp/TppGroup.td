// Several tile operations as one.
#ifndef TPP_GROUP_TD
#define TPP_GROUP_TD

def Tpp_GroupOp : Op<Tpp_Dialect, "group", [
    IsolatedFromAbove, SingleBlock, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "An equation of tile operations that becomes one kernel.";
  let description = [{
    On tensors. The region computes one result from `inputs` and `init`, which its block receives as arguments in this order; it holds
    elementwise tile operations and at most one contraction, the `tensor.empty` destinations between them, and ends in
    `tpp.yield`. Each of its values but the yielded one is used inside only, and `init` is the destination of the yielded one.
    It means what its operations mean one after another. kgen-form-fusion-groups forms groups, kgen-lower-fusion-groups lowers them.

    ```mlir
    %r = tpp.group ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %out: tensor<4x8xf32>):
      %t = tensor.empty() : tensor<4x8xf32>
      %s = tpp.add ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
      %u = tpp.relu ins(%s : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
      tpp.yield %u : tensor<4x8xf32>
    } -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, AnyRankedTensor:$init);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` $init `:` type($init) `)` attr-dict-with-keyword $body `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
