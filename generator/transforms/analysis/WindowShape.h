// What windows that slide over images with their channels last read, and where they reach out of
// them.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

namespace kgen {

/// Where an operand is read: `tensor` at places that are `offsets` further than those of the
/// operand, which is (a part of) the result of `pad`; without padding, the operand itself.
struct PaddedSource {
  mlir::Value tensor;
  mlir::SmallVector<mlir::OpFoldResult> offsets; ///< empty: none
  mlir::tensor::PadOp pad;                       ///< or null

  mlir::ArrayRef<int64_t> shape() const {
    return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
  }
};

PaddedSource sourceOf(mlir::Value operand);

/// Whether elements of the padding change nothing: zeros in sums and sums of products, and what is
/// less than everything in maxima.
bool isNeutralPadding(mlir::linalg::GenericOp op, mlir::tensor::PadOp padding);

/// A dimension of a padded operand that windows reach out of: where they begin along it is `step`
/// times the index of loop `loop`, and `offset`.
struct WindowEdge {
  unsigned position, loop;
  int64_t step;
  mlir::OpFoldResult offset;
  int64_t low, size, all; ///< in front of the tensor, of it, and with its padding
};

/// Places of windows along the rows of an image that have the same taps inside.
struct RowsOfWindows {
  int64_t end; ///< of the places
  mlir::SmallVector<size_t> taps;
};

/// Whether the body consists of scalar operations, and every operand is a tensor of known shape
/// whose elements are whole bytes.
bool isScalarCodeOnTensors(mlir::linalg::GenericOp op);

/// The number that fills `tensor`, or null.
mlir::Value filling(mlir::Value tensor);

/// An elementwise operation that is the only one to read the result of `op`, in the same block and
/// with the same loops; or null.
mlir::linalg::GenericOp onlyElementwiseUser(mlir::linalg::GenericOp op);

/// Where the results of `last` go, which is `op` or what reads its result: not what `op` starts
/// from, if that is the same number everywhere.
mlir::Value windowDestination(mlir::linalg::GenericOp op, mlir::linalg::GenericOp last);

/// A sum, product or extreme over windows: its last two parallel loops are pixels and channels, the
/// loops over taps come after them.
struct WindowShape {
  /// Nothing if `op` is something else. Where an input is padded with what changes nothing, it says
  /// how to do without.
  static std::optional<WindowShape> of(mlir::linalg::GenericOp op);

  mlir::linalg::GenericOp op;
  mlir::SmallVector<int64_t> sizes;
  unsigned pixel = 0, channel = 0; ///< loops: the result's last two dimensions
  mlir::SmallVector<mlir::SmallVector<int64_t>>
      taps;                               ///< their place among the loops, zeros elsewhere
  mlir::SmallVector<unsigned> filters;    ///< inputs that move with taps only, and with channels
  std::optional<tpp::IndexInGroup> group; ///< of the channels that input `grouped` is read at
  unsigned grouped = 0;
  mlir::tensor::PadOp pad; ///< of input `padded`, which is read without it; or null
  unsigned padded = 0;
  mlir::Value whole; ///< what is read instead of the padded input
  mlir::SmallVector<mlir::OpFoldResult>
      shift;                               ///< from places in the padded input to those in `whole`
  std::optional<WindowEdge> rows, columns; ///< where `whole` may end within a window

  /// Whether a window that begins at `begin` of the padded tensor has `tap` inside.
  bool isInside(const WindowEdge &edge, int64_t begin, mlir::ArrayRef<int64_t> tap);
  mlir::SmallVector<RowsOfWindows> rowsWithEqualTaps();
  /// Whether the steps of the first loop over taps are alike but for their place along `rows`: a
  /// window has several, and none reaches out of the image where another does not.
  bool hasEqualTapRows();
  /// What reads the result element by element, and nothing else of it; or null.
  mlir::linalg::GenericOp findConsumer();
  /// Where an operand is read; of one that is read at all channels of a group, at the channel.
  mlir::AffineMap mapOf(mlir::linalg::GenericOp of, unsigned number) const;

private:
  explicit WindowShape(mlir::linalg::GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {}
  bool recognize();
  bool findGroup();
  void findPadding();
  std::optional<WindowEdge> edgeAt(const PaddedSource &source, unsigned number, unsigned position);
};

/// Whether `pad` puts known numbers of one constant around a tensor of known shape.
bool isConstantPad(mlir::tensor::PadOp pad);
/// Whether that constant is 0.
bool isZeroPad(mlir::tensor::PadOp pad);

/// Whether `pad` is read only by sums, sums of products and maxima over windows that become loops:
/// these leave out what it adds, which is neutral, so that nothing has to be copied.
bool allUsesFoldPadding(mlir::tensor::PadOp pad);
/// Whether that holds for one use of a pad.
bool foldsPadding(mlir::OpOperand &use);

} // namespace kgen
