// Chains of tile operations become groups, while they still have names.
#include "transforms/Passes.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FORMFUSIONGROUPSPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;
using tpp::ElementwiseOpInterface;

/// Whether `op` can be in a group.
bool isGroupable(Operation *op) {
  return isa<ContractionOpInterface, ElementwiseOpInterface>(op) && op->getNumResults() == 1 &&
         !isa<tpp::GroupOp>(op->getParentOp());
}

/// The operation that can be in one group with `user`, whose operand it computes: read once, by
/// `user` alone, and at the element that `user` computes, so that nothing is computed twice.
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

/// A group that grows from its root upwards.
class Group {
public:
  explicit Group(Operation *root) : root(root) { grow(root); }

  bool isWorthIt() const { return members.size() > 1; }

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
    // Producers come before their users.
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

  /// A destination without contents is made inside.
  static bool isInside(OpOperand &operand) {
    auto member = cast<DestinationStyleOpInterface>(operand.getOwner());
    return member.isDpsInit(&operand) && operand.get().getDefiningOp<tensor::EmptyOp>();
  }

  void collectInputs() {
    for (Operation *member : members)
      for (OpOperand &operand : member->getOpOperands()) {
        bool isRootInit =
            member == root && cast<DestinationStyleOpInterface>(member).isDpsInit(&operand);
        if (!isRootInit && !isInside(operand) &&
            !llvm::is_contained(members, operand.get().getDefiningOp()))
          inputs.insert(operand.get());
      }
  }

  void fill(IRRewriter &b, Block &body) {
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), body.getArguments().drop_back());
    for (Operation *member : members) {
      for (OpOperand &operand : member->getOpOperands())
        if (member != root && isInside(operand) && !mapping.contains(operand.get()))
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

struct FormFusionGroupsPass : impl::FormFusionGroupsPassBase<FormFusionGroupsPass> {
  void runOnOperation() override {
    // Users first: the last operation of a chain is the root of the largest group.
    SmallVector<Operation *> roots;
    getOperation().walk([&](Operation *op) {
      if (isGroupable(op))
        roots.push_back(op);
    });
    DenseSet<Operation *> grouped;
    for (Operation *root : llvm::reverse(roots)) {
      if (grouped.contains(root))
        continue;
      Group group(root);
      if (!group.isWorthIt())
        continue;
      group.forEach([&](Operation *member) { grouped.insert(member); });
      group.build();
    }
  }
};

} // namespace
} // namespace kgen
