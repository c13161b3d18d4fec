// Kernels of loops that compute one element after another.
#include "transforms/gpu/Kernels.h"
#include "transforms/gpu/SequenceStatements.h"

#include <mlir/Dialect/Affine/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

/// Puts what a sequence allocates before it; returns the buffers by what they were.
llvm::DenseMap<Value, Value> allocateOutside(const Sequence &sequence) {
  llvm::DenseMap<Value, Value> made;
  OpBuilder b(sequence.loop);
  auto allocate = [&](Value inside, ArrayRef<int64_t> shape) {
    Type element = getElementTypeOrSelf(inside.getType());
    made[inside] =
        memref::AllocOp::create(b, sequence.loop->getLoc(), MemRefType::get(shape, element));
  };
  for (Value buffer : sequence.buffers)
    allocate(buffer, cast<MemRefType>(buffer.getType()).getShape());
  for (Value buffer : sequence.privates)
    allocate(buffer, cast<MemRefType>(buffer.getType()).getNumElements() * sequence.threads());
  return made;
}

/// The code of one thread.
class SequenceCode {
public:
  SequenceCode(KernelBuilder &kernel, const Sequence &sequence,
               const llvm::DenseMap<Value, Value> &made, Value point)
      : kernel(kernel), b(kernel.b), loc(kernel.loc), sequence(sequence), made(made), point(point) {
  }

  void build() {
    SmallVector<int64_t> sizes;
    for (const SequenceAxis &axis : sequence.axes)
      sizes.push_back(axis.size);
    auto all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
    places.resize(sizes.size());
    FlatLoops(all, sizes).split(kernel.math, point, places);
    for (Value constant : capturesOf(sequence.loop).constants)
      mapping.map(constant, b.clone(*constant.getDefiningOp())->getResult(0));
    addLoop(sequence.loop);
  }

private:
  void addBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      add(&op);
  }

  void add(Operation *op) {
    if (isa<memref::AllocOp, memref::DeallocOp, memref::SubViewOp>(op))
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return addLoop(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return addBranch(branch);
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return mapping.map(load.getResult(), read(load.getMemRef(), mapped(load.getIndices())));
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return write(mapping.lookupOrDefault(store.getValue()), store.getMemRef(),
                   mapped(store.getIndices()));
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return nest(op,
                  [&](ValueRange at) { write(read(copy.getSource(), at), copy.getTarget(), at); });
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return addGeneric(generic);
    b.clone(*op, mapping);
  }

  SmallVector<Value> mapped(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return mapping.lookupOrDefault(v); });
  }

  void yield(Block &block) {
    if (Operation *end = block.getTerminator(); end->getNumOperands() != 0)
      scf::YieldOp::create(b, loc, mapped(end->getOperands()));
  }

  void addLoop(scf::ForOp loop) {
    if (auto axis = sequence.axisOf.find({loop, 0}); axis != sequence.axisOf.end())
      return atPlace(axis->second, *countOf(loop), [&] {
        mapping.map(loop.getInductionVar(), places[axis->second]);
        addBlock(*loop.getBody());
      });
    auto own =
        scf::ForOp::create(b, loc, kernel.math.constant(0), kernel.math.constant(*countOf(loop)),
                           kernel.math.constant(1), mapped(loop.getInitArgs()));
    mapping.map(loop.getBody()->getArguments(), own.getBody()->getArguments());
    mapping.map(loop.getResults(), own.getResults());
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(own.getBody());
    addBlock(*loop.getBody());
    yield(*loop.getBody());
  }

  void addBranch(scf::IfOp branch) {
    auto own = scf::IfOp::create(b, loc, branch.getResultTypes(),
                                 mapping.lookupOrDefault(branch.getCondition()),
                                 branch.elseBlock() != nullptr);
    mapping.map(branch.getResults(), own.getResults());
    for (auto [from, to] : {std::pair(branch.thenBlock(), own.thenBlock()),
                            std::pair(branch.elseBlock(), own.elseBlock())}) {
      if (!from)
        continue;
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(to);
      addBlock(*from);
      yield(*from);
    }
  }

  /// Builds what only threads do whose place of an axis a loop reaches.
  void atPlace(unsigned axis, int64_t count, llvm::function_ref<void()> build) {
    const bool isAll = count >= sequence.axes[axis].size;
    kernel.where(isAll ? Value() : kernel.math.isBelow(places[axis], count), build);
  }

  /// Loops over those of an operation that are no axis, which `wanted` has.
  void nest(
      Operation *op, llvm::function_ref<void(ValueRange at)> build,
      llvm::function_ref<bool(unsigned)> wanted = [](unsigned) { return true; }) {
    SmallVector<int64_t> sizes = ownLoops(op);
    nestFrom(op, sizes, SmallVector<Value>(sizes.size()), 0, build, wanted);
  }

  void nestFrom(Operation *op, ArrayRef<int64_t> sizes, SmallVector<Value> at, unsigned depth,
                llvm::function_ref<void(ValueRange at)> build,
                llvm::function_ref<bool(unsigned)> wanted) {
    if (depth == sizes.size())
      return build(at);
    auto next = [&] { nestFrom(op, sizes, at, depth + 1, build, wanted); };
    if (!wanted(depth))
      return next();
    if (auto axis = sequence.axisOf.find({op, depth}); axis != sequence.axisOf.end()) {
      at[depth] = places[axis->second];
      return atPlace(axis->second, sizes[depth], next);
    }
    if (sizes[depth] == 1) {
      at[depth] = kernel.math.constant(0);
      return next();
    }
    auto loop = scf::ForOp::create(b, loc, kernel.math.constant(0),
                                   kernel.math.constant(sizes[depth]), kernel.math.constant(1));
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    at[depth] = loop.getInductionVar();
    next();
  }

  void addGeneric(linalg::GenericOp generic) {
    auto types = generic.getIteratorTypesArray();
    nest(
        generic, [&](ValueRange at) { addPoint(generic, llvm::to_vector(at)); },
        [&](unsigned loop) { return types[loop] == utils::IteratorType::parallel; });
  }

  /// All terms of one point of the parallel loops.
  void addPoint(linalg::GenericOp generic, SmallVector<Value> at) {
    SmallVector<unsigned> reduced;
    generic.getReductionDims(reduced);
    SmallVector<Value> values;
    for (OpOperand &init : generic.getDpsInitsMutable())
      values.push_back(read(init.get(), indicesOf(generic, init, at)));
    values = addUp(generic, reduced, at, values);
    for (auto [init, value] : llvm::zip_equal(generic.getDpsInitsMutable(), values))
      write(value, init.get(), indicesOf(generic, init, at));
  }

  SmallVector<Value> addUp(linalg::GenericOp generic, ArrayRef<unsigned> reduced,
                           SmallVector<Value> at, ValueRange values) {
    if (reduced.empty())
      return once(generic, at, values);
    auto loop =
        scf::ForOp::create(b, loc, kernel.math.constant(0),
                           kernel.math.constant(generic.getStaticLoopRanges()[reduced.front()]),
                           kernel.math.constant(1), values);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    at[reduced.front()] = loop.getInductionVar();
    scf::YieldOp::create(b, loc,
                         addUp(generic, reduced.drop_front(), at, loop.getRegionIterArgs()));
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  SmallVector<Value> once(linalg::GenericOp generic, ValueRange at, ValueRange before) {
    SmallVector<Value> arguments;
    for (OpOperand *input : generic.getDpsInputOperands()) {
      Value value = input->get();
      arguments.push_back(isa<MemRefType>(value.getType())
                              ? read(value, indicesOf(generic, *input, at))
                              : mapping.lookupOrDefault(value));
    }
    llvm::append_range(arguments, before);
    return kernel.inlineBody(*generic.getBody(), arguments, at, mapping, [&](memref::LoadOp load) {
      return read(load.getMemRef(), load.getIndices());
    });
  }

  SmallVector<Value> indicesOf(linalg::GenericOp generic, OpOperand &operand, ValueRange at) {
    return *affine::expandAffineMap(b, loc, generic.getMatchingIndexingMap(&operand), at);
  }

  Value read(Value memref, ValueRange at) {
    const SequenceView &view = sequence.views.find(memref)->second;
    return kernel.loadAt(outside(view.base), addressOf(view, at));
  }

  void write(Value value, Value memref, ValueRange at) {
    const SequenceView &view = sequence.views.find(memref)->second;
    kernel.storeAt(value, outside(view.base), addressOf(view, at));
  }

  Value outside(Value base) const {
    auto found = made.find(base);
    return found == made.end() ? base : found->second;
  }

  Value addressOf(const SequenceView &view, ValueRange at) {
    const IndexMath &math = kernel.math;
    auto type = cast<MemRefType>(view.base.getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    (void)type.getStridesAndOffset(strides, offset); // known: it is an allocation, or was read
    Value sum = math.constant(offset);
    if (llvm::is_contained(sequence.privates, view.base))
      sum = math.times(point, type.getNumElements());
    for (auto [index, stride] : llvm::zip_equal(view.indices, strides)) {
      sum = math.add(sum, index.constant * stride);
      for (auto [value, factor] : index.terms)
        sum = math.add(sum, math.times(mapping.lookupOrDefault(value), factor * stride));
      if (index.own)
        sum = math.add(sum, math.times(at[*index.own], index.stride * stride));
    }
    return sum;
  }

  KernelBuilder &kernel;
  OpBuilder &b;
  const Location loc;
  const Sequence &sequence;
  const llvm::DenseMap<Value, Value> &made;
  const Value point;
  SmallVector<Value> places; ///< of the thread, for each axis
  IRMapping mapping;         ///< values of the sequence as the thread has them
};

} // namespace

BuiltKernel buildSequenceKernel(gpu::GPUModuleOp module, StringRef name, const Sequence &sequence) {
  llvm::DenseMap<Value, Value> made = allocateOutside(sequence);
  SmallVector<Value> memrefs(sequence.memrefs);
  for (const auto &list : {sequence.buffers, sequence.privates})
    for (Value inside : list)
      memrefs.push_back(made[inside]);
  Grid grid = gridFor(sequence.threads());
  KernelBuilder kernel(module, sequence.loop, name, memrefs, grid);
  forEachPoint(kernel, grid, sequence.threads(),
               [&](Value point) { SequenceCode(kernel, sequence, made, point).build(); });
  return {kernel.finish(), "sequence", kernel.leastBytes()};
}

} // namespace kgen::gpu_kernels
