#include "transforms/gpu/Sequence.h"
#include "transforms/gpu/SequenceStatements.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

#include <llvm/Support/MathExtras.h>

#include <limits>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

/// A thread's steps at most, one after another: about a second of a card. Systems end
/// kernels that run for several.
constexpr uint64_t mostSteps = uint64_t(1) << 22;

/// Finds loops whose iterations threads may share.
class AxisFinder {
public:
  AxisFinder(Sequence &sequence, const std::vector<Statement> &statements)
      : sequence(sequence), statements(statements) {
    for (const Statement &one : statements)
      for (const Access &access : one.accesses)
        if (access.isWritten && !llvm::is_contained(written, access.base))
          written.push_back(access.base);
  }

  void find() {
    for (Value base : written)
      if (!isOwn(base) && isShownTwice(base))
        return takeBuffers();
    auto *first = llvm::find_if(written, [&](Value base) { return !isOwn(base); });
    const unsigned rank = first == written.end() ? 0 : cast<MemRefType>(first->getType()).getRank();
    for (unsigned d = 0; d < rank; ++d) {
      std::optional<Candidate> found = candidate(*first, d);
      if (found && llvm::none_of(found->axis.loops, [&](const SequenceLoop &loop) {
            return sequence.axisOf.count(loop) != 0;
          }))
        accept(std::move(*found));
    }
    takeBuffers();
  }

private:
  struct Candidate {
    SequenceAxis axis;
    llvm::DenseMap<Value, unsigned> dims; ///< of each base, which the axis counts
    SmallVector<Value> privates;
    std::map<const Statement *, SequenceLoop> loops;
  };

  /// True for a buffer that is allocated in the sequence.
  bool isOwn(Value base) const { return isInside(base, sequence.loop); }

  static bool isInside(Value base, Operation *op) {
    Operation *made = base.getDefiningOp();
    return made && op->isProperAncestor(made);
  }

  bool isWritten(Value base) const { return llvm::is_contained(written, base); }

  /// True if another view than this one shows the same buffer.
  bool isShownTwice(Value base) const {
    return llvm::any_of(sequence.memrefs, [&](Value other) {
      return other != base && flatten(other)->root == flatten(base)->root;
    });
  }

  static bool isParallel(const SequenceLoop &loop) {
    if (auto around = dyn_cast_or_null<scf::ForOp>(loop.first))
      return around.getNumResults() == 0;
    if (auto generic = dyn_cast_or_null<linalg::GenericOp>(loop.first))
      return generic.getIteratorTypesArray()[loop.second] == utils::IteratorType::parallel;
    return loop.first != nullptr;
  }

  /// The axis that counts a dimension of a buffer, in whatever is computed from it, too.
  std::optional<Candidate> candidate(Value base, unsigned d) {
    Candidate made;
    made.dims[base] = d;
    for (SmallVector<Value> open{base}; !open.empty();) {
      Value next = open.pop_back_val();
      for (const Statement &one : statements)
        for (const Access &access : one.accesses)
          if (access.base == next && !follow(made, one, access.at[made.dims[next]], open))
            return std::nullopt;
    }
    if (!isComplete(made))
      return std::nullopt;
    for (const auto &[statement, loop] : made.loops) {
      if (!llvm::is_contained(made.axis.loops, loop))
        made.axis.loops.push_back(loop);
      auto around = dyn_cast<scf::ForOp>(loop.first);
      made.axis.size =
          std::max(made.axis.size, around ? *countOf(around) : ownLoops(loop.first)[loop.second]);
    }
    return made;
  }

  /// Notes that the axis is this loop in a statement: so it is of all else that it writes, or that
  /// others write.
  bool follow(Candidate &made, const Statement &one, const SequenceLoop &loop,
              SmallVector<Value> &open) {
    if (!isParallel(loop))
      return false;
    auto [known, isNew] = made.loops.try_emplace(&one, loop);
    if (!isNew)
      return known->second == loop;
    for (const Access &access : one.accesses) {
      if (!isWritten(access.base) || made.dims.count(access.base))
        continue;
      auto found = llvm::find(access.at, loop);
      if (found != access.at.end()) {
        made.dims[access.base] = found - access.at.begin();
        open.push_back(access.base);
      } else if (isOwn(access.base)) {
        made.privates.push_back(access.base);
      } else {
        return false;
      }
    }
    return true;
  }

  /// True if no thread needs what another one writes.
  bool isComplete(Candidate &made) {
    for (Value base : written) {
      const bool isShared = made.dims.count(base),
                 isPrivate = llvm::is_contained(made.privates, base);
      if (!isShared && !isPrivate && isOwn(base))
        made.privates.push_back(base);
      else if (isShared == isPrivate)
        return false;
    }
    // Of a loop that is the axis, a thread runs one iteration.
    for (const Statement &one : statements)
      for (Operation *around = one.op; around != sequence.loop;) {
        around = around->getParentOp();
        const SequenceLoop loop(around, 0);
        if (llvm::none_of(made.loops, [&](const auto &other) { return other.second == loop; }))
          continue;
        auto own = made.loops.find(&one);
        for (const Access &access : one.accesses)
          if (isWritten(access.base) &&
              !(made.dims.count(access.base) ? own != made.loops.end() && own->second == loop
                                             : isInside(access.base, around)))
            return false;
      }
    return true;
  }

  void accept(Candidate found) {
    for (const SequenceLoop &loop : found.axis.loops)
      sequence.axisOf[loop] = sequence.axes.size();
    sequence.axes.push_back(std::move(found.axis));
    for (Value base : found.privates)
      if (!llvm::is_contained(sequence.privates, base))
        sequence.privates.push_back(base);
  }

  void takeBuffers() {
    for (const auto &[memref, view] : sequence.views)
      if (memref == view.base && isOwn(memref) && !llvm::is_contained(sequence.privates, memref))
        sequence.buffers.push_back(memref);
  }

  Sequence &sequence;
  const std::vector<Statement> &statements;
  SmallVector<Value> written;
};

/// Counts a thread's steps in a block.
uint64_t countSteps(const Sequence &sequence, Block &block) {
  uint64_t sum = 0;
  for (Operation &op : block) {
    uint64_t steps = 1;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      steps = sequence.axisOf.count({loop, 0}) ? 1 : *countOf(loop);
      steps = llvm::SaturatingMultiply(steps, countSteps(sequence, *loop.getBody()));
    } else if (isa<scf::IfOp>(op)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          steps = llvm::SaturatingAdd(steps, countSteps(sequence, inner));
    } else {
      for (auto [number, size] : llvm::enumerate(ownLoops(&op)))
        if (!sequence.axisOf.count({&op, static_cast<unsigned>(number)}))
          steps = llvm::SaturatingMultiply(steps, uint64_t(size));
      if (!isa<memref::LoadOp, memref::StoreOp, memref::CopyOp, linalg::GenericOp>(op))
        steps = 0;
    }
    sum = llvm::SaturatingAdd(sum, steps);
  }
  return sum;
}

} // namespace

int64_t Sequence::threads() const {
  int64_t count = 1;
  for (const SequenceAxis &axis : axes)
    count *= axis.size;
  return count;
}

std::optional<int64_t> countOf(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!first || !end || !step || *first != 0 || *step != 1)
    return std::nullopt;
  return std::max<int64_t>(*end, 0);
}

std::optional<Sequence> sequenceOf(scf::ForOp loop, std::string &reason) {
  Sequence sequence;
  sequence.loop = loop;
  std::vector<Statement> statements;
  if (!readStatements(sequence, statements, reason))
    return std::nullopt;
  AxisFinder(sequence, statements).find();
  uint64_t steps = countSteps(sequence, *loop.getBody());
  if (!sequence.axisOf.count({loop, 0}))
    steps = llvm::SaturatingMultiply(steps, uint64_t(*countOf(loop)));
  if (steps > mostSteps) {
    reason = "computes " + std::to_string(steps) + " steps one after another, at most " +
             std::to_string(mostSteps) + " are possible";
    return std::nullopt;
  }
  for (Value memref : sequence.privates)
    if (cast<MemRefType>(memref.getType()).getNumElements() * sequence.threads() >
        std::numeric_limits<int32_t>::max()) {
      reason = "needs 2^31 elements and more for what it keeps in between";
      return std::nullopt;
    }
  return sequence;
}

} // namespace kgen::gpu_kernels
