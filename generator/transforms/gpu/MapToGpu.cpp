// Kernels of a function's operations.
#include "transforms/gpu/GpuAttr.h"
#include "transforms/gpu/LaunchRecord.h"
#include "transforms/gpu/Passes.h"

#include <mlir/IR/Matchers.h>

#include <llvm/ADT/StringSet.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_MAPTOGPUPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

using namespace gpu_kernels;

constexpr char kernelsName[] = "kernels";

/// "h0" of the first node that an operation is of, as part of a name of C.
std::string nodeName(Location loc) {
  std::string name;
  loc->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner))
      name = named.getName().str();
    return name.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name.empty() ? "step" : name;
}

/// Returns the constant that an operation writes in all elements; null if it is no such.
TypedAttr fillValue(Operation *op, Value into) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInits() != 1 || generic.getDpsInits()[0] != into ||
      generic.getNumReductionLoops() != 0)
    return {};
  TypedAttr value;
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(yielded))
    yielded = generic.getMatchingOpOperand(argument)->get();
  return matchPattern(yielded, m_Constant(&value)) ? value : TypedAttr();
}

bool touches(Operation *op, Value root) {
  auto isOfRoot = [&](Value value) {
    std::optional<FlatMemory> flat =
        isa<MemRefType>(value.getType()) ? flatten(value) : std::nullopt;
    return !flat ? isa<MemRefType>(value.getType()) : flat->root == root;
  };
  return llvm::any_of(op->getOperands(), isOfRoot) ||
         (op->getNumRegions() != 0 && llvm::any_of(capturesOf(op).memrefs, isOfRoot));
}

bool isView(Operation *op) { return isa<ViewLikeOpInterface>(op); }

/// Begins sums from constants, in place of what an operation before has written.
void foldStarts(GenericLoops &loops, SmallVectorImpl<Operation *> &dead) {
  if (loops.reduced.empty())
    return;
  for (auto [number, output] : llvm::enumerate(loops.outputs)) {
    auto type = cast<MemRefType>(output.memref.getType());
    Value root = flatten(output.memref)->root;
    // All that was written is overwritten.
    if (type.getNumElements() != loops.points())
      continue;
    Operation *last = loops.op->getPrevNode();
    while (last && (isView(last) || llvm::is_contained(dead, last) || !touches(last, root)))
      last = last->getPrevNode();
    if (TypedAttr value = fillValue(last, output.memref)) {
      loops.starts[number] = value;
      dead.push_back(last);
    }
  }
}

/// Makes the kernels of one function.
class FunctionMapper {
public:
  FunctionMapper(gpu::GPUModuleOp kernels, const GpuFacts &gpu, llvm::StringSet<> &names,
                 DecisionLog &log)
      : kernels(kernels), gpu(gpu), names(names), log(log) {}

  LogicalResult map(func::FuncOp function) {
    bool hasFailed = false;
    sinkScalars(function);
    SmallVector<Operation *> steps;
    for (Operation &op : function.front())
      if (!isTransparent(&op))
        steps.push_back(&op);
    collect(steps, hasFailed);
    if (hasFailed)
      return failure();
    // Before chains are made, of which they would seem to read results.
    llvm::erase_if(steps, [&](Operation *op) { return llvm::is_contained(dead, op); });
    for (Operation *op : dead)
      op->erase();
    prefix = function.getName().str() + "_";
    for (Operation *op : steps) {
      auto generic = dyn_cast<linalg::GenericOp>(op);
      if (generic) {
        add(std::move(loops.find(op)->second));
        continue;
      }
      flush();
      if (auto product = dyn_cast<tpp::ContractionOpInterface>(op)) {
        std::string reason;
        std::optional<BuiltKernel> built =
            buildContractionKernel(kernels, nameOf(op), gpu, product, reason);
        if (built)
          keep(*built, op);
        else
          hasFailed = true, refuse(op, reason);
      } else if (isa<scf::ForOp>(op)) {
        keep(buildSequenceKernel(kernels, nameOf(op), sequences.find(op)->second), op);
      } else {
        keep(buildCopyKernel(kernels, nameOf(op), cast<memref::CopyOp>(op)), op);
      }
    }
    flush();
    for (Operation *op : done)
      op->erase();
    removeUnused(function);
    return failure(hasFailed);
  }

  int64_t numKernels = 0, numFused = 0;

private:
  static bool isTransparent(Operation *op) {
    return isa<memref::AllocOp, memref::GetGlobalOp, memref::DeallocOp, ViewLikeOpInterface>(op) ||
           op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>();
  }

  static void refuse(Operation *op, const Twine &reason) {
    op->emitError() << reason << ": it has no form for graphics cards";
  }

  /// Reads all operations; reports those that no kernel can be made of.
  void collect(ArrayRef<Operation *> steps, bool &hasFailed) {
    for (Operation *op : steps) {
      std::string reason;
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        std::optional<GenericLoops> found = loopsOf(generic, reason);
        if (found) {
          foldStarts(*found, dead);
          loops.try_emplace(op, std::move(*found));
          continue;
        }
      } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        if (flatten(copy.getSource()) && flatten(copy.getTarget()))
          continue;
        reason = "copies what has sizes that are known at run time only";
      } else if (isa<tpp::ContractionOpInterface>(op)) {
        continue;
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        std::optional<Sequence> found = sequenceOf(loop, reason);
        if (found) {
          sequences.try_emplace(op, std::move(*found));
          continue;
        }
      } else {
        reason = "computes one element after another (" + op->getName().getStringRef().str() + ")";
      }
      hasFailed = true;
      refuse(op, reason);
    }
  }

  void add(GenericLoops next) {
    if (chain && chain->add(next))
      return;
    if (chain)
      flush();
    if (pending) {
      chain = RowChain::begin(gpu, *pending, next);
      if (chain)
        return pending.reset();
      flush();
    }
    chain = RowChain::begin(gpu, next);
    if (chain)
      return;
    pending = std::move(next);
    if (!pending->reduced.empty())
      flush();
  }

  /// Makes the kernel of what has been collected.
  void flush() {
    if (chain) {
      SmallVector<Operation *> all;
      for (const GenericLoops &one : chain->operations())
        all.push_back(one.op);
      keep(chain->build(kernels, nameOf(all.back())), all);
      numFused += static_cast<int64_t>(all.size()) - 1;
    } else if (pending) {
      const std::string name = nameOf(pending->op);
      const std::optional<Transposition> way = transpositionOf(gpu, *pending);
      keep(way ? buildTranspositionKernel(kernels, name, *pending, *way)
               : buildPointKernel(kernels, name, *pending),
           pending->op.getOperation());
    }
    chain.reset();
    pending.reset();
  }

  /// Notes a kernel in place of what it computes.
  void keep(const BuiltKernel &kernel, ArrayRef<Operation *> operations) {
    recordLaunch(kernel, operations, numKernels, log);
    llvm::append_range(done, operations);
    ++numKernels;
  }

  std::string nameOf(Operation *op) {
    std::string base = prefix + nodeName(op->getLoc()), name = base;
    for (int number = 1; !names.insert(name).second; ++number)
      name = base + "_" + std::to_string(number);
    return name;
  }

  /// Views and buffers that were for operations only.
  static void removeUnused(func::FuncOp function) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (isTransparent(&op) && !op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
        op.erase();
  }

  gpu::GPUModuleOp kernels;
  std::string prefix; ///< of the names of a function's kernels
  const GpuFacts &gpu;
  llvm::StringSet<> &names;
  DecisionLog &log;
  llvm::DenseMap<Operation *, GenericLoops> loops;
  llvm::DenseMap<Operation *, Sequence> sequences;
  SmallVector<Operation *> done, dead; ///< what became kernels; fills that are part of sums
  std::optional<RowChain> chain;
  std::optional<GenericLoops> pending; ///< elementwise, and perhaps the beginning of a chain
};

struct MapToGpuPass : impl::MapToGpuPassBase<MapToGpuPass> {
  using MapToGpuPassBase::MapToGpuPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<GpuFacts> facts = gpuOf(module);
    if (!facts) {
      module.emitError("expected kgen.gpu, the figures of a graphics card, on the module");
      return signalPassFailure();
    }
    OpBuilder b(&getContext());
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
    b.setInsertionPointToEnd(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kernelsName);
    llvm::StringSet<> names;
    DecisionLog log(module, getArgument());
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FunctionMapper mapper(kernels, *facts, names, log);
      if (failed(mapper.map(function)))
        signalPassFailure();
      numKernels += mapper.numKernels;
      numFused += mapper.numFused;
    }
  }
};

} // namespace
} // namespace kgen
