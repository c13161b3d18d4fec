// Chains of tile operations as tpp.group, and groups as one contraction or one linalg.generic.
#include "transforms/fusion/TppGroups.h"

#include "transforms/fusion/TppGenerics.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {

namespace {

using tpp::ContractionOpInterface;
using tpp::ElementwiseOpInterface;

/// True if `op` can be a member of a group.
bool isGroupable(Operation *op) {
  return isa<ContractionOpInterface, ElementwiseOpInterface>(op) && op->getNumResults() == 1 &&
         !isa<tpp::GroupOp>(op->getParentOp());
}

/// The operation that computes `operand` and can be in one group with `user`, or null. Only `user`
/// reads its result, and only at the element that it computes, so nothing is computed twice.
Operation *groupableProducer(Operation *user, OpOperand &operand) {
  auto elementwise = dyn_cast<ElementwiseOpInterface>(user);
  Operation *producer = operand.get().getDefiningOp();
  if (!elementwise || !producer || producer->getBlock() != user->getBlock() ||
      !isGroupable(producer) || operand.getOperandNumber() >= elementwise.getArity())
    return nullptr;
  bool isOnlyUser =
      llvm::all_of(producer->getUsers(), [&](Operation *other) { return other == user; });
  return isOnlyUser && elementwise.getOperandMap(operand.getOperandNumber()).isIdentity() ? producer
                                                                                          : nullptr;
}

/// The members of a group: its root, which computes the result, and producers of their operands.
class GroupBuilder {
public:
  explicit GroupBuilder(Operation *root) : root(root) { grow(root); }

  bool hasProducers() const { return members.size() > 1; }

  void forEach(llvm::function_ref<void(Operation *)> visit) const {
    llvm::for_each(members, visit);
  }

  void build() {
    IRRewriter b(root);
    auto init = cast<DestinationStyleOpInterface>(root).getDpsInits()[0];
    collectInputs();
    SmallVector<Location> locations;
    for (Operation *member : members)
      locations.push_back(member->getLoc());
    Location loc = b.getFusedLoc(locations);
    auto group =
        tpp::GroupOp::create(b, loc, root->getResult(0).getType(), inputs.getArrayRef(), init);
    SmallVector<Value> operands(group.getOperands());
    SmallVector<Location> argumentLocations(operands.size(), loc);
    Block *body =
        b.createBlock(&group.getBody(), {}, ValueRange(operands).getTypes(), argumentLocations);
    fill(b, *body);
    b.replaceOp(root, group.getResult());
    for (Operation *member : llvm::drop_begin(llvm::reverse(members)))
      b.eraseOp(member);
  }

private:
  void grow(Operation *op) {
    // In post-order, so producers come before their users.
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = groupableProducer(op, operand);
      if (!producer || llvm::is_contained(members, producer))
        continue;
      if (isa<ContractionOpInterface>(producer)) {
        if (hasContraction)
          continue;
        hasContraction = true;
      }
      grow(producer);
    }
    members.push_back(op);
  }

  /// True for a destination without contents, which is created in the group.
  static bool isEmptyInit(OpOperand &operand) {
    auto member = cast<DestinationStyleOpInterface>(operand.getOwner());
    return member.isDpsInit(&operand) && operand.get().getDefiningOp<tensor::EmptyOp>();
  }

  void collectInputs() {
    for (Operation *member : members)
      for (OpOperand &operand : member->getOpOperands()) {
        bool isRootInit =
            member == root && cast<DestinationStyleOpInterface>(member).isDpsInit(&operand);
        if (!isRootInit && !isEmptyInit(operand) &&
            !llvm::is_contained(members, operand.get().getDefiningOp()))
          inputs.insert(operand.get());
      }
  }

  void fill(IRRewriter &b, Block &body) {
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body.getArguments().drop_back());
    for (Operation *member : members) {
      for (OpOperand &operand : member->getOpOperands())
        if (member != root && isEmptyInit(operand) && !mapping.contains(operand.get()))
          b.clone(*operand.get().getDefiningOp(), mapping);
      Operation *copy = b.clone(*member, mapping);
      if (member == root)
        cast<DestinationStyleOpInterface>(copy).getDpsInitsMutable()[0].set(
            body.getArguments().back());
    }
    tpp::YieldOp::create(b, root->getLoc(), mapping.lookup(root->getResult(0)));
  }

  Operation *root;
  SmallVector<Operation *> members;
  SetVector<Value> inputs;
  bool hasContraction = false;
};

/// Replaces the group by its members, of which the elementwise ones become the generics that are
/// returned.
SmallVector<linalg::GenericOp> inlineGroup(IRRewriter &b, tpp::GroupOp group) {
  SmallVector<linalg::GenericOp> generics;
  Block &body = group.getBody().front();
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator())) {
    auto elementwise = dyn_cast<tpp::ElementwiseOpInterface>(inner);
    if (!elementwise)
      continue;
    b.setInsertionPoint(&inner);
    generics.push_back(createGeneric(b, elementwise));
    b.replaceOp(&inner, generics.back()->getResults());
  }
  Operation *yield = body.getTerminator();
  Value result = yield->getOperand(0);
  b.inlineBlockBefore(&body, group, group.getOperands());
  b.replaceOp(group, result);
  b.eraseOp(yield);
  return generics;
}

/// Fuses those producers into `consumer` that are in `all`, the generics of one group, until none
/// is left. Returns the last fused operation and keeps `all` up to date.
linalg::GenericOp fuseProducers(IRRewriter &b, linalg::GenericOp consumer,
                                SmallVectorImpl<linalg::GenericOp> &all) {
  for (OpOperand *input : consumer.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || !llvm::is_contained(all, producer) || !linalg::areElementwiseOpsFusable(input))
      continue;
    b.setInsertionPoint(consumer);
    Location loc = b.getFusedLoc({producer.getLoc(), consumer.getLoc()});
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(b, input);
    if (failed(fused))
      continue;
    auto merged = cast<linalg::GenericOp>(fused->fusedOp);
    merged->setLoc(loc);
    for (auto [from, to] : fused->replacements)
      b.replaceUsesWithIf(from, to, [&](OpOperand &use) { return use.getOwner() != producer; });
    llvm::replace(all, consumer, merged);
    b.eraseOp(consumer);
    if (producer->use_empty()) {
      llvm::erase(all, producer);
      b.eraseOp(producer);
    }
    return fuseProducers(b, merged, all);
  }
  return consumer;
}

} // namespace

int64_t formGroups(Operation *root) {
  // Users first: the last operation of a chain is the root of the largest group.
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isGroupable(op))
      ops.push_back(op);
  });
  int64_t count = 0;
  DenseSet<Operation *> grouped;
  for (Operation *op : llvm::reverse(ops)) {
    if (grouped.contains(op))
      continue;
    GroupBuilder group(op);
    if (!group.hasProducers())
      continue;
    group.forEach([&](Operation *member) { grouped.insert(member); });
    group.build();
    ++count;
  }
  return count;
}

bool lowerGroup(tpp::GroupOp group) {
  IRRewriter b(group);
  bool hasContraction = !group.getBody().front().getOps<ContractionOpInterface>().empty();
  SmallVector<linalg::GenericOp> generics = inlineGroup(b, group);
  if (generics.empty())
    return true;
  linalg::GenericOp last = fuseProducers(b, generics.back(), generics);
  ContractionOpInterface gemm = fusibleContraction(last);
  if (gemm)
    fuseIntoEpilogue(last, gemm);
  return gemm || !hasContraction;
}

} // namespace kgen
