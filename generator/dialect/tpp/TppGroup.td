// Fusion groups of tile operations.
#ifndef TPP_GROUP_TD
#define TPP_GROUP_TD

def Tpp_GroupOp : Op<Tpp_Dialect, "group", [
    IsolatedFromAbove, SingleBlock, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A fusion group: tile operations that become one kernel.";
  let description = [{
    On tensors. The region computes one result from `inputs` and `init`, which are its block's
    arguments in this order. It holds elementwise tile operations, at most one contraction, and
    their `tensor.empty` destinations, and ends in `tpp.yield`. `init` is the destination of the
    yielded value. The group has the semantics of its operations in order. kgen-fuse-epilogues
    creates groups and lowers them.

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
