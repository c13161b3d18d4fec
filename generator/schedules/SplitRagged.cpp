#include "schedules/SplitRagged.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/Schedule.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Interfaces/TilingInterface.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen {

SmallVector<Operation *> ScheduledGroup::ops() {
  SmallVector<Operation *> all;
  for (Operation *op : {fill, root.getOperation(), epilogue.getOperation()})
    if (op)
      all.push_back(op);
  return all;
}

SmallVector<Type> ScheduledGroup::epilogueTypes() {
  SmallVector<Type> types;
  if (epilogue)
    for (Value operand : epilogue->getOperands())
      types.push_back(getElementTypeOrSelf(operand.getType()));
  return types;
}

Value ScheduledGroup::result() { return ops().back()->getResult(0); }

namespace {

/// A part of the loops, by letter.
struct Range {
  std::map<char, int64_t> offsets, sizes;
};

class Splitter {
public:
  Splitter(ScheduledGroup group, const ScheduleSpec &schedule, const ScheduledOperator &op,
           const ScheduleParameters &parameters)
      : group(group), schedule(withNumbers(schedule, parameters)), op(op),
        rewriter(group.root->getContext()) {}

  std::vector<RaggedPart> split() {
    std::vector<Range> ranges = rangesOf();
    if (ranges.size() == 1)
      return {{group, nestFor(ranges.front()), ""}};
    rewriter.setInsertionPoint(group.ops().back());
    auto type = cast<RankedTensorType>(group.result().getType());
    Value whole =
        emptyTensor(rewriter, group.root.getLoc(), type.getShape(), type.getElementType());
    whole.getDefiningOp()->setAttr(partsAttrName, rewriter.getUnitAttr());
    std::vector<RaggedPart> parts;
    for (const Range &range : ranges) {
      ScheduledGroup made = partOf(range);
      whole = tensor::InsertSliceOp::create(rewriter, group.root.getLoc(), made.result(), whole,
                                            fold(offsetsOf(range, outDims())),
                                            fold(sizesOf(range, outDims())), ones());
      parts.push_back({made, nestFor(range), textOf(range)});
    }
    group.result().replaceAllUsesExcept(whole, whole.getDefiningOp());
    SmallVector<Operation *> replaced = group.ops();
    for (Operation *old : llvm::reverse(replaced))
      rewriter.eraseOp(old);
    return parts;
  }

private:
  const std::string &outDims() const { return op.operands.back().dims; }

  static ScheduleSpec withNumbers(ScheduleSpec schedule, const ScheduleParameters &parameters) {
    auto resolve = [&](auto &sizes) {
      for (auto &[loop, size] : sizes)
        if (!size.parameter.empty())
          size = {parameters.at(size.parameter), "", size.where};
    };
    for (ScheduleLevel &level : schedule.nest)
      resolve(level.sizes);
    resolve(schedule.tiles);
    schedule.parameters.clear();
    return schedule;
  }

  /// The part of the loop that the outermost line of the nest with it has; 0 if none has.
  int64_t outermostPart(char loop) const {
    for (const ScheduleLevel &level : schedule.nest)
      for (const auto &[name, size] : level.sizes)
        if (name[0] == loop)
          return size.number;
    return 0;
  }

  std::vector<Range> rangesOf() const {
    std::vector<Range> ranges{{}};
    for (char loop : op.loops) {
      int64_t size = op.sizeOf(loop), part = outermostPart(loop);
      bool isSplit = !op.isReduction(loop) && part != 0 && part < size && size % part != 0;
      int64_t whole = isSplit ? size / part * part : size;
      std::vector<Range> next;
      for (const Range &range : ranges)
        for (auto [offset, length] : {std::pair(int64_t(0), whole), std::pair(whole, size - whole)})
          if (length > 0) {
            next.push_back(range);
            next.back().offsets[loop] = offset;
            next.back().sizes[loop] = length;
          }
      ranges = std::move(next);
    }
    return ranges;
  }

  static SmallVector<int64_t> valuesOf(const std::map<char, int64_t> &values,
                                       const std::string &loops) {
    SmallVector<int64_t> list;
    for (char loop : loops)
      list.push_back(values.at(loop));
    return list;
  }
  SmallVector<int64_t> offsetsOf(const Range &range, const std::string &loops) const {
    return valuesOf(range.offsets, loops);
  }
  SmallVector<int64_t> sizesOf(const Range &range, const std::string &loops) const {
    return valuesOf(range.sizes, loops);
  }
  SmallVector<OpFoldResult> fold(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(rewriter.getContext(), values);
  }
  SmallVector<OpFoldResult> ones() {
    return SmallVector<OpFoldResult>(outDims().size(), rewriter.getIndexAttr(1));
  }

  Value emptyOf(Value whole, ArrayRef<int64_t> sizes) {
    return emptyTensor(rewriter, whole.getLoc(), sizes, getElementTypeOrSelf(whole.getType()));
  }

  /// The operation on a part of its loops: inputs are sliced.
  linalg::LinalgOp sliced(linalg::LinalgOp from, const Range &range, const std::string &loops) {
    FailureOr<TilingResult> made =
        cast<TilingInterface>(from.getOperation())
            .getTiledImplementation(rewriter, fold(offsetsOf(range, loops)),
                                    fold(sizesOf(range, loops)));
    auto part = cast<linalg::LinalgOp>(made->tiledOps.front());
    part->setLoc(from.getLoc());
    return part;
  }

  /// The slice that was the operand has no reader then.
  void replace(OpOperand &operand, Value value) {
    Operation *slice = operand.get().getDefiningOp();
    operand.set(value);
    if (slice && slice->use_empty())
      rewriter.eraseOp(slice);
  }

  ScheduledGroup partOf(const Range &range) {
    SmallVector<int64_t> sizes = sizesOf(range, outDims());
    ScheduledGroup part;
    part.root = sliced(group.root, range, op.loops);
    Value init = part.root.getDpsInits()[0];
    rewriter.setInsertionPoint(part.root);
    Value start = emptyOf(init, sizes);
    if (group.fill) {
      auto fill = cast<linalg::FillOp>(group.fill);
      auto made = linalg::FillOp::create(rewriter, fill.getLoc(), fill.value(), start);
      part.fill = made;
      start = made.result();
    }
    replace(*part.root.getDpsInitOperand(0), start);
    rewriter.setInsertionPointAfter(part.root);
    if (group.epilogue) {
      part.epilogue = cast<linalg::GenericOp>(sliced(group.epilogue, range, outDims()));
      rewriter.setInsertionPoint(part.epilogue);
      for (auto [operand, whole] :
           llvm::zip_equal(part.epilogue->getOpOperands(), group.epilogue->getOperands())) {
        if (whole == group.root->getResult(0))
          replace(operand, part.root->getResult(0));
        else if (part.epilogue.isDpsInit(&operand))
          replace(operand, emptyOf(operand.get(), sizes));
      }
      rewriter.setInsertionPointAfter(part.epilogue);
    }
    for (auto [from, to] : llvm::zip_equal(group.ops(), part.ops()))
      to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
    return part;
  }

  /// The nest with parts that are no larger than the range needs, so that it is padded by less than
  /// the innermost part.
  ScheduleSpec nestFor(const Range &range) const {
    ScheduleSpec made = schedule;
    for (const auto &[loop, size] : range.sizes) {
      int64_t inner = 1;
      for (const auto &[name, tile] : schedule.tiles)
        if (name[0] == loop)
          inner = tile.number;
      for (ScheduleLevel &level : llvm::reverse(made.nest))
        for (auto &[name, part] : level.sizes)
          if (name[0] == loop)
            inner = part.number =
                part.number < size ? part.number : int64_t(llvm::alignTo(size, inner));
    }
    return made;
  }

  std::string textOf(const Range &range) const {
    std::string text;
    for (char loop : op.loops) {
      int64_t first = range.offsets.at(loop), size = range.sizes.at(loop);
      if (size != op.sizeOf(loop))
        text += (text.empty() ? "" : ", ") + std::string(1, loop) + " " + std::to_string(first) +
                " to " + std::to_string(first + size - 1);
    }
    return text;
  }

  ScheduledGroup group;
  ScheduleSpec schedule;
  const ScheduledOperator &op;
  IRRewriter rewriter;
};

} // namespace

std::vector<RaggedPart> splitRagged(ScheduledGroup group, const ScheduleSpec &schedule,
                                    const ScheduledOperator &op,
                                    const ScheduleParameters &parameters) {
  return Splitter(group, schedule, op, parameters).split();
}

} // namespace kgen
