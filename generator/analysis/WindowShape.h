// Reduce-windows over images in NHWC: their taps, and where windows extend into the padding.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <vector>

namespace kgen {

/// The tensor that an operand is read from. Without padding it is the operand itself. If the
/// operand is the result of `pad`, or a slice of that, it is the source of `pad`, and `offsets` are
/// the operand's offsets in the result of `pad`.
struct PaddedSource {
  mlir::Value tensor;
  mlir::SmallVector<mlir::OpFoldResult> offsets; ///< one for each dimension; empty without padding
  mlir::tensor::PadOp pad;                       ///< null without padding

  mlir::ArrayRef<int64_t> shape() const {
    return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
  }
};

PaddedSource sourceOf(mlir::Value operand);

/// True if the padding is the neutral element of the reduction: 0 in sums and sums of products, the
/// lowest value in maxima.
bool isNeutralPadding(mlir::linalg::GenericOp op, mlir::tensor::PadOp padding);

/// A padded dimension that windows slide along. A window begins at `stride` times the index of loop
/// `loop`, plus `offset`, in elements of the padded tensor.
struct WindowEdge {
  unsigned position, loop; ///< the dimension of the operand; the loop
  int64_t stride;
  mlir::OpFoldResult offset;
  int64_t low, size, paddedSize; ///< elements before the tensor, of it, and with all padding
};

/// A range of window positions along the rows of an image whose valid taps are the same.
struct EqualTapRows {
  int64_t end;                    ///< first position after the range
  mlir::SmallVector<size_t> taps; ///< numbers of the valid taps
};

/// True if the body consists of scalar operations only, and every operand is a tensor whose
/// elements are whole bytes.
bool isScalarCodeOnTensors(mlir::linalg::GenericOp op);

/// Returns the scalar that `tensor` is filled with; null if it is not filled.
mlir::Value fillValue(mlir::Value tensor);

/// Returns the elementwise operation that is the only reader of the result of `op`, in the same
/// block and with the same loops; null if there is none.
mlir::linalg::GenericOp onlyElementwiseUser(mlir::linalg::GenericOp op);

/// Returns the tensor that the results of `last` are written to, where `last` is `op` or the reader
/// of its result. If `op` starts from a filled tensor, that is the destination of the fill.
mlir::Value windowDestination(mlir::linalg::GenericOp op, mlir::linalg::GenericOp last);

/// A sum, sum of products or maximum over windows. Its last two parallel loops are pixels and
/// channels; the reduction loops over taps follow.
struct WindowShape {
  /// Returns nothing if `op` has another form. If an input has neutral padding, or is the image of
  /// a product of bytes with any constant as its padding, the result reads the source of the pad
  /// instead.
  static std::optional<WindowShape> match(mlir::linalg::GenericOp op);

  mlir::linalg::GenericOp op;
  mlir::SmallVector<int64_t> sizes; ///< of the loops; those of channels and taps are static
  unsigned pixel = 0, channel = 0;  ///< loops: the result's last two dimensions
  mlir::SmallVector<mlir::SmallVector<int64_t>> taps; ///< loop indices of each; 0 if no tap loop
  mlir::SmallVector<unsigned> filters;                ///< inputs indexed by taps and channels only
  std::optional<tpp::IndexInGroup> group; ///< of the channels that input `grouped` is read at
  unsigned grouped = 0;
  mlir::tensor::PadOp pad; ///< of input `padded`; null without padding
  unsigned padded = 0;
  mlir::Value unpadded; ///< the source of `pad`, read instead of input `padded`
  mlir::SmallVector<mlir::OpFoldResult>
      unpaddedOffsets; ///< what an index in the padded input gains in `unpadded`
  std::optional<WindowEdge> rows, columns; ///< where windows may extend out of `unpadded`

  /// True if `tap` of a window that begins at `begin` of the padded tensor is valid: it lies in
  /// `unpadded`, not in the padding.
  bool isInside(const WindowEdge &edge, int64_t begin, mlir::ArrayRef<int64_t> tap);
  mlir::SmallVector<EqualTapRows> rowsWithEqualTaps();
  /// True if the first tap loop can stay a loop. It has several iterations, each with several taps,
  /// and its index shifts reads along `rows` only: the valid taps are a range of its iterations.
  bool canLoopOverTapRows();
  /// Returns the only reader of the result, if it reads element by element; null otherwise.
  mlir::linalg::GenericOp findConsumer();
  /// Names the element of input `number` that is read `by` further along the loops: the constant
  /// part of its indices, and the member of its group.
  std::vector<int64_t> elementAt(unsigned number, mlir::ArrayRef<int64_t> by) const;
  /// The indexing map of operand `number` of `of`. For input `grouped` of `op`, the index into the
  /// group is replaced by the channel.
  mlir::AffineMap mapOf(mlir::linalg::GenericOp of, unsigned number) const;

private:
  explicit WindowShape(mlir::linalg::GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {}
  bool recognize();
  bool findGroup();
  void findPadding();
  std::optional<WindowEdge> edgeAt(const PaddedSource &source, unsigned number, unsigned position);
};

/// A sum over windows of products of an image's bytes and a filter's, in i32.
struct ByteProduct {
  struct Factor {
    unsigned input = 0;
    bool isUnsigned = false;
  };
  Factor image, filter;

  /// Returns the factors of a body that adds the product of two inputs' bytes to its third
  /// argument; nothing if it computes something else.
  static std::optional<std::pair<Factor, Factor>> factorsOf(mlir::Block &body);

  /// Returns nothing if the body computes something else.
  static std::optional<ByteProduct> match(const WindowShape &shape);

  /// Channels of a block, one for each byte of a register, where dot products take four taps and
  /// enough registers hold its sums; else 0.
  static int64_t channelsOfBlock(TargetAttr target);
  /// Channels of NHWC images whose windows are computed at once: a block, or those of a vector of
  /// sums.
  static int64_t channelsAtOnce(TargetAttr target);
};

/// True if `pad` adds static amounts of a constant.
bool addsConstantAmounts(mlir::tensor::PadOp pad);
/// True if, in addition, the dimensions that are padded have static sizes.
bool isConstantPad(mlir::tensor::PadOp pad);
/// True if that constant is +0.0.
bool isZeroPad(mlir::tensor::PadOp pad);

/// True if each use of `pad` folds the padding, so that the padded tensor need not be in memory.
bool allUsesFoldPadding(mlir::tensor::PadOp pad);
/// True if the user is a reduce-window for which the padding is neutral: its loops skip the taps in
/// the padding.
bool foldsPadding(mlir::OpOperand &use);

} // namespace kgen
