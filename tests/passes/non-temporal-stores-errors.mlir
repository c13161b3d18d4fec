// Non-temporal stores that somebody asked for where there cannot be any: the memory is no result.
// RUN: kgen-opt "%s" --kgen-target=x86-64-v3 --verify-diagnostics --kgen-non-temporal-stores

func.func @workspace(%v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<16xf32>
  // expected-error@+1 {{non-temporal stores, which a lowering configuration wants, are for results of the graph that are written only, in whole cache lines, and for transposes; this is another one}}
  vector.transfer_write %v, %m[%c0] {in_bounds = [true], kgen.non_temporal = true} : vector<16xf32>, memref<16xf32>
  return
}
