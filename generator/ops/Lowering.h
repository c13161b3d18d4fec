// What an operator's `lower` works with: MLIR values in, MLIR values out, on ranked tensors with
// static shapes.
#pragma once

#include "graph/Operator.h"
#include "ops/NarrowFactors.h"

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

/// The type that operators compute in: f32 for bf16 and f16, else the element type itself.
mlir::Type computeType(mlir::Type element);

class LoweringContext : public InferenceContext {
public:
  LoweringContext(const Graph &graph, const Node &node, Diagnostics &diagnostics,
                  mlir::OpBuilder &builder, mlir::Location loc, std::vector<mlir::Value> operands,
                  NarrowFactors &narrowFactors);

  mlir::OpBuilder &b;
  mlir::Location loc;

  /// Operand i, or a null value if it is skipped or absent.
  mlir::Value operand(size_t i) const { return i < operands.size() ? operands[i] : mlir::Value(); }
  const TensorType &resultType(size_t i = 0) const;
  mlir::RankedTensorType resultTensor(size_t i = 0) const;
  void setResult(mlir::Value value, size_t i = 0);
  const std::vector<mlir::Value> &results() const { return produced; }

  /// tensor.empty of the type.
  mlir::Value empty(mlir::RankedTensorType type);
  /// linalg.fill of a new tensor with a constant of its element type.
  mlir::Value filled(mlir::RankedTensorType type, double value);
  mlir::Value filledWith(mlir::RankedTensorType type, mlir::TypedAttr value);
  /// A scalar constant of the element type of `like` (a scalar or shaped type).
  mlir::Value scalar(mlir::Type elementType, double value);

  /// An elementwise linalg.generic over `result`'s shape; operands are broadcast by ONNX's rule
  /// through their indexing maps (no copies). `body` gets one scalar per operand, widened to the
  /// type to compute in; what it returns is rounded to `result`'s element type.
  using Body = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  mlir::Value elementwise(mlir::RankedTensorType result, mlir::ValueRange operands,
                          const Body &body);

  /// The same for operators that only choose among elements: `body` gets bf16 and f16 as i16.
  mlir::Value movedElements(mlir::RankedTensorType result, mlir::ValueRange operands,
                            const Body &body);

  /// A linalg.generic with one accumulator: `body` gets the inputs' scalars, widened, then the
  /// accumulator's; what it returns is rounded to `out`'s element type. Iterators follow from the
  /// maps: a dimension that `out`'s map does not use is a reduction.
  mlir::Value generic(mlir::Value out, mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> maps, const Body &body);

  /// The same elements in row-major order under another shape of equal element count. Constants
  /// stay constants.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);

  /// The elements rounded to `element`; the value itself if that is its type already.
  mlir::Value rounded(mlir::Value value, mlir::Type element);

  /// An operand of a contraction: rounded, if the graph asks for it and the elements are f32.
  mlir::Value factor(mlir::Value value);

private:
  mlir::Value broadcastGeneric(mlir::RankedTensorType result, mlir::ValueRange operands,
                               const Body &body, bool widens);
  mlir::Value build(mlir::Value out, mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                    const Body &body, bool widens);

  std::vector<mlir::Value> operands, produced;
  NarrowFactors &narrowFactors;
};

} // namespace kgen
