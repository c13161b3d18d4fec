// Tools of an operator's `lower`: MLIR values in, MLIR values out, on ranked tensors. Sizes that
// are known at run time only are `?` in types; which ones they are says a TensorShape.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "graph/Operator.h"
#include "ops/ComputeTypeRounding.h"
#include "ops/SymbolicSizes.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Value.h>

namespace kgen {

mlir::Type toMlir(ElementType type, mlir::MLIRContext *context); ///< bool is i8 (0 or 1), u8 is i8
mlir::RankedTensorType toMlir(const TensorType &type, mlir::MLIRContext *context);

/// A constant with those little-endian bytes. Few elements are written out in the IR; more become a
/// resource called `name`.
mlir::Value denseConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                          llvm::StringRef name, llvm::ArrayRef<char> bytes);
/// A constant with the elements of a weight. A resource shares its memory.
mlir::Value denseConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                          llvm::StringRef name, const WeightData &data);

/// The type that operators compute in: f32 for bf16 and f16, else the element type itself.
mlir::Type computeType(mlir::Type element);

/// The order of the dimensions of images, [n, c, spatial...], with the channels last.
llvm::SmallVector<int64_t> channelsLastOrder(int64_t rank);

/// Transposes a tensor, `order[i]` being the old index of dimension i. Constants stay constants,
/// and where only dimensions of one element are exchanged, nothing moves.
mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                       llvm::ArrayRef<int64_t> order);
/// Reshapes a tensor to a static shape of equal element count, in row-major order. Constants stay
/// constants.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                     llvm::ArrayRef<int64_t> shape);
/// Reshapes a tensor to any shape that has as many elements whatever the symbols are.
mlir::Value withShape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      const TensorShape &shape);
/// tensor.empty of the shape.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc, const TensorShape &shape,
                        mlir::Type element);

/// Order of the dimensions of a value: as the graph says, or with the channels last.
enum class Layout { plain, channelsLast };

/// Returns the operand of input i, or null if it is skipped or absent.
using OperandSource = std::function<mlir::Value(size_t i, Layout layout)>;

/// An operand that is read as part of a larger tensor: a map from the tensor's dimensions to its
/// own.
struct Broadcast {
  mlir::Value value;
  mlir::AffineMap map;
};

class LoweringContext : public InferenceContext {
public:
  /// With `layout` channels last, for operators that are elementwise or keep the layout, operands
  /// and results are all in that order.
  LoweringContext(const Graph &graph, const Node &node, Diagnostics &diagnostics,
                  mlir::OpBuilder &builder, mlir::Location loc, OperandSource operands,
                  NarrowFactors &narrowFactors, Layout layout = Layout::plain);

  mlir::OpBuilder &b;
  mlir::Location loc;

  /// Operand i, or a null value if it is skipped or absent.
  mlir::Value operand(size_t i) const { return operands(i, layout); }
  /// Operand i, an image, as [n, spatial..., c]. Images between operators that work in this order
  /// are never moved into the other.
  mlir::Value channelsLast(size_t i) const { return operands(i, Layout::channelsLast); }
  /// The index in operands and results of a dimension of the graph's image of that rank.
  int64_t dimensionOf(int64_t dimension, int64_t rank) const;
  const TensorType &resultType(size_t i = 0) const;
  mlir::RankedTensorType resultTensor(size_t i = 0) const;
  TensorShape resultShape(size_t i = 0) const; ///< of resultTensor
  void setResult(mlir::Value value, size_t i = 0);
  /// The result as [n, spatial..., c].
  void setChannelsLast(mlir::Value value, size_t i = 0);
  /// A result and the order of its dimensions.
  struct Result {
    mlir::Value value;
    Layout layout = Layout::plain;
  };
  const std::vector<Result> &results() const { return produced; }

  /// tensor.empty of the type.
  mlir::Value empty(mlir::RankedTensorType type);
  mlir::Value empty(const TensorShape &shape, mlir::Type element) {
    return emptyTensor(b, loc, shape, element);
  }
  /// tensor.empty of the shape of another tensor.
  mlir::Value emptyLike(mlir::Value tensor, mlir::Type element) {
    return empty(tensorShapeOf(tensor), element);
  }
  /// linalg.fill of a new tensor with a constant of its element type.
  mlir::Value filled(mlir::RankedTensorType type, double value);
  mlir::Value filled(const TensorShape &shape, mlir::Type element, double value);
  mlir::Value filledWith(mlir::RankedTensorType type, mlir::TypedAttr value);
  mlir::Value filledWith(const TensorShape &shape, mlir::TypedAttr value);
  /// A scalar constant of the element type of `like` (a scalar or shaped type).
  mlir::Value scalar(mlir::Type elementType, double value);

  /// An elementwise linalg.generic over `result`'s shape; operands are broadcast by ONNX's rule
  /// through their indexing maps (no copies). `body` gets one scalar per operand, up-converted to
  /// the compute type; what it returns is rounded to `result`'s element type.
  using Body = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  mlir::Value elementwise(mlir::RankedTensorType result, mlir::ValueRange operands,
                          const Body &body);

  /// Like elementwise, for operators that only choose among elements: `body` gets bf16 and f16 as
  /// i16.
  mlir::Value movedElements(mlir::RankedTensorType result, mlir::ValueRange operands,
                            const Body &body);

  /// The elements of `value` at the subscripts that `map` gives.
  mlir::Value movedElements(mlir::RankedTensorType result, mlir::Value value, mlir::AffineMap map);

  /// The operand as it is read by ONNX's rule where the result is `to`.
  Broadcast broadcast(mlir::Value operand, mlir::RankedTensorType to);

  /// A linalg.generic with one accumulator: `body` gets the inputs' scalars, up-converted, then the
  /// accumulator's; what it returns is rounded to `out`'s element type. Iterators follow from the
  /// maps: a dimension that `out`'s map does not use is a reduction.
  mlir::Value generic(mlir::Value out, mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> maps, const Body &body);

  /// Like generic, on bits: `body` gets bf16 and f16 as i16.
  mlir::Value genericOfBits(mlir::Value out, mlir::ValueRange inputs,
                            llvm::ArrayRef<mlir::AffineMap> maps, const Body &body);

  /// A linalg.generic of elements that are only moved, and stay as they are: `body` gets the
  /// current index of each dimension of the result, then the operands' scalars, and reads the
  /// element with `tensor.extract`.
  using IndexedBody = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                                mlir::ValueRange at, mlir::ValueRange scalars)>;
  mlir::Value indexed(mlir::RankedTensorType result, mlir::ValueRange operands,
                      llvm::ArrayRef<mlir::AffineMap> maps, const IndexedBody &body);
  /// Like indexed, for a result of another shape than that of the node or of the first operand.
  mlir::Value indexed(const TensorShape &shape, mlir::Type element, mlir::ValueRange operands,
                      llvm::ArrayRef<mlir::AffineMap> maps, const IndexedBody &body);

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
    return reshaped(b, loc, value, shape);
  }

  mlir::Value withShape(mlir::Value value, const TensorShape &shape) {
    return kgen::withShape(b, loc, value, shape);
  }

  /// The elements rounded to `element`; the value itself if that is its type already.
  mlir::Value rounded(mlir::Value value, mlir::Type element);

  /// An operand of a contraction: rounded to the graph's `compute` if the elements are f32.
  mlir::Value factor(mlir::Value value);

private:
  TensorShape ordered(size_t i, Layout layout) const;
  mlir::RankedTensorType orderedTensor(size_t i, Layout layout) const;
  mlir::Value broadcastGeneric(mlir::RankedTensorType result, mlir::ValueRange operands,
                               const Body &body, bool upconverts);
  mlir::Value build(mlir::Value out, mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                    const Body &body, bool upconverts);

  OperandSource operands;
  std::vector<Result> produced;
  NarrowFactors &narrowFactors;
  Layout layout;
};

} // namespace kgen
