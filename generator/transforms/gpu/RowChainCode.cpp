#include "transforms/gpu/RowChainCode.h"

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

/// True if operations other than those of the chain use the buffer.
bool isUsedElsewhere(Value root, ArrayRef<GenericLoops> chain) {
  if (!root.getDefiningOp<memref::AllocOp>())
    return true;
  SmallVector<Value> views{root};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(user))
        views.push_back(view.getViewDest());
      else if (llvm::none_of(chain, [&](const GenericLoops &one) {
                 return linalg::GenericOp(one.op) == user;
               }))
        return true;
    }
  return false;
}

class RowCode {
public:
  RowCode(KernelBuilder &kernel, ArrayRef<GenericLoops> chain, const RowShape &shape)
      : kernel(kernel), b(kernel.b), loc(kernel.loc), math(kernel.math), chain(chain),
        shape(shape) {}

  void build(const Grid &grid) {
    lane = kernel.thread(0);
    rowOfBlock = kernel.thread(1);
    row = math.add(math.times(kernel.blockNumber(), shape.rowsOfBlock), rowOfBlock);
    if (grid.blocks[0] * grid.blocks[1] * shape.rowsOfBlock != shape.rows) {
      isRow = math.isBelow(row, shape.rows);
      row = math.orZero(isRow, row); // computed for nothing, and not stored
    }
    if (!shape.isLong())
      beginElements(math.constant(0), shape.elements);
    for (const GenericLoops &loops : chain)
      compute(loops);
  }

private:
  /// Values of a memref's elements: one, or one for each slot.
  using Contents = SmallVector<Value>;

  struct Key {
    Value root;
    int64_t offset;
    bool operator==(const Key &other) const { return root == other.root && offset == other.offset; }
  };

  /// The loops of rows and those of elements.
  struct Split {
    FlatLoops rows, elements;
  };

  Split split(const GenericLoops &loops) const {
    size_t count =
        loops.reduced.empty() ? *prefixWith(loops.sizes, shape.rows) : loops.parallel.size();
    auto all = llvm::to_vector(llvm::seq<unsigned>(0, loops.sizes.size()));
    return {FlatLoops(ArrayRef(all).take_front(count), loops.sizes),
            FlatLoops(ArrayRef(all).drop_front(count), loops.sizes)};
  }

  /// The elements of a thread from `first` of the row on, `count` of all threads.
  void beginElements(Value first, int64_t count) {
    elements.clear();
    isElement.clear();
    ofElements.clear();
    for (int64_t slot = 0; slot * shape.threads < count; ++slot) {
      Value beyond = math.add(lane, slot * shape.threads), inside;
      if ((slot + 1) * shape.threads > count) {
        inside = math.isBelow(beyond, count);
        beyond = math.orZero(inside, beyond);
      }
      elements.push_back(math.add(beyond, first));
      isElement.push_back(inside);
    }
  }

  /// After a loop over a long row there are no elements; what is of the row asks for none.
  void endElements() {
    elements.assign(1, math.constant(0));
    isElement.assign(1, Value());
    ofElements.clear();
  }

  /// Builds what a thread does with all of its elements: in a loop where they are too many for
  /// registers, and once more for the rest. `body` returns what becomes of `carried`.
  SmallVector<Value> forElements(ArrayRef<Value> carried,
                                 llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
    if (!shape.isLong())
      return body(carried);
    const int64_t atATime = shape.elementsAtATime(), inLoop = shape.elements / atATime * atATime;
    auto loop = scf::ForOp::create(b, loc, math.constant(0), math.constant(inLoop),
                                   math.constant(atATime), carried);
    {
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(loop.getBody());
      beginElements(loop.getInductionVar(), atATime);
      SmallVector<Value> results = body(loop.getRegionIterArgs());
      if (!carried.empty()) // an empty loop has its end
        scf::YieldOp::create(b, loc, results);
    }
    SmallVector<Value> results = llvm::to_vector_of<Value>(loop.getResults());
    if (inLoop < shape.elements) {
      beginElements(math.constant(inLoop), shape.elements - inLoop);
      results = body(results);
    }
    endElements();
    return results;
  }

  void compute(const GenericLoops &loops) {
    RowRole role = roleOf(loops, shape.rows, shape.elements);
    Split parts = split(loops);
    if (shape.isLong()) {
      endElements();
      if (role == RowRole::element)
        return computeLong(loops, parts);
    }
    SmallVector<Contents> results =
        role == RowRole::sum ? sums(loops, parts) : values(loops, parts, role);
    // All threads of a row have read before one of them writes.
    if (role == RowRole::row && shape.threads > 1 && isInPlace(loops))
      kernel.barrier();
    for (auto [number, output] : llvm::enumerate(loops.outputs))
      keep(output, loops, parts, role, std::move(results[number]));
  }

  /// Elements of a long row: those that only the chain reads are computed by whoever reads them.
  void computeLong(const GenericLoops &loops, const Split &parts) {
    auto isStored = [&](const LoopOperand &output) {
      return isUsedElsewhere(keyOf(output).root, chain);
    };
    for (auto [number, output] : llvm::enumerate(loops.outputs)) {
      llvm::erase_if(later, [&](const Later &one) { return one.key == keyOf(output); });
      if (!isStored(output))
        later.push_back({keyOf(output), &loops, number});
    }
    if (llvm::none_of(loops.outputs, isStored))
      return;
    forElements({}, [&](ValueRange) {
      for (size_t slot = 0; slot < elements.size(); ++slot)
        kernel.where(math.both(isRow, isElement[slot]), [&] {
          const SmallVector<Value> made = once(loops, parts, slot, unread(loops));
          for (auto [number, output] : llvm::enumerate(loops.outputs))
            if (isStored(output))
              kernel.storeAt(made[number], output.memref, addressAt(output, loops, parts, slot));
        });
      return SmallVector<Value>();
    });
  }

  /// Stands for what results were before, where an operation does not read them.
  SmallVector<Value> unread(const GenericLoops &loops) {
    SmallVector<Value> values;
    for (const LoopOperand &output : loops.outputs)
      values.push_back(zeroLike(kernel, output));
    return values;
  }

  /// An element that is computed where it is read; null if the operand is no such.
  Value computedNow(const Key &key, int64_t slot) {
    for (auto &[known, contents] : ofElements)
      if (known == key && contents[slot])
        return contents[slot];
    const auto *one = llvm::find_if(later, [&](const Later &other) { return other.key == key; });
    if (one == later.end())
      return {};
    const GenericLoops &loops = *one->loops;
    Value made = once(loops, split(loops), slot, unread(loops))[one->number];
    auto *known = llvm::find_if(ofElements, [&](auto &entry) { return entry.first == key; });
    if (known == ofElements.end()) {
      ofElements.emplace_back(key, Contents(elements.size()));
      known = std::prev(ofElements.end());
    }
    return known->second[slot] = made;
  }

  /// True if an operation reads from memory what it overwrites.
  bool isInPlace(const GenericLoops &loops) const {
    auto isWritten = [&](Value memref) {
      return llvm::any_of(loops.outputs, [&](const LoopOperand &output) {
        return flatten(output.memref)->root == flatten(memref)->root;
      });
    };
    for (const LoopOperand &input : loops.inputs)
      if (input.memref && isWritten(input.memref))
        return true;
    for (unsigned number = 0; number < loops.outputs.size(); ++number)
      if (loops.readsOutput(number))
        return true;
    return llvm::any_of(capturesOf(loops.op).memrefs, isWritten);
  }

  /// Results of an operation without sums, a value for each slot, or one.
  SmallVector<Contents> values(const GenericLoops &loops, const Split &parts, RowRole role) {
    SmallVector<Contents> results(loops.outputs.size());
    const int64_t slots = role == RowRole::element ? shape.slots : 1;
    for (int64_t slot = 0; slot < slots; ++slot) {
      SmallVector<Value> before;
      for (auto [number, output] : llvm::enumerate(loops.outputs))
        before.push_back(loops.readsOutput(number) ? read(output, loops, parts, slot)
                                                   : zeroLike(kernel, output));
      SmallVector<Value> made = once(loops, parts, slot, before);
      for (auto [result, value] : llvm::zip_equal(results, made))
        result.push_back(value);
    }
    return results;
  }

  /// Sums of a thread's slots, and of all threads of a row.
  SmallVector<Contents> sums(const GenericLoops &loops, const Split &parts) {
    SmallVector<Value> sums;
    SmallVector<Operation *> combiners;
    for (unsigned number = 0; number < loops.outputs.size(); ++number) {
      combiners.push_back(combinerOf(loops, number));
      sums.push_back(
          arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiners.back())));
    }
    sums = forElements(sums, [&](ValueRange carried) {
      SmallVector<Value> own(carried);
      for (size_t slot = 0; slot < elements.size(); ++slot) {
        SmallVector<Value> made = once(loops, parts, slot, own);
        for (auto [sum, value] : llvm::zip_equal(own, made))
          sum = isElement[slot]
                    ? arith::SelectOp::create(b, loc, isElement[slot], value, sum).getResult()
                    : value;
      }
      return own;
    });
    SmallVector<Contents> results;
    for (auto [number, sum] : llvm::enumerate(sums)) {
      // Read before the barriers of the sum: one thread overwrites it after them.
      Value start = loops.starts[number]
                        ? arith::ConstantOp::create(b, loc, loops.starts[number]).getResult()
                        : read(loops.outputs[number], loops, parts, 0);
      Value total = combineThreads(sum, combiners[number]);
      results.push_back({combined(combiners[number], start, total)});
    }
    return results;
  }

  Value combined(Operation *combiner, Value x, Value y) {
    Operation *made = b.clone(*combiner);
    made->setOperands({x, y});
    return made->getResult(0);
  }

  /// Halves the number of sums until there is one: an order that depends on nothing.
  Value combineThreads(Value sum, Operation *combiner) {
    if (shape.threads == 1)
      return sum;
    Value memory = kernel.shared(sum.getType(), shape.threads * shape.rowsOfBlock);
    Value first = math.times(rowOfBlock, shape.threads), own = math.add(first, lane);
    memref::StoreOp::create(b, loc, sum, memory, own);
    kernel.barrier();
    for (int64_t half = shape.threads / 2; half > 0; half /= 2) {
      kernel.where(math.isBelow(lane, half), [&] {
        Value mine = memref::LoadOp::create(b, loc, memory, own);
        Value other = memref::LoadOp::create(b, loc, memory, math.add(own, half));
        memref::StoreOp::create(b, loc, combined(combiner, mine, other), memory, own);
      });
      kernel.barrier();
    }
    return memref::LoadOp::create(b, loc, memory, first);
  }

  SmallVector<Value> once(const GenericLoops &loops, const Split &parts, int64_t slot,
                          ArrayRef<Value> before) {
    SmallVector<Value> arguments;
    for (const LoopOperand &input : loops.inputs)
      arguments.push_back(read(input, loops, parts, slot));
    llvm::append_range(arguments, before);
    SmallVector<Value> indices;
    if (loops.usesIndices())
      indices = indicesAt(loops, parts, slot);
    return kernel.inlineBody(*linalg::GenericOp(loops.op).getBody(), arguments, indices);
  }

  SmallVector<Value> indicesAt(const GenericLoops &loops, const Split &parts, int64_t slot) {
    SmallVector<Value> indices(loops.sizes.size());
    parts.rows.split(math, row, indices);
    parts.elements.split(math, elements[slot], indices);
    return indices;
  }

  Value addressAt(const LoopOperand &operand, const GenericLoops &loops, const Split &parts,
                  int64_t slot) {
    if (!operand.address)
      return addressOf(kernel, operand, indicesAt(loops, parts, slot));
    Value sum = math.add(parts.rows.dot(math, row, *operand.address),
                         parts.elements.dot(math, elements[slot], *operand.address));
    return math.add(sum, operand.address->constant);
  }

  /// A value that the chain has computed, or one from memory; each is read once.
  Value read(const LoopOperand &operand, const GenericLoops &loops, const Split &parts,
             int64_t slot) {
    if (operand.constant)
      return elementAt(kernel, operand, {});
    Key key = keyOf(operand);
    for (auto &[known, contents] : computed)
      if (known == key)
        return contents.size() == 1 ? contents[0] : contents[slot];
    if (Value made = computedNow(key, slot))
      return made;
    Value address = addressAt(operand, loops, parts, slot);
    return kernel.loadAt(operand.memref, address);
  }

  Key keyOf(const LoopOperand &operand) const {
    return {flatten(operand.memref)->root, operand.address ? operand.address->constant : -1};
  }

  void keep(const LoopOperand &output, const GenericLoops &loops, const Split &parts, RowRole role,
            Contents contents) {
    Key key = keyOf(output);
    llvm::erase_if(computed, [&](const auto &entry) { return entry.first == key; });
    if (isUsedElsewhere(key.root, chain))
      store(output, loops, parts, role, contents);
    computed.emplace_back(key, std::move(contents));
  }

  void store(const LoopOperand &output, const GenericLoops &loops, const Split &parts, RowRole role,
             ArrayRef<Value> contents) {
    for (int64_t slot = 0; slot < static_cast<int64_t>(contents.size()); ++slot) {
      Value stores = isRow;
      if (role == RowRole::element)
        stores = math.both(stores, isElement[slot]);
      else if (shape.threads > 1)
        stores = math.both(stores, math.isBelow(lane, 1));
      kernel.where(stores, [&] {
        kernel.storeAt(contents[slot], output.memref, addressAt(output, loops, parts, slot));
      });
    }
  }

  /// An elementwise operation of a long row that is computed where its result is read.
  struct Later {
    Key key;
    const GenericLoops *loops;
    size_t number; ///< of the result
  };

  KernelBuilder &kernel;
  OpBuilder &b;
  const Location loc;
  const IndexMath &math;
  ArrayRef<GenericLoops> chain;
  const RowShape &shape;
  Value lane, rowOfBlock, row, isRow; ///< isRow is null if there is always one
  SmallVector<Value> elements, isElement;
  SmallVector<std::pair<Key, Contents>> computed;
  SmallVector<Later> later;
  SmallVector<std::pair<Key, Contents>> ofElements; ///< results of `later` at the current elements
};

} // namespace

BuiltKernel buildRowKernel(gpu::GPUModuleOp module, StringRef name, ArrayRef<GenericLoops> chain,
                           const RowShape &shape) {
  Grid grid;
  grid.threads = {shape.threads, shape.rowsOfBlock, 1};
  grid.setBlocks(llvm::divideCeil(shape.rows, shape.rowsOfBlock));
  // An intermediate result that nothing else reads is no argument.
  SmallVector<Value> memrefs;
  for (const GenericLoops &loops : chain)
    for (Value memref : loops.memrefs())
      if (isUsedElsewhere(flatten(memref)->root, chain))
        memrefs.push_back(memref);
  KernelBuilder kernel(module, chain.back().op, name, memrefs, grid);
  RowCode(kernel, chain, shape).build(grid);
  return {kernel.finish(), "rows", kernel.leastBytes()};
}

} // namespace kgen::gpu_kernels
