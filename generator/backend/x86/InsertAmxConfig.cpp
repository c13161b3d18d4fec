// Configures the AMX tile registers for the kernels that are called, as seldom as possible.
#include "backend/x86/Passes.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/ukernel/Ukernel.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_INSERTAMXCONFIGPASS
#include "backend/x86/Passes.h.inc"

namespace {

/// The tile shapes that the callee of `op` needs; null if it needs none.
ArrayAttr shapesOf(Operation *op) {
  auto call = dyn_cast<ukernel::CallOp>(op);
  Operation *callee =
      call ? SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()) : nullptr;
  return callee ? callee->getAttrOfType<ArrayAttr>(ukernel::tileShapesAttrName) : ArrayAttr();
}

/// The tile shapes that an operation and all operations in it need.
struct Needs {
  llvm::SetVector<Attribute> shapes;
  bool losesThem = false; ///< tasks and unknown functions may change the registers

  explicit Needs(Operation *op) {
    op->walk([&](Operation *inner) {
      if (ArrayAttr needed = shapesOf(inner))
        shapes.insert(needed);
      losesThem |= isa<LaunchOp, ExternOp, func::CallOp>(inner);
    });
  }
};

class Configurer {
public:
  explicit Configurer(func::FuncOp function) : function(function) {}

  int64_t numConfigurations = 0, numReused = 0;

  void run() {
    for (Block &block : function.getBody())
      visit(block);
    if (isConfigured)
      for (Block &block : function.getBody())
        if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator()))
          release(end);
  }

private:
  /// The registers are unknown at the start of a block, which may be a loop's.
  void visit(Block &block) {
    Attribute current;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<ExternOp>(op) && isConfigured)
        release(&op); // the function may use AMX itself, and the graph may end after it
      Needs needs(&op);
      if (needs.shapes.size() == 1 && !needs.losesThem) {
        configure(&op, needs.shapes.front(), current);
        continue;
      }
      if (!needs.shapes.empty())
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            visit(inner);
      if (!needs.shapes.empty() || needs.losesThem)
        current = {};
    }
  }

  static void release(Operation *op) {
    OpBuilder b(op);
    ukernel::ReleaseTilesOp::create(b, op->getLoc());
  }

  void configure(Operation *op, Attribute wanted, Attribute &current) {
    if (wanted == current) {
      ++numReused;
      return;
    }
    ++numConfigurations;
    auto shapes = cast<ArrayAttr>(wanted);
    OpBuilder b(op);
    ukernel::ConfigureTilesOp::create(b, op->getLoc(), cast<DenseI64ArrayAttr>(shapes[0]),
                                      cast<DenseI64ArrayAttr>(shapes[1]));
    current = wanted;
    isConfigured = true;
  }

  func::FuncOp function;
  bool isConfigured = false;
};

struct InsertAmxConfigPass : impl::InsertAmxConfigPassBase<InsertAmxConfigPass> {
  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration()) {
        Configurer configurer(function);
        configurer.run();
        numConfigurations += configurer.numConfigurations;
        numReused += configurer.numReused;
        if (configurer.numConfigurations > 0)
          log.add("amx-configured", function.getLoc(),
                  log.details()
                      .set("function", function.getName())
                      .set("configurations", configurer.numConfigurations)
                      .set("reused", configurer.numReused));
      }
  }
};

} // namespace
} // namespace kgen
