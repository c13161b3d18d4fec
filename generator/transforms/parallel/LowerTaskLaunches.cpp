// Launches become calls of the executor. The captures, and a byte for each slot, are in a struct on
// the caller's stack, which outlives the tasks: a launch returns after the last of them.
#include "dialect/kgen/Kgen.h"
#include "transforms/parallel/LowerRuntimeCalls.h"

#include <mlir/Conversion/LLVMCommon/MemRefBuilder.h>
#include <mlir/Conversion/LLVMCommon/TypeConverter.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds launchers, thunks and their calls.
class LaunchLowering {
public:
  explicit LaunchLowering(ModuleOp module)
      : module(module), converter(module.getContext(), runtimeCallOptions(module)),
        b(module.getContext()), pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult lower(LaunchOp launch);

private:
  LLVM::LLVMFuncOp makeFunction(const Twine &name, ArrayRef<Type> arguments, Location loc);
  LLVM::LLVMFuncOp launcher(LLVM::LLVMFuncOp graph);
  LLVM::LLVMFuncOp thunkOf(LLVM::LLVMFuncOp task, LLVM::LLVMStructType pack, LLVM::LLVMFuncOp take,
                           Location loc);
  LLVM::LLVMFuncOp slotTaker(LLVM::LLVMFuncOp graph);
  Value byteOf(Value bytes, Value index, Location loc) {
    return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), bytes, ArrayRef<LLVM::GEPArg>{index},
                               LLVM::GEPNoWrapFlags::inbounds);
  }
  Value captured(Value capture);
  Value tasksOf(LaunchOp launch);
  Value field(Value structure, Type type, int32_t index, Location loc) {
    return LLVM::GEPOp::create(b, loc, pointer, type, structure, ArrayRef<LLVM::GEPArg>{0, index},
                               LLVM::GEPNoWrapFlags::inbounds);
  }
  Value number(int64_t value, Location loc) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }

  ModuleOp module;
  LLVMTypeConverter converter;
  OpBuilder b;
  LLVM::LLVMPointerType pointer;
  LLVM::LLVMFuncOp launchFunction, takeFunction;
  DenseMap<Operation *, LLVM::LLVMFuncOp> thunks; ///< by task
};

LLVM::LLVMFuncOp LaunchLowering::makeFunction(const Twine &name, ArrayRef<Type> arguments,
                                              Location loc) {
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), arguments);
  auto function = LLVM::LLVMFuncOp::create(b, loc, name.str(), type, LLVM::Linkage::Internal);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  return function;
}

/// void launch(executor, tasks, task, argument): calls executor->run, or the tasks one after
/// another if that is null, or if the number of tasks is known at run time and is 1. One for all
/// launches of a graph.
LLVM::LLVMFuncOp LaunchLowering::launcher(LLVM::LLVMFuncOp graph) {
  if (launchFunction)
    return launchFunction;
  bool hasCounts = graph
                       .walk([](LaunchOp launch) {
                         return launch.getCount() ? WalkResult::interrupt() : WalkResult::advance();
                       })
                       .wasInterrupted();
  OpBuilder::InsertionGuard guard(b);
  Location loc = graph.getLoc();
  Type i32 = b.getI32Type(),
       executorType = LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, i32});
  b.setInsertionPoint(graph);
  launchFunction = makeFunction(graph.getName() + "_launch", {pointer, i32, pointer, pointer}, loc);
  Block *entry = &launchFunction.getBody().front();
  Value executor = entry->getArgument(0), tasks = entry->getArgument(1),
        task = entry->getArgument(2), argument = entry->getArgument(3);
  auto addBlock = [&](TypeRange types = {}) {
    return b.createBlock(&launchFunction.getBody(), launchFunction.getBody().end(), types,
                         SmallVector<Location>(types.size(), loc));
  };
  Block *look = addBlock(), *give = addBlock(), *loop = addBlock(i32), *done = addBlock();
  auto isNull = [&](Value value) -> Value {
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, value,
                                LLVM::ZeroOp::create(b, loc, pointer));
  };
  b.setInsertionPointToEnd(entry);
  Value zero = number(0, loc), one = number(1, loc);
  LLVM::CondBrOp::create(b, loc, isNull(executor), loop, zero, look, ValueRange{});
  b.setInsertionPointToEnd(look);
  Value run = LLVM::LoadOp::create(b, loc, pointer, field(executor, executorType, 0, loc));
  Value isHere = isNull(run);
  if (hasCounts)
    isHere = LLVM::OrOp::create(b, loc, isHere,
                                LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, tasks, one));
  LLVM::CondBrOp::create(b, loc, isHere, loop, zero, give, ValueRange{});
  b.setInsertionPointToEnd(give);
  Value user = LLVM::LoadOp::create(b, loc, pointer, field(executor, executorType, 1, loc));
  auto runType = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                             {pointer, i32, pointer, pointer});
  LLVM::CallOp::create(b, loc, runType, ValueRange{run, user, tasks, task, argument});
  LLVM::BrOp::create(b, loc, done);
  b.setInsertionPointToEnd(loop);
  Value index = loop->getArgument(0);
  auto taskType =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i32});
  LLVM::CallOp::create(b, loc, taskType, ValueRange{task, argument, index});
  Value next = LLVM::AddOp::create(b, loc, index, one);
  Value more = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, next, tasks);
  LLVM::CondBrOp::create(b, loc, more, loop, next, done, ValueRange{});
  b.setInsertionPointToEnd(done);
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  return launchFunction;
}

/// size_t take(taken): sets the first byte that is 0 to 1 and returns its index. There is a byte
/// for each task, so that one is 0 whenever a task starts.
LLVM::LLVMFuncOp LaunchLowering::slotTaker(LLVM::LLVMFuncOp graph) {
  if (takeFunction)
    return takeFunction;
  OpBuilder::InsertionGuard guard(b);
  Location loc = graph.getLoc();
  Type index = converter.getIndexType();
  b.setInsertionPoint(graph);
  takeFunction = LLVM::LLVMFuncOp::create(b, loc, (graph.getName() + "_take_slot").str(),
                                          LLVM::LLVMFunctionType::get(index, {pointer}),
                                          LLVM::Linkage::Internal);
  Block *entry = takeFunction.addEntryBlock(b);
  auto addBlock = [&](TypeRange types) {
    return b.createBlock(&takeFunction.getBody(), takeFunction.getBody().end(), types,
                         SmallVector<Location>(types.size(), loc));
  };
  Block *look = addBlock(index), *next = addBlock({}), *done = addBlock({});
  auto number = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, type, IntegerAttr::get(type, value));
  };
  b.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(b, loc, number(index, 0), look);
  b.setInsertionPointToEnd(look);
  Value slot = look->getArgument(0);
  Value before = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg,
                                           byteOf(entry->getArgument(0), slot, loc),
                                           number(b.getI8Type(), 1), LLVM::AtomicOrdering::acquire);
  Value isFree =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, before, number(b.getI8Type(), 0));
  LLVM::CondBrOp::create(b, loc, isFree, done, ValueRange{}, next, ValueRange{});
  b.setInsertionPointToEnd(next);
  Value further = LLVM::AddOp::create(b, loc, slot, number(index, 1));
  LLVM::BrOp::create(b, loc, further, look);
  b.setInsertionPointToEnd(done);
  LLVM::ReturnOp::create(b, loc, slot);
  return takeFunction;
}

/// void thunk(argument, index): calls the task with the captures in the struct. If tasks have
/// slots, which `take` takes, the struct ends with a byte for each, which is 1 while a task has it.
LLVM::LLVMFuncOp LaunchLowering::thunkOf(LLVM::LLVMFuncOp task, LLVM::LLVMStructType pack,
                                         LLVM::LLVMFuncOp take, Location loc) {
  LLVM::LLVMFuncOp &thunk = thunks[task];
  if (thunk)
    return thunk;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(task);
  thunk = makeFunction(task.getName() + "_thunk", {pointer, b.getI32Type()}, loc);
  SmallVector<Value> values;
  int32_t fields = static_cast<int32_t>(pack.getBody().size()) - (take ? 1 : 0);
  for (auto [i, type] : llvm::enumerate(pack.getBody().take_front(fields)))
    values.push_back(LLVM::LoadOp::create(b, loc, type, field(thunk.getArgument(0), pack, i, loc)));
  Value index = thunk.getArgument(1);
  if (converter.getIndexType() != index.getType())
    index = LLVM::ZExtOp::create(b, loc, converter.getIndexType(), index);
  values.push_back(index);
  Value taken = take ? field(thunk.getArgument(0), pack, fields, loc) : Value(), slot;
  if (take)
    values.push_back(slot = LLVM::CallOp::create(b, loc, take, ValueRange{taken}).getResult());
  LLVM::CallOp::create(b, loc, task, values);
  if (take)
    LLVM::StoreOp::create(
        b, loc, LLVM::ConstantOp::create(b, loc, b.getI8Type(), b.getI8IntegerAttr(0)),
        byteOf(taken, slot, loc), /*alignment=*/1, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariantGroup=*/false, LLVM::AtomicOrdering::release);
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  return thunk;
}

/// The value that is passed for a capture: for a buffer, its aligned pointer, as in calls with bare
/// pointers.
Value LaunchLowering::captured(Value capture) {
  Location loc = capture.getLoc();
  Type type = converter.convertType(capture.getType());
  if (type == capture.getType())
    return capture;
  Value converted = UnrealizedConversionCastOp::create(b, loc, type, capture).getResult(0);
  return isa<MemRefType>(capture.getType()) ? MemRefDescriptor(converted).alignedPtr(b, loc)
                                            : converted;
}

/// The number of tasks, as the executor takes it.
Value LaunchLowering::tasksOf(LaunchOp launch) {
  Location loc = launch.getLoc();
  if (!launch.getCount())
    return number(launch.getTasks(), loc);
  Value count = captured(launch.getCount());
  return count.getType() == b.getI32Type()
             ? count
             : LLVM::TruncOp::create(b, loc, b.getI32Type(), count).getResult();
}

LogicalResult LaunchLowering::lower(LaunchOp launch) {
  auto task = module.lookupSymbol<LLVM::LLVMFuncOp>(launch.getCallee());
  auto graph = launch->getParentOfType<LLVM::LLVMFuncOp>();
  if (!task || !graph)
    return launch.emitError("functions must be of the LLVM dialect before launches become calls");
  Location loc = launch.getLoc();
  b.setInsertionPoint(launch);
  SmallVector<Value> values;
  for (Value capture : launch.getCaptures())
    values.push_back(captured(capture));
  SmallVector<Type> fields(ValueRange(values).getTypes());
  auto slots = LLVM::LLVMArrayType::get(b.getI8Type(), launch.getTasks());
  LLVM::LLVMFuncOp take = launch.getSlots() ? slotTaker(graph) : LLVM::LLVMFuncOp();
  if (take)
    fields.push_back(slots);
  auto pack = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  LLVM::LLVMFuncOp thunk = thunkOf(task, pack, take, loc);
  // In the entry block, since an alloca in a loop would take more of the stack in each iteration.
  b.setInsertionPointToStart(&graph.getBody().front());
  Value argument = LLVM::AllocaOp::create(b, loc, pointer, pack, number(1, loc));
  b.setInsertionPoint(launch);
  for (auto [i, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(b, loc, value, field(argument, pack, i, loc));
  if (take)
    LLVM::MemsetOp::create(
        b, loc, field(argument, pack, static_cast<int32_t>(values.size()), loc),
        LLVM::ConstantOp::create(b, loc, b.getI8Type(), b.getI8IntegerAttr(0)),
        LLVM::ConstantOp::create(b, loc, converter.getIndexType(),
                                 b.getIntegerAttr(converter.getIndexType(), launch.getTasks())),
        /*isVolatile=*/false);
  Value function = LLVM::AddressOfOp::create(b, loc, thunk);
  LLVM::CallOp::create(b, loc, launcher(graph),
                       ValueRange{launch.getExecutor(), tasksOf(launch), function, argument});
  launch.erase();
  return success();
}

} // namespace

FailureOr<int64_t> lowerTaskLaunches(ModuleOp module) {
  LaunchLowering lowering(module);
  SmallVector<LaunchOp> launches;
  module.walk([&](LaunchOp launch) { launches.push_back(launch); });
  for (LaunchOp launch : launches)
    if (failed(lowering.lower(launch)))
      return failure();
  return static_cast<int64_t>(launches.size());
}

} // namespace kgen
