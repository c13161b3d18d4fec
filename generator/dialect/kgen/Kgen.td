// The kgen dialect: the target as an attribute, and operations that MLIR lacks.
#ifndef KGEN_TD
#define KGEN_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "dialect/kgen/BlockwiseQuant.td"

def Kgen_TargetAttr : AttrDef<Kgen_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "A CPU level: everything that passes may know about the machine.";
  let description = [{
    Hangs on the module as `kgen.target`. It is made from a target's YAML and is the only way in which passes learn about
    the machine; nothing asks the host. `gemm_tiles` holds the measured choices of the YAML (`gemm_f32 = {mr = 12, ...}`);
    the formulas that turn them into register tiles and cache blocks for a shape are methods of this attribute. `reciprocal_throughput`
    (optional) holds the reciprocal throughput in cycles of single instructions of the full vector width
    (`dot_bf16 = 2.0`; specs/README.md lists them). Which instruction multiplies two element types follows from the
    features and the costs, see `productForm`.

    ```mlir
    module attributes {kgen.target = #kgen.target<name = "x86-64-v3", triple = "x86_64-unknown-linux-gnu",
        features = "+avx2,+fma", tune = "haswell", vector_bits = 256, vector_registers = 16, l1d = 32768, l2 = 262144,
        gemm_tiles = {gemm_f32 = {mr = 6 : i64, nr = 16 : i64}}>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"as in a spec">:$name,
    StringRefParameter<"LLVM triple">:$triple,
    StringRefParameter<"LLVM feature string">:$features,
    StringRefParameter<"LLVM scheduling model">:$tune,
    "int64_t":$vector_bits,
    "int64_t":$vector_registers,
    "int64_t":$l1d,
    "int64_t":$l2,
    "::mlir::DictionaryAttr":$gemm_tiles,
    DefaultValuedParameter<"::mlir::DictionaryAttr", "::mlir::DictionaryAttr::get($_ctxt)">:$reciprocal_throughput
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// Whether code for the target may use a feature, by LLVM's name ("avx512bf16").
    bool hasFeature(::llvm::StringRef name) const;
    /// Elements of `element` in one vector register.
    int64_t lanes(::mlir::Type element) const;
    /// How many values of k are packed next to each other in B of type `b`: as many as a dot-product instruction of the type
    /// takes, on every target, so that all share the packed weights. Without such an instruction, pairs and fours cost no
    /// more to widen.
    int64_t vnniFactor(::mlir::Type b) const;
    /// The register tile, cache blocks and panel width for an m x n x k contraction of types `a` and `b` whose B is packed
    /// into panels or read in place. The measured choices are those of B's type, `gemm_<b>`; `amx_<b>` for products in
    /// tiles (productForm), which need packed B and can be ruled out. With `f16Accumulate`, they are added up in f16:
    /// `gemm_f16`.
    ::kgen::GemmBlocking gemmBlocking(::mlir::Type a, ::mlir::Type b, int64_t m, int64_t n, int64_t k, bool packed,
                                      bool mayUseTiles = true, bool f16Accumulate = false) const;
    /// blocks[kind][name], or `otherwise` where the YAML does not say.
    int64_t block(::llvm::StringRef kind, ::llvm::StringRef name, int64_t otherwise) const;
    /// Cycles from one such instruction of the full vector width to the next, when they do not wait for each other. What
    /// `reciprocal_throughput` does not say: fma_f32 0.5; convert_f16 twice fma_f32; an instruction on tiles 16; any other as fma_f32.
    double cost(::llvm::StringRef instruction) const;
    /// THE decision which instructions multiply elements of `a` (left) with elements of `b` (right): the form with the
    /// smallest productCost of those that the target's features allow.
    ::kgen::ProductForm productForm(::mlir::Type a, ::mlir::Type b) const;
    /// The same without tiles: for kernels that tiles do not fit.
    ::kgen::ProductForm vectorProductForm(::mlir::Type a, ::mlir::Type b) const;
    /// Whether products of `a` and `b` that may be added up in f16 are: there is an instruction for it, and it is cheaper.
    bool choosesHalfSums(::mlir::Type a, ::mlir::Type b) const;
    /// Cycles for one multiply-add of `a` and `b` within a whole register tile, with its share of what widens the operands.
    double productCost(::kgen::ProductForm form, ::mlir::Type a, ::mlir::Type b) const;
  }];
}

def Kgen_GridPartitionAttr : AttrDef<Kgen_Dialect, "GridPartition", [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "piece";
  let summary = "A parallel loop covers an operation together with others.";
  let description = [{
    The mapping of each dimension of an `scf.forall` that has some of an operation's tiles, while another one has the others.
    Such a loop stays a loop, even if it has a single iteration, until kgen-fuse-parallel-loops has made one grid of them.

    ```mlir
    scf.forall (%i) = (640) to (651) step (11) {
    } {mapping = [#kgen.grid_partition]}
    ```
  }];
}

def Kgen_MatmulNbitsOp : Op<Kgen_Dialect, "matmul_nbits", [Pure]> {
  let summary = "Product of a matrix and the transposition of one whose elements have few bits.";
  let description = [{
    As com.microsoft's MatMulNBits. With `block` = B and `bits` = 4 or 8,

        C[m, n] = sum over k of A[m, k] * (q[n, k] - zero[n, k / B]) * scale[n, k / B]

    in f32. `weights` holds the unsigned integers q as bytes [n, blocks, B * bits / 8], blocks = ceil(k / B); of two
    integers of 4 bits in a byte, the first one is in the lower half. `scales` are [n, blocks]. `zeros` are unsigned integers of
    `bits` bits, [n, ceil(blocks * bits / 8)] bytes, packed as the weights are; without them, every zero is 2^(bits - 1).

    kgen-prepack-nbits makes a tile operation of it where all that describes the weights is constant; kgen-decompose-nbits turns it
    into linalg.

    ```mlir
    %c = kgen.matmul_nbits %a, %weights, %scales {bits = 4 : i64, block = 32 : i64}
      : (tensor<1x96xf32>, tensor<5x3x16xi8>, tensor<5x3xf32>) -> tensor<1x5xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$a, AnyStaticShapeTensor:$weights, AnyStaticShapeTensor:$scales,
                       Optional<AnyStaticShapeTensor>:$zeros, I64Attr:$bits, I64Attr:$block);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $a `,` $weights `,` $scales (`,` $zeros^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getM() { return ::llvm::cast<::mlir::RankedTensorType>(getA().getType()).getDimSize(0); }
    int64_t getK() { return ::llvm::cast<::mlir::RankedTensorType>(getA().getType()).getDimSize(1); }
    int64_t getN() { return ::llvm::cast<::mlir::RankedTensorType>(getWeights().getType()).getDimSize(0); }
    /// What a product with the packed weights has to know.
    ::kgen::BlockwiseQuantAttr getBlocks();
  }];
}

def Kgen_AttentionOp : Op<Kgen_Dialect, "attention", [Pure, SingleBlock, IsolatedFromAbove]> {
  let summary = "softmax(score(Q * K)) * V in one operation, whose scores are never all in memory.";
  let description = [{
    For each batch index `i`, query `m` and element `e`, with sums and powers in the type that Q, K and V are computed with (f32
    for bf16 and f16):

        s[n]         = score(sum over d of Q[i, m, d] * K[i, n, d], extras at (i, m, n)...)
        R[i, m, e]   = sum over n of exp(s[n] - max s) * V[i, n, e] / sum over n of exp(s[n] - max s)

    The iteration dimensions are `(batch..., m, n, d, e)`; the maps say how they index each operand and the result, so that a
    transposed operand, or one that several batch indices share (the keys of a group of heads), is only a map. Rows of Q and
    V are contiguous: d is the last dimension of Q, e that of V and of the result, which has m before it. `epilogue_maps` are over
    the same dimensions, without d and e. The region computes one score; with `causal = c`, keys `n > m + c` have no part in
    the sums, and are not read where whole blocks of them are left out.

    With `narrow = bf16`, powers, or powers times a factor that a query's have in common, may be rounded to this type before they
    are multiplied with V.

    A query all of whose scores are -inf gives NaN, as does one with a score of NaN or +inf.

    kgen-fuse-attention makes this operation of products around a softmax, kgen-decompose-attention loops over blocks of it.

    ```mlir
    %r = kgen.attention ins(%q, %k, %v : tensor<12x512x64xf32>, tensor<12x512x64xf32>, tensor<12x512x64xf32>)
        attributes {q_map = affine_map<(h, m, n, d, e) -> (h, m, d)>, k_map = affine_map<(h, m, n, d, e) -> (h, n, d)>,
        v_map = affine_map<(h, m, n, d, e) -> (h, n, e)>, epilogue_maps = [], result_map = affine_map<(h, m, n, d, e) -> (h, m, e)>} {
    ^bb0(%product: f32):
      %eighth = arith.constant 0.125 : f32
      %s = arith.mulf %product, %eighth : f32
      kgen.yield %s : f32
    } -> tensor<12x512x64xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$q, AnyStaticShapeTensor:$k, AnyStaticShapeTensor:$v,
                       Variadic<AnyStaticShapeTensor>:$epilogue_ins, AffineMapAttr:$q_map, AffineMapAttr:$k_map, AffineMapAttr:$v_map,
                       AffineMapArrayAttr:$epilogue_maps, AffineMapAttr:$result_map, OptionalAttr<I64Attr>:$causal,
                       OptionalAttr<TypeAttr>:$narrow);
  let results = (outs AnyStaticShapeTensor:$result);
  let regions = (region SizedRegion<1>:$score);
  let assemblyFormat = [{
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)` (`epilogue_ins` `(` $epilogue_ins^ `:` type($epilogue_ins) `)`)?
    attr-dict-with-keyword $score `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The sizes of the iteration space.
    ::llvm::SmallVector<int64_t> getIterationSizes();
    unsigned getBatchRank() { return getQMap().getNumDims() - 4; }
    unsigned dimM() { return getBatchRank(); }
    unsigned dimN() { return getBatchRank() + 1; }
    unsigned dimD() { return getBatchRank() + 2; }
    unsigned dimE() { return getBatchRank() + 3; }
    /// In which products are added up.
    ::mlir::Type getAccumulatorType() { return getScore().getArgument(0).getType(); }
  }];
}

def Kgen_YieldOp : Op<Kgen_Dialect, "yield", [Pure, Terminator, ReturnLike, HasParent<"AttentionOp">]> {
  let summary = "The score of a query and a key.";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Kgen_GeluOp : Op<Kgen_Dialect, "gelu", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Exact Gaussian error linear unit of a float, elementwise.";
  let description = [{
    `x * Phi(x)` with the standard normal distribution function `Phi(x) = erfc(-x / sqrt(2)) / 2`. One operation, because
    composing it from `math.erf` loses all digits for negative `x`. NaN gives NaN, -inf gives -0.

    ```mlir
    %y = kgen.gelu %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_GeluTanhOp : Op<Kgen_Dialect, "gelu_tanh", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Gaussian error linear unit of a float by its approximation with tanh, elementwise.";
  let description = [{
    `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`, within 4 units in the last place. One operation, because composing
    it from `math.tanh` loses all digits for negative `x`. NaN gives NaN, -inf gives -0.

    ```mlir
    %y = kgen.gelu_tanh %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_SigmoidOp : Op<Kgen_Dialect, "sigmoid", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Logistic function of a float, elementwise.";
  let description = [{
    `1 / (1 + exp(-x))`. One operation, because composing it from `math.exp` loses all digits of small results, where the
    power overflows, or takes more operations. NaN gives NaN.

    ```mlir
    %y = kgen.sigmoid %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_SoftplusOp : Op<Kgen_Dialect, "softplus", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Logarithm of 1 + exp of a float, elementwise.";
  let description = [{
    `log(1 + exp(x))`, within 4 units in the last place. One operation, because a logarithm of numbers from 1 to 2 takes
    fewer operations than `math.log1p`. NaN gives NaN.

    ```mlir
    %y = kgen.softplus %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Kgen_ExpOrZeroOp : Op<Kgen_Dialect, "exp_or_zero", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Exponential function of a float, as long as it is normal, or 0 below a bound, elementwise.";
  let description = [{
    `exp(x)`, within 4 units in the last place, for `x` from `least` to 88 (f64: 709), and 0 where `x` is less. NaN gives NaN;
    of what is larger nothing is said. `least` is a number whose power is normal: -87.33 or more for f32, -708.39 or more for f64. With this,
    powers need one factor of 2^n instead of two and no other limits. For sums of powers that have a 1 among them.

    ```mlir
    %y = kgen.exp_or_zero<-8.0e+01> %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand, F64Attr:$least);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "`<` $least `>` $operand attr-dict `:` type($result)";
}

def Kgen_Exp2OrZeroOp : Op<Kgen_Dialect, "exp2_or_zero", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Power of 2 with a float as exponent, as long as it is normal, or 0 below a bound, elementwise.";
  let description = [{
    As `kgen.exp_or_zero`, with 2^x in place of `exp(x)`: within 4 units in the last place for `x` from `least` to 127 (f64: 1023), and
    0 where `x` is less. `least` is -126 or more for f32, -1022 or more for f64. What has to be multiplied before its exponential
    is taken is multiplied with log2(e) in the same step, and splitting x into a whole number and the rest is exact.

    ```mlir
    %y = kgen.exp2_or_zero<-1.2e+02> %x : vector<16xf32>
    ```
  }];
  let arguments = (ins FloatLike:$operand, F64Attr:$least);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "`<` $least `>` $operand attr-dict `:` type($result)";
}

def Kgen_PermuteOp : Op<Kgen_Dialect, "permute", [Pure, TypesMatchWith<"the result is as long as the places", "places", "result",
    "::mlir::cast<::mlir::VectorType>($_self).clone(::mlir::Float32Type::get($_self.getContext()))">]> {
  let summary = "Lanes of one register or two, each chosen by a number that is not known before.";
  let description = [{
    Lane i of the result is lane `places[i]` of `from`, a vector of 32-bit floats of as many lanes as the result or twice as
    many. Of places beyond it nothing is said. `vector.shuffle`, whose places are constants, is what most code wants; this one is for
    tables in memory: one instruction of AVX2 (8 lanes) or AVX-512 (16 lanes).

    ```mlir
    %r = kgen.dynamic_permute %v, %p : vector<32xf32>, vector<16xi32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$from, VectorOfRankAndType<[1], [I32]>:$places);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$result);
  let assemblyFormat = "$from `,` $places attr-dict `:` type($from) `,` type($places)";
  let hasVerifier = 1;
}

def Kgen_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "pointer of the LLVM dialect">,
                   BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

def Kgen_TaskSlotOp : Op<Kgen_Dialect, "task_slot", [Pure]> {
  let summary = "The slot of a task: a number that no other task of its grid has at the same time.";
  let description = [{
    Less than the number of tasks, of which `task` is the index, and the lowest that is free when the task begins: a task that
    runs behind another on the same thread gets the slot of that one, and finds its memory in the caches. Where a loop does
    not become tasks, or `task` is not known to be the index in it, the slot is `task`.

    ```mlir
    %slot = kgen.task_slot %task
    ```
  }];
  let arguments = (ins Index:$task);
  let results = (outs Index:$slot);
  let assemblyFormat = "$task attr-dict";
}

def Kgen_LaunchOp : Op<Kgen_Dialect, "launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a function once for each index of a task grid, on whatever threads the executor has.";
  let description = [{
    Calls `callee` with the captures and with each index below `tasks`, once each, in any order and possibly at the same
    time, and continues when all calls have returned. So tasks must not depend on each other. The executor is a pointer to
    the struct that the C library calls `<library>_executor`; where that, or its `run`, is NULL, the tasks run one after
    the other on the caller's thread. A buffer is captured as the address of its first element, so its layout must be known.
    With `slots`, the task's slot (`kgen.task_slot`) follows its index.

    ```mlir
    func.func private @mlp_task0(%x: memref<64xf32>, %index: index) { ... }
    kgen.launch @mlp_task0[8] on %executor(%x) : memref<64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, ConfinedAttr<I64Attr, [IntPositive]>:$tasks, Kgen_Pointer:$executor,
                       Variadic<AnyType>:$captures, UnitAttr:$slots);
  let assemblyFormat = "$callee `[` $tasks `]` (`slots` $slots^)? `on` $executor `(` $captures `)` attr-dict (`:` type($captures)^)?";
  let hasVerifier = 1;
}

#endif
