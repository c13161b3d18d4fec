#include "transforms/gpu/SequenceStatements.h"
#include "transforms/gpu/GenericLoops.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

/// The view that shows all of a buffer.
SequenceView wholeOf(Value base) {
  SequenceView view{base, {}};
  for (unsigned d = 0; d < cast<MemRefType>(base.getType()).getRank(); ++d)
    view.indices.push_back({{}, 0, 1, d});
  return view;
}

/// The part of a view that a subview shows; nothing if its strides are no numbers.
std::optional<SequenceView> partOf(const SequenceView &source, memref::SubViewOp part) {
  SequenceView view{source.base, {}};
  llvm::SmallBitVector dropped = part.getDroppedDims();
  auto type = cast<MemRefType>(part.getType());
  if (!type.hasStaticShape() || llvm::any_of(part.getStaticStrides(), ShapedType::isDynamic))
    return std::nullopt;
  SmallVector<std::optional<unsigned>> numbers; // of the source's dimensions in the part
  unsigned next = 0;
  for (unsigned d = 0; d < dropped.size(); ++d) {
    numbers.push_back(dropped[d] ? std::nullopt : std::optional(next));
    next += !dropped[d];
  }
  for (const ViewIndex &index : source.indices) {
    ViewIndex own = index;
    if (index.own) {
      const unsigned d = *index.own;
      OpFoldResult offset = part.getMixedOffsets()[d];
      if (std::optional<int64_t> number = getConstantIntValue(offset))
        own.constant += index.stride * *number;
      else
        own.terms.emplace_back(cast<Value>(offset), index.stride);
      own.stride = index.stride * part.getStaticStrides()[d];
      own.own = numbers[d];
      if (own.own && type.getDimSize(*own.own) == 1)
        own.own.reset(); // is 0
    }
    view.indices.push_back(std::move(own));
  }
  return view;
}

/// Reads a sequence.
class Reader {
public:
  Reader(Sequence &sequence, std::vector<Statement> &statements)
      : sequence(sequence), statements(statements) {}

  std::string reason;

  bool read() {
    WalkResult walk = sequence.loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!readOne(op)) {
        if (reason.empty())
          reason = "computes one element after another (scf.for)";
        return WalkResult::interrupt();
      }
      return isa<linalg::GenericOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    return !walk.wasInterrupted();
  }

private:
  bool readOne(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return countOf(loop).has_value() && (op != sequence.loop || loop.getNumResults() == 0);
    if (isa<memref::DeallocOp>(op))
      return true;
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      sequence.views[alloc] = wholeOf(alloc);
      return alloc.getType().hasStaticShape();
    }
    if (auto part = dyn_cast<memref::SubViewOp>(op)) {
      const SequenceView *source = viewOf(part.getSource());
      std::optional<SequenceView> view = source ? partOf(*source, part) : std::nullopt;
      if (view)
        sequence.views[part] = std::move(*view);
      return view.has_value();
    }
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return add(op, [&](Statement &one) {
        return access(one, load.getMemRef(), false, loopsOf(load.getIndices()));
      });
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return add(op, [&](Statement &one) {
        return access(one, store.getMemRef(), true, loopsOf(store.getIndices()));
      });
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return add(op, [&](Statement &one) {
        return access(one, copy.getSource(), false, allLoops(op)) &&
               access(one, copy.getTarget(), true, allLoops(op));
      });
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return add(op, [&](Statement &one) { return readGeneric(one, generic); });
    return isScalarCode(op);
  }

  bool readGeneric(Statement &one, linalg::GenericOp generic) {
    if (llvm::any_of(generic.getStaticLoopRanges(), ShapedType::isDynamic))
      return false;
    for (OpOperand &operand : generic->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      std::vector<SequenceLoop> loops;
      for (AffineExpr index : generic.getMatchingIndexingMap(&operand).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(index);
        loops.push_back(dim ? SequenceLoop(generic, dim.getPosition()) : SequenceLoop());
      }
      const bool isWritten = generic.isDpsInit(&operand);
      if (!access(one, operand.get(), isWritten, loops))
        return false;
    }
    WalkResult walk = generic.getBody()->walk([&](Operation *inner) {
      auto load = dyn_cast<memref::LoadOp>(inner);
      return isScalarCode(inner) &&
                     (!load || access(one, load.getMemRef(), false, loopsOf(load.getIndices())))
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    return !walk.wasInterrupted();
  }

  template <typename Read> bool add(Operation *op, Read read) {
    Statement one{op, {}};
    const bool isRead = read(one);
    statements.push_back(std::move(one));
    return isRead;
  }

  const SequenceView *viewOf(Value memref) {
    auto known = sequence.views.find(memref);
    if (known != sequence.views.end())
      return &known->second;
    Operation *made = memref.getDefiningOp();
    if (made && sequence.loop->isProperAncestor(made))
      return nullptr; // another kind of view
    if (!flatten(memref)) {
      reason = "has a tensor whose place in memory is known at run time only, or of 2^31 elements "
               "and more";
      return nullptr;
    }
    sequence.memrefs.push_back(memref);
    return &(sequence.views[memref] = wholeOf(memref));
  }

  /// The loops that these values count.
  std::vector<SequenceLoop> loopsOf(ValueRange indices) {
    std::vector<SequenceLoop> loops;
    for (Value index : indices)
      loops.push_back(loopOf(index));
    return loops;
  }

  SequenceLoop loopOf(Value index) {
    if (auto own = index.getDefiningOp<linalg::IndexOp>())
      return {own->getParentOfType<linalg::GenericOp>(), own.getDim()};
    auto argument = dyn_cast<BlockArgument>(index);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    return loop && index == loop.getInductionVar() ? SequenceLoop(loop, 0) : SequenceLoop();
  }

  static std::vector<SequenceLoop> allLoops(Operation *op) {
    std::vector<SequenceLoop> loops;
    for (unsigned d = 0; d < ownLoops(op).size(); ++d)
      loops.emplace_back(op, d);
    return loops;
  }

  /// Notes an access where the view's indices are `loops`.
  bool access(Statement &one, Value memref, bool isWritten,
              const std::vector<SequenceLoop> &loops) {
    const SequenceView *view = viewOf(memref);
    if (!view)
      return false;
    Access access{view->base, isWritten, {}};
    for (const ViewIndex &index : view->indices) {
      SequenceLoop loop;
      if (index.constant == 0 && index.own && index.terms.empty() && index.stride == 1)
        loop = loops[*index.own];
      else if (index.constant == 0 && !index.own && index.terms.size() == 1 &&
               index.terms[0].second == 1)
        loop = loopOf(index.terms[0].first);
      access.at.push_back(loop);
    }
    one.accesses.push_back(std::move(access));
    return true;
  }

  Sequence &sequence;
  std::vector<Statement> &statements;
};

} // namespace

SmallVector<int64_t> ownLoops(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.getStaticLoopRanges();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return llvm::to_vector(cast<MemRefType>(copy.getTarget().getType()).getShape());
  return {};
}

bool readStatements(Sequence &sequence, std::vector<Statement> &statements, std::string &reason) {
  Reader reader(sequence, statements);
  const bool isRead = reader.read();
  reason = reader.reason;
  return isRead;
}

} // namespace kgen::gpu_kernels
