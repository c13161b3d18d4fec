// The bench dialect: what a test asks of the code around it (checks), and how long a part of it
// takes (perf).
#ifndef BENCH_TD
#define BENCH_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Bench_Dialect : Dialect {
  let name = "bench";
  let cppNamespace = "::kgen::bench";
  let summary = "Checks and time measurements inside the code that `kgen-run` runs.";
  let description = [{
    Operations on tensors and on memrefs of static shape. They have effects, so that no optimization
    removes, merges or moves them. `kgen-lower-bench` turns them into calls of functions that the
    host provides; a generated library has none.

    ```mlir
    func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %expected: tensor<64x64xf32>) {
      %e = tensor.empty() : tensor<64x64xf32>
      %r = bench.measure iterations 100 flops 524288 ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
      ^bb0(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %out: tensor<64x64xf32>):
        %zero = arith.constant 0.0 : f32
        %z = linalg.fill ins(%zero : f32) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
        %m = linalg.matmul ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
        bench.yield %m : tensor<64x64xf32>
      } -> tensor<64x64xf32>
      bench.expect_close %r, %expected {relative = 1.0e-4} : tensor<64x64xf32>
      return
    }
    ```
  }];
}

def Bench_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

class Bench_Op<string mnemonic, list<Trait> traits = []> : Op<Bench_Dialect, mnemonic, traits>;

def Bench_ExpectTrueOp : Bench_Op<"expect_true", [MemoryEffects<[MemWrite]>]> {
  let summary = "The run fails unless a condition holds.";
  let description = [{
    A failure prints the message and the operation's location. The run goes on, so that later
    failures are seen too.

    ```mlir
    bench.expect_true %ok, "the sum is positive"
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Bench_ExpectCloseOp : Bench_Op<"expect_close", [MemoryEffects<[MemWrite]>, SameTypeOperands]> {
  let summary =
      "The run fails unless two tensors are equal within a tolerance, element by element.";
  let description = [{
    Floats `x` (actual) and `y` (expected) are close if `|x - y| <= absolute + relative * |y|`. NaN
    is close to NaN only, an infinity to itself only. Integers must be equal; the tolerances do not
    concern them. A failure prints the indices and the two values of the first element that differs,
    how many differ, and the operation's location.

    ```mlir
    bench.expect_close %actual, %expected {absolute = 1.0e-6, relative = 1.0e-4} : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Arg<Bench_TensorOrMemRef, "", [MemRead]>:$actual, Arg<Bench_TensorOrMemRef, "", [MemRead]>:$expected,
                       DefaultValuedAttr<F64Attr, "0.0">:$absolute, DefaultValuedAttr<F64Attr, "1.0e-5">:$relative);
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
  let hasVerifier = 1;
}

def Bench_ExpectFiniteOp : Bench_Op<"expect_finite", [MemoryEffects<[MemWrite]>]> {
  let summary = "The run fails if a tensor of floats holds a NaN or an infinity.";
  let description = [{
    A failure prints the first such element, how many there are, and the operation's location.

    ```mlir
    bench.expect_finite %t : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Arg<Bench_TensorOrMemRef, "", [MemRead]>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Bench_PrintOp : Bench_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Prints a tensor or a scalar.";
  let description = [{
    On one line, with its type in front; of more than 256 elements only the first ones.

    ```mlir
    bench.print %t : tensor<2x2xf32>     // f32[2, 2] [[1, 2], [3, 4]]
    bench.print %n : index               // i64[] 7
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[AnyRankedTensor, AnyMemRef, AnyFloat, AnySignlessInteger, Index]>, "", [MemRead]>:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Bench_MeasureOp : Bench_Op<"measure", [
    IsolatedFromAbove, SingleBlock, AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Measures the time of its region.";
  let description = [{
    Runs the region until it is warm, then `iterations` times, and prints the median of the times
    per iteration with their quartiles, and GFLOPS if `flops` (operations per iteration) is given. A
    region that takes less than 20 us is run several times for each reading of the clock; the time
    is that of one.

    The region sees nothing but its arguments, which are the operands `ins` and `outs` in this
    order: what it computes cannot be merged with the same computation elsewhere. It writes its
    results where the arguments of `outs` are, as operations in destination-passing style do, and
    yields them; the results of the operation are those of the last iteration. What an argument of
    `outs` holds at the beginning of an iteration is not specified, except for the first one. On
    memrefs there are no results, and nothing is yielded.

    In the code that `kgen-lower-bench` makes, every operand's memory may be read and changed
    between iterations by something that LLVM cannot see. So the work is neither moved out of the
    loop nor removed, unless it depends on no operand.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "100">:$iterations, OptionalAttr<I64Attr>:$flops,
                       Variadic<AnyType>:$inputs, Variadic<Bench_TensorOrMemRef>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`iterations` $iterations^)? (`flops` $flops^)? (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Bench_YieldOp : Bench_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["MeasureOp"]>]> {
  let summary = "The results of a measured region: one for each of `outs`, if these are tensors.";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
