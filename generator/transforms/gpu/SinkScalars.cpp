#include "transforms/gpu/Kernels.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

/// True if nothing writes to the memory that a load reads, up to `end` in the same block.
bool keepsMemory(memref::LoadOp load, Operation *end) {
  std::optional<FlatMemory> flat = flatten(load.getMemRef());
  if (!flat)
    return false;
  for (Operation *op = load->getNextNode(); op != end; op = op->getNextNode()) {
    if (isa<memref::LoadOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      continue;
    auto isOfRoot = [&](Value value) {
      std::optional<FlatMemory> other =
          isa<MemRefType>(value.getType()) ? flatten(value) : std::nullopt;
      return isa<MemRefType>(value.getType()) && (!other || other->root == flat->root);
    };
    if (isa<ViewLikeOpInterface>(op))
      continue;
    auto copy = dyn_cast<memref::CopyOp>(op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (copy ? isOfRoot(copy.getTarget())
        : generic
            ? llvm::any_of(generic.getDpsInits(), isOfRoot)
            : llvm::any_of(op->getOperands(), isOfRoot) ||
                  (op->getNumRegions() != 0 && llvm::any_of(capturesOf(op).memrefs, isOfRoot)))
      return false;
  }
  return true;
}

/// The body of an operation at the function's level that a scalar can be computed in.
Block *bodyOf(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.getBody();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getBody();
  return nullptr;
}

/// Computes a scalar again in the bodies that use it.
void sink(Operation *op) {
  Value scalar = op->getResult(0);
  Block *block = op->getBlock();
  llvm::SmallSetVector<Operation *, 4> users;
  for (Operation *user : scalar.getUsers())
    users.insert(block->findAncestorOpInBlock(*user));
  auto load = dyn_cast<memref::LoadOp>(op);
  for (Operation *user : users) {
    Block *body = bodyOf(user);
    if (!body || (load && !keepsMemory(load, user)))
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(body);
    Value copy = b.clone(*op)->getResult(0);
    scalar.replaceUsesWithIf(
        copy, [&](OpOperand &use) { return user->isProperAncestor(use.getOwner()); });
    if (auto generic = dyn_cast<linalg::GenericOp>(user))
      for (OpOperand *input : generic.getDpsInputOperands())
        if (input->get() == scalar)
          generic.getMatchingBlockArgument(input).replaceAllUsesWith(copy);
  }
  // An operand that nothing reads has no contents.
  for (OpOperand &use : llvm::make_early_inc_range(scalar.getUses()))
    if (auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
        generic && generic->getBlock() == block && !generic.payloadUsesValueFromOperand(&use)) {
      OpBuilder b(op);
      use.set(arith::ConstantOp::create(b, op->getLoc(),
                                        cast<TypedAttr>(b.getZeroAttr(scalar.getType()))));
    }
  if (scalar.use_empty())
    op->erase();
}

/// True for memory and constants, which are there for operations.
bool isForOthers(Operation *op) {
  return isa<memref::AllocOp, memref::GetGlobalOp, ViewLikeOpInterface>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

/// Puts a scalar, what is computed from it and where it says, and what stands in between into a
/// loop of one iteration: a sequence. Returns the operation that comes next.
Operation *wrap(Operation *first) {
  llvm::SmallPtrSet<Operation *, 8> computed{first};
  Operation *last = first;
  for (Operation *op = first; op; op = op->getNextNode()) {
    if (!computed.contains(op))
      continue;
    last = op;
    for (Operation *user : op->getUsers())
      computed.insert(op->getBlock()->findAncestorOpInBlock(*user));
  }
  if (last->hasTrait<OpTrait::IsTerminator>())
    return first->getNextNode();
  OpBuilder b(first);
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, first->getLoc(), value);
  };
  Value zero = number(0), one = number(1);
  auto loop = scf::ForOp::create(b, first->getLoc(), zero, one, one);
  for (Operation *op = first, *next = nullptr; op; op = next) {
    next = op == last ? nullptr : op->getNextNode();
    if (isForOthers(op) && !computed.contains(op))
      op->moveBefore(loop);
    else
      op->moveBefore(loop.getBody()->getTerminator());
  }
  return loop->getNextNode();
}

bool isScalar(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isScalarCode(op) &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

} // namespace

void sinkScalars(func::FuncOp function) {
  Block &block = function.front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isScalar(&op))
      sink(&op);
  // Those that are left say where tensors are.
  for (Operation *op = &block.front(); op;)
    op = isScalar(op) ? wrap(op) : op->getNextNode();
}

} // namespace kgen::gpu_kernels
