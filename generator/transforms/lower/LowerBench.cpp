// Lowers checks and measurements to calls of the host (driver/run/BenchHost.cpp).
#include "transforms/lower/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/TypeUtilities.h>

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERBENCHPASS
#include "transforms/lower/Passes.h.inc"

namespace {

/// "file:line:col" of the source, without what passes have added to the location.
std::string sourceOf(Location loc) {
  auto source = loc->findInstanceOf<FileLineColLoc>();
  if (!source)
    return "unknown place";
  return (source.getFilename().getValue() + ":" + Twine(source.getLine()) + ":" +
          Twine(source.getColumn()))
      .str();
}

/// A type in the notation of specs: "f32[4, 8]".
std::string typeText(Type type) {
  Type element = getElementTypeOrSelf(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (element.isSignlessInteger(1))
    os << "bool[";
  else
    os << element << "[";
  if (auto shaped = dyn_cast<ShapedType>(type))
    llvm::interleaveComma(shaped.getShape(), os);
  os << "]";
  return text;
}

/// Arguments for the host are indices (addresses too) or doubles.
class Lowering {
public:
  explicit Lowering(ModuleOp module) : symbols(module), b(module.getContext()) {}
  LogicalResult lower(Operation *op);

private:
  void replace(bench::ExpectTrueOp op);
  void replace(bench::ExpectCloseOp op);
  void replace(bench::ExpectFiniteOp op);
  void replace(bench::PrintOp op);
  void replace(bench::MeasureOp op);

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value real(const APFloat &value) {
    return arith::ConstantFloatOp::create(b, loc, b.getF64Type(), value);
  }
  Value text(StringRef contents);
  Value address(Value buffer) {
    return memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  }
  Value contiguous(Value buffer);
  Value inMemory(Value value);
  func::CallOp call(StringRef function, ValueRange arguments, bool returns = false);
  void hide(Value operand);

  SymbolTable symbols;
  OpBuilder b;
  Location loc = b.getUnknownLoc();
  llvm::StringMap<memref::GlobalOp> texts;
};

/// The address of a C string.
Value Lowering::text(StringRef contents) {
  memref::GlobalOp &global = texts[contents];
  SmallVector<int8_t> bytes(contents.begin(), contents.end());
  bytes.push_back(0);
  auto type = MemRefType::get({static_cast<int64_t>(bytes.size())}, b.getI8Type());
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(cast<ModuleOp>(symbols.getOp()).getBody());
    auto value = DenseElementsAttr::get(RankedTensorType::get(type.getShape(), b.getI8Type()),
                                        ArrayRef<int8_t>(bytes));
    global = memref::GlobalOp::create(b, loc, "kgen_text", b.getStringAttr("private"), type, value,
                                      /*constant=*/true, /*alignment=*/IntegerAttr());
    symbols.insert(global); // makes the name unique
  }
  return address(memref::GetGlobalOp::create(b, loc, type, global.getSymName()));
}

/// `buffer`, or a contiguous copy: the host reads elements in order.
Value Lowering::contiguous(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return buffer;
  Value copy =
      memref::AllocOp::create(b, loc, MemRefType::get(type.getShape(), type.getElementType()));
  memref::CopyOp::create(b, loc, buffer, copy);
  return copy;
}

Value Lowering::inMemory(Value value) {
  if (isa<MemRefType>(value.getType()))
    return contiguous(value);
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  Value buffer = memref::AllocOp::create(b, loc, MemRefType::get({}, value.getType()));
  memref::StoreOp::create(b, loc, value, buffer);
  return buffer;
}

func::CallOp Lowering::call(StringRef function, ValueRange arguments, bool returns) {
  SmallVector<Type> results;
  if (returns)
    results.push_back(b.getIndexType());
  if (!symbols.lookup(function)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(cast<ModuleOp>(symbols.getOp()).getBody());
    auto declaration = func::FuncOp::create(b, b.getUnknownLoc(), function,
                                            b.getFunctionType(arguments.getTypes(), results));
    declaration.setPrivate();
    symbols.insert(declaration);
  }
  return func::CallOp::create(b, loc, function, results, arguments);
}

void Lowering::replace(bench::ExpectTrueOp op) {
  Value holds = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), op.getCondition());
  call("kgen_bench_expect_true", {text(sourceOf(loc)), text(op.getMessage()), holds});
}

void Lowering::replace(bench::ExpectCloseOp op) {
  Value actual = contiguous(op.getActual()), expected = contiguous(op.getExpected());
  call("kgen_bench_expect_close",
       {text(sourceOf(loc)), text(typeText(actual.getType())), address(actual), address(expected),
        real(op.getAbsolute()), real(op.getRelative())});
}

void Lowering::replace(bench::ExpectFiniteOp op) {
  Value values = contiguous(op.getValues());
  call("kgen_bench_expect_finite",
       {text(sourceOf(loc)), text(typeText(values.getType())), address(values)});
}

void Lowering::replace(bench::PrintOp op) {
  Value value = inMemory(op.getValue());
  call("kgen_bench_print", {text(typeText(value.getType())), address(value)});
}

/// Makes LLVM assume that every later call of the host reads and writes the operand's memory: the
/// host knows its address, and it is not constant.
void Lowering::hide(Value operand) {
  if (!isa<MemRefType>(operand.getType()))
    return;
  if (auto get = operand.getDefiningOp<memref::GetGlobalOp>())
    if (auto global = symbols.lookup<memref::GlobalOp>(get.getName()))
      global.removeConstantAttr();
  call("kgen_bench_touch", address(operand));
}

/// do { region } while (kgen_bench_again()).
void Lowering::replace(bench::MeasureOp op) {
  Value flops = constant(op.getFlops().value_or(0));
  for (Value operand : op.getOperands())
    hide(operand);
  Value measurement =
      call("kgen_bench_start", {text(sourceOf(loc)), constant(op.getIterations()), flops}, true)
          .getResult(0);
  auto loop = scf::WhileOp::create(b, loc, TypeRange{}, ValueRange{});
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b, loc);
  Block *body = b.createBlock(&loop.getBefore());
  Block &region = op.getBody().front();
  region.getTerminator()->erase();
  for (auto [argument, operand] : llvm::zip(region.getArguments(), op.getOperands()))
    argument.replaceAllUsesWith(operand);
  body->getOperations().splice(body->end(), region.getOperations());
  b.setInsertionPointToEnd(body);
  Value more = call("kgen_bench_again", measurement, true).getResult(0);
  Value isMore = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, more, constant(0));
  scf::ConditionOp::create(b, loc, isMore, ValueRange{});
}

LogicalResult Lowering::lower(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
    return op->emitOpError("is still on tensors: bufferize before");
  loc = op->getLoc();
  b.setInsertionPoint(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<bench::ExpectTrueOp, bench::ExpectCloseOp, bench::ExpectFiniteOp, bench::PrintOp,
            bench::MeasureOp>([&](auto each) { replace(each); });
  op->erase();
  return success();
}

struct LowerBenchPass : impl::LowerBenchPassBase<LowerBenchPass> {
  void runOnOperation() override {
    SmallVector<Operation *> work; // inner operations before those around them
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<bench::BenchDialect>(op->getDialect()) && !isa<bench::YieldOp>(op))
        work.push_back(op);
    });
    Lowering lowering(getOperation());
    for (Operation *op : work) {
      if (failed(lowering.lower(op)))
        return signalPassFailure();
      ++numLowered;
    }
  }
};

} // namespace
} // namespace kgen
