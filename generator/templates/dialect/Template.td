// The template dialect: functions over types, shapes and values, as text until their parameters are
// known.
#ifndef TEMPLATE_TD
#define TEMPLATE_TD

include "mlir/IR/OpBase.td"

def Template_Dialect : Dialect {
  let name = "template";
  let cppNamespace = "::kgen::templates";
  let summary = "Functions over types, shapes and values.";
  let description = [{
    A template is text until a call says what its parameters are. Then MLIR's parser reads it and
    MLIR's verifiers check it, once for each distinct instance (`kgen-instantiate-templates`). What
    a header, a body and an expression may say is the language of `generator/templates/language`.

    ```mlir
    template.func {T : any_type_of<f32, bf16>, M : index, N : index, K : index}
    @mma(%a : tensor<MxKxT>, %b : tensor<KxNxT>) -> tensor<MxNxf32> requires K % 2 == 0, "pairs" {
      template.const_if is_same(T, f32) {
        ...
      } else {
        template.let P = K / 2
        ...
      }
    }
    %r = template.call @mma<T = bf16>(%x, %y) : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
    ```
  }];
}

class Template_Op<string mnemonic, list<Trait> traits = []> : Op<Template_Dialect, mnemonic, traits>;

def Template_FuncOp : Template_Op<"func", [ParentOneOf<["::mlir::ModuleOp"]>]> {
  let summary = "A function over types, shapes and values.";
  let description = [{
    `kgen-opt` and `kgen-run` read and print it letter by letter; other tools of MLIR see its text
    as a string. It is no symbol: templates of one name are overloads, of which the most special one
    that fits is called.

    ```mlir
    template.func {S : any_shape_of<32x64, 64x64>, T : any_type_of<f32, bf16>}
    @expand(%x : tensor<SxT>) -> tensor<64x64xT> {
      template.shape_switch S
      case 64x64 { return %x : tensor<64x64xT> }
      ...
    }
    ```
  }];
  let arguments = (ins StrAttr:$text, OptionalAttr<StrAttr>:$aliases);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True if the template is a micro-kernel.
    bool isKernel();
    /// The location in the file of a position in the text.
    ::mlir::Location locationOf(const char *at);
  }];
}

def Template_CallOp : Template_Op<"call"> {
  let summary = "Calls the instance of a template that fits.";
  let description = [{
    Parameters that `<...>` does not list follow from the types of the operands, through
    `tensor.cast`. Results are cast to what the call says.

    ```mlir
    %0 = template.call @my.rms_norm<Epsilon = 1.0e-6>(%x, %w) : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, OptionalAttr<DictionaryAttr>:$parameters, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    $callee `` custom<Parameters>($parameters) `(` $operands `)` attr-dict `:` functional-type($operands, results)
  }];
}

#endif
