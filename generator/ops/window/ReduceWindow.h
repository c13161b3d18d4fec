// Reductions over windows, as the pooling operators have them. Images are [n, c, spatial...] of one
// or two spatial dimensions. They keep the order that they come in; kgen-order-windows changes it.
#pragma once

#include "ops/window/Window.h"

namespace kgen {

/// Reports input 0 if it is no such image.
bool checkPooledImage(const InferenceContext &context);

/// The pool's windows over input 0, or nothing after reporting what is wrong.
std::optional<Window> poolOf(const InferenceContext &context);

/// The schema of an operator that reduces windows: all but `lower`.
Operator pool(std::string name, std::string summary);
std::vector<TensorType> inferPool(InferenceContext &context);

/// The dimension of rows in the layout that is used: 1 with the channels last, else 2.
int64_t dimensionOfRows(const LoweringContext &c);
/// Input 0 in that order, with two spatial dimensions.
mlir::Value pooledImage(LoweringContext &c, int64_t rows);
/// Sets result i from an image in that order.
void setPooled(LoweringContext &c, mlir::Value image, int64_t rows, size_t i = 0);

/// A reduction and its initial value.
struct WindowReduction {
  double start;
  LoweringContext::Body combine; ///< of an element, those of further operands, the accumulator
};
WindowReduction maxOf(ElementType type); ///< NaN propagates
WindowReduction sumOf();

/// An operand beside the image, by its four dimensions and the tap's row and column.
struct WindowOperand {
  mlir::Value value;
  mlir::AffineMap map;
};

/// The elements of each window, as `element`, of an image that is padded for them.
mlir::Value reduceWindows(LoweringContext &c, mlir::Value image, const Window &window, int64_t rows,
                          mlir::Type element, const WindowReduction &reduction,
                          llvm::ArrayRef<WindowOperand> others = {});

/// Reduces the windows of an image that is not padded, in the type to compute in.
mlir::Value reduceWindows(LoweringContext &c, mlir::Value image, const Window &window, int64_t rows,
                          const WindowReduction &reduction);

} // namespace kgen
