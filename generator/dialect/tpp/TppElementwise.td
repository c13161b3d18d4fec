// Elementwise tile operations.
#ifndef TPP_ELEMENTWISE_TD
#define TPP_ELEMENTWISE_TD

/// `scalar` is the C++ expression of the scalar code, of `builder`, `loc` and `args` (Scalars.h).
class Tpp_ElementwiseOp<string mnemonic, int arity, string scalar, bit integers = 0, dag attributes = (ins)>
    : Op<Tpp_Dialect, mnemonic, [
        DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Tpp_TileOpInterface,
        Tpp_ElementwiseOpInterface]> {
  let arguments = !con((ins Variadic<Tpp_TensorOrMemRef>:$inputs, Tpp_TensorOrMemRef:$init,
                            OptionalAttr<AffineMapArrayAttr>:$maps), attributes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  code computes = [{ return elementwise::computeType(*this); }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    ::llvm::SmallVector<int64_t> getIterationSizes() { return elementwise::iterationSizes(*this); }
    ::llvm::SmallVector<::mlir::utils::IteratorType> getIterationTypes() { return elementwise::iterationTypes(*this); }
    ::mlir::AffineMap getOperandMap(unsigned number) { return elementwise::operandMap(*this, number); }
    int64_t getFlops() { return elementwise::flops(*this); }
    bool acceptsEpilogueOperand(::mlir::AffineMap map, ::mlir::Type) { return map.isProjectedPermutation(); }
    unsigned getArity() { return }] # arity # [{; }
    bool acceptsIntegers() { return }] # integers # [{; }
    ::mlir::Type getAccumulatorType() {}] # computes # [{}
    ::mlir::Value buildScalar(::mlir::OpBuilder &builder, ::mlir::Location loc, ::mlir::ValueRange args) {
      return }] # scalar # [{;
    }
  }];
}

class Tpp_UnaryOp<string mnemonic, string function, string meaning, bit integers = 0>
    : Tpp_ElementwiseOp<mnemonic, 1, "scalar::" # function # "(builder, loc, args)", integers> {
  let summary = meaning;
  let description = "`out = " # meaning # "`, element by element. " # common;
  string common = [{Computes in f64 if an operand is f64, else in f32 (integers: in their own type,
    wrapping), and converts the result to the destination's type. NaN propagates. On memrefs the
    destination may be an input whose map is the identity, and must not overlap any input
    otherwise.}];
}

class Tpp_BinaryOp<string mnemonic, string function, string meaning, bit integers = 0>
    : Tpp_ElementwiseOp<mnemonic, 2, "scalar::" # function # "(builder, loc, args)", integers> {
  let summary = meaning;
  let description =
      "`out = " # meaning # "`, element by element; see `tpp.add` for types, broadcasting and aliasing.";
}

def Tpp_IdentityOp : Tpp_ElementwiseOp<"identity", 1, "args[0]", 1> {
  let summary = "A copy that converts and broadcasts.";
  let description = [{
    `out = x`, converted to the destination's element type: floats are rounded to nearest even,
    integers are truncated or sign-extended, integers become floats; floats do not become integers.
    NaN stays NaN. `maps` broadcasts. On memrefs the destination must not overlap the input, unless
    it is the input itself.

    ```mlir
    %r = tpp.identity ins(%row : tensor<8xf32>) outs(%e : tensor<4x8xbf16>) {maps = [affine_map<(i, j) -> (j)>]} -> tensor<4x8xbf16>
    ```
  }];
  let computes = [{ return ::mlir::getElementTypeOrSelf(getInit().getType()); }];
}

def Tpp_ZeroOp : Tpp_ElementwiseOp<"zero", 0, "scalar::zero(builder, loc, getAccumulatorType())", 1> {
  let summary = "Zeros.";
  let description =
      "`out = 0` (floats: +0). A contraction that accumulates into it starts from zero instead.";
  let computes = [{ return ::mlir::getElementTypeOrSelf(getInit().getType()); }];
}

def Tpp_ReluOp : Tpp_UnaryOp<"relu", "relu", "0 > x ? 0 : x"> {
  let description = [{
    `out = 0 > x ? 0 : x`, element by element: -0 stays -0.

    ```mlir
    %r = tpp.relu ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }] # common;
}
def Tpp_LeakyReluOp : Tpp_ElementwiseOp<"leaky_relu", 1,
    "scalar::leakyRelu(builder, loc, args, getAlpha().convertToDouble())", 0, (ins F64Attr:$alpha)> {
  let summary = "x < 0 ? alpha * x : x";
  let description =
      "`out = x < 0 ? alpha * x : x`; `alpha` is rounded to the type of the computation. Otherwise "
      "as `tpp.relu`.";
}
def Tpp_GeluOp : Tpp_ElementwiseOp<"gelu", 1,
    "getTanh() ? scalar::geluTanh(builder, loc, args) : scalar::gelu(builder, loc, args)", 0, (ins UnitAttr:$tanh)> {
  let summary = "x * Phi(x), the Gaussian error linear unit.";
  let description =
      "Within 4 ulp of the exact value; with `tanh` of ONNX's approximation by tanh. Otherwise as "
      "`tpp.relu`.";
}
def Tpp_SigmoidOp : Tpp_UnaryOp<"sigmoid", "sigmoid", "1 / (1 + exp(-x))">;
def Tpp_TanhOp : Tpp_UnaryOp<"tanh", "tanh", "tanh(x)">;
def Tpp_ExpOp : Tpp_UnaryOp<"exp", "exp", "exp(x)">;
def Tpp_LogOp : Tpp_UnaryOp<"log", "log", "log(x)">;
def Tpp_SqrtOp : Tpp_UnaryOp<"sqrt", "sqrt", "sqrt(x)">;
def Tpp_ReciprocalOp : Tpp_UnaryOp<"reciprocal", "reciprocal", "1 / x">;
def Tpp_NegOp : Tpp_UnaryOp<"neg", "neg", "-x", 1>;
def Tpp_AbsOp : Tpp_UnaryOp<"abs", "abs", "|x|", 1>;

def Tpp_AddOp : Tpp_BinaryOp<"add", "add", "x + y", 1> {
  let description = [{
    `out = x + y`, element by element. `maps` has an affine map from the destination's dimensions to
    those of each input: a full tile, a row, a column or a scalar, on either side; without it both
    are full tiles. Computes in f64 if an operand is f64, else in f32 (integers: in their own type,
    wrapping), and converts the result to the destination's type. NaN propagates, through `tpp.max`
    and `tpp.min`, too. On memrefs the destination may be an input whose map is the identity, and
    must not overlap any input otherwise.

    ```mlir
    %r = tpp.add ins(%x, %bias : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>)
        {maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>]} -> tensor<4x8xf32>
    ```
  }];
}
def Tpp_SubOp : Tpp_BinaryOp<"sub", "sub", "x - y", 1>;
def Tpp_MulOp : Tpp_BinaryOp<"mul", "mul", "x * y", 1>;
def Tpp_DivOp : Tpp_BinaryOp<"div", "div", "x / y">;
def Tpp_MaxOp : Tpp_BinaryOp<"max", "max", "max(x, y)", 1>;
def Tpp_MinOp : Tpp_BinaryOp<"min", "min", "min(x, y)", 1>;

#endif
