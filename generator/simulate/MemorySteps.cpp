// Allocations, constants, copies, and single elements.
#include "simulate/ElementCopy.h"
#include "simulate/Steps.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/DialectResourceBlobManager.h>

using namespace mlir;

namespace kgen {
namespace {

class AllocateStep : public Step {
public:
  AllocateStep(Operation *op, MemRefType type, Number number, StepBuilder &builder)
      : to(builder.viewOf(op->getResult(0))), site(builder.siteOf(op)),
        space(type.getMemorySpaceAsInt()), number(number) {
    ValueRange dynamic = op->getOperands();
    for (int64_t size : type.getShape()) {
      sizes.push_back(ShapedType::isDynamic(size) ? IndexValue{builder.scalarOf(dynamic.front()), 0}
                                                  : IndexValue{-1, size});
      if (ShapedType::isDynamic(size))
        dynamic = dynamic.drop_front();
    }
  }

  void run(Execution &execution) const override {
    SmallVector<int64_t, 6> shape;
    int64_t elements = 1;
    for (const IndexValue &size : sizes) {
      shape.push_back(std::max<int64_t>(0, execution.index(size)));
      elements *= shape.back();
    }
    if (elements > maxBufferElements || elements < 0) { // dynamic sizes
      if (execution.machine)
        execution.machine->fault(site, "size", "allocates more than 2^31 elements");
      std::fill(shape.begin(), shape.end(), elements = 0);
    }
    // To be told from constants, also of memory that nobody writes it is looked who did: nobody.
    execution.views[to] =
        wholeView(execution.allocate(site, space, number, elements, /*isWritten=*/true), shape);
  }

private:
  int to, site;
  int64_t space;
  Number number;
  SmallVector<IndexValue, 6> sizes;
};

class DeallocateStep : public Step {
public:
  DeallocateStep(memref::DeallocOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getMemref())) {}
  void run(Execution &execution) const override { execution.release(execution.views[from].buffer); }

private:
  int from;
};

class CopyStep : public Step {
public:
  CopyStep(memref::CopyOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getSource())), to(builder.viewOf(op.getTarget())),
        site(builder.siteOf(op)) {}

  void run(Execution &execution) const override {
    const BufferView &source = execution.views[from], &target = execution.views[to];
    if (source.sizes != target.sizes) { // dynamic ones, or a view beyond its source
      if (execution.machine)
        execution.machine->fault(site, "sizes", "copies between different shapes");
      return;
    }
    if (execution.machine)
      execution.machine->transfer(site, source, target);
    if (execution.withData)
      copyElements(source, target, source.strides, target.strides, source.sizes);
  }

private:
  int from, to, site;
};

/// memref.load and memref.store. A core's are work of one element.
class ElementStep : public Step {
public:
  ElementStep(Operation *op, Value memory, Value value, ValueRange indices, bool isStore,
              StepBuilder &builder)
      : memory(builder.viewOf(memory)), scalar(builder.scalarOf(value)), site(builder.siteOf(op)),
        isStore(isStore) {
    for (Value index : indices)
      subscripts.push_back(builder.scalarOf(index));
  }

  void run(Execution &execution) const override {
    BufferView element;
    const BufferView &view = execution.views[memory];
    element.buffer = view.buffer;
    element.offset = view.offset;
    for (size_t d = 0; d < subscripts.size(); ++d) {
      int64_t at = execution.scalars[subscripts[d]].i;
      if (at < 0 || at >= view.sizes[d])
        return report(execution, at, view.sizes[d]);
      element.offset += at * view.strides[d];
    }
    ArrayRef<BufferView> none, one(element);
    Number number = view.buffer->number;
    if (execution.machine)
      execution.machine->compute(site, isStore ? none : one, isStore ? one : none, 1, number,
                                 WorkKind::other);
    if (!execution.withData)
      return;
    char *data = view.buffer->data.data();
    if (isStore)
      storeLanes(number, data, element.offset, 1, 1, &execution.scalars[scalar]);
    else
      loadLanes(number, data, element.offset, 1, 1, &execution.scalars[scalar]);
  }

private:
  void report(Execution &execution, int64_t at, int64_t size) const {
    if (execution.machine)
      execution.machine->fault(site, "bounds",
                               "reaches beyond its memory: element " + std::to_string(at) +
                                   " of a dimension of " + std::to_string(size));
  }

  int memory, scalar, site;
  bool isStore;
  SmallVector<int, 6> subscripts;
};

void addAllocation(Operation *op, StepBuilder &builder, StepBlock &block) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  auto number = numberOf(type.getElementType());
  Attribute space = type.getMemorySpace();
  bool isKnownSpace = !space || (isa<IntegerAttr>(space) && type.getMemorySpaceAsInt() <= 2);
  if (!number || !type.getLayout().isIdentity() || !isKnownSpace)
    return builder.error(op, "allocates what no memory of the machine holds",
                         "memory spaces are 0 (L3), 1 (L2) and 2 (L1); element types i1, i8, i16, "
                         "i32, i64, f16, bf16, f32 and f64");
  if (type.hasStaticShape() && type.getNumElements() > maxBufferElements)
    return builder.error(op, "allocates more than 2^31 elements");
  builder.add(block, std::make_unique<AllocateStep>(op, type, *number, builder));
}

/// A constant is in L3 from the beginning.
void addGlobal(memref::GetGlobalOp op, StepBuilder &builder) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
  auto type = cast<MemRefType>(op.getType());
  auto number = numberOf(type.getElementType());
  auto bytes = global && global.getInitialValue() && number
                   ? bytesOfConstant(*global.getInitialValue(), type)
                   : std::nullopt;
  if (!bytes)
    return builder.error(op,
                         "the constant '" + op.getName().str() + "' has no value that is known");
  GivenBuffer given;
  given.view = builder.viewOf(op.getResult());
  given.site = builder.siteOf(op);
  given.number = *number;
  given.shape = type.getShape().vec();
  given.isWritten = builder.isWritten(op.getResult());
  given.isArgument = false;
  given.data = std::move(*bytes);
  builder.program.given.push_back(std::move(given));
}

} // namespace

std::optional<std::vector<char>> bytesOfConstant(Attribute value, MemRefType type) {
  auto number = numberOf(type.getElementType());
  if (!number)
    return std::nullopt;
  std::vector<char> bytes(static_cast<size_t>(type.getNumElements() * bytesOf(*number)));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != bytes.size())
      return std::nullopt;
    std::copy(blob->getData().begin(), blob->getData().end(), bytes.begin());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  int64_t index = 0;
  auto store = [&](Lane lane) { storeLanes(*number, bytes.data(), index++, 1, 1, &lane); };
  if (isFloatNumber(*number))
    for (const APFloat &element : dense.getValues<APFloat>()) {
      Lane lane;
      APFloat wide = element;
      bool losesInfo = false;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      lane.f = wide.convertToDouble();
      store(lane);
    }
  else
    for (const APInt &element : dense.getValues<APInt>()) {
      Lane lane;
      lane.i = element.getSExtValue();
      store(lane);
    }
  return bytes;
}

bool addMemoryStep(Operation *op, StepBuilder &builder, StepBlock &block) {
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    addAllocation(op, builder, block);
  else if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
    builder.add(block, std::make_unique<DeallocateStep>(dealloc, builder));
  else if (auto copy = dyn_cast<memref::CopyOp>(op))
    builder.add(block, std::make_unique<CopyStep>(copy, builder));
  else if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    addGlobal(global, builder);
  else if (auto load = dyn_cast<memref::LoadOp>(op))
    builder.add(block, std::make_unique<ElementStep>(op, load.getMemRef(), load.getResult(),
                                                     load.getIndices(), false, builder));
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    builder.add(block, std::make_unique<ElementStep>(op, store.getMemRef(), store.getValue(),
                                                     store.getIndices(), true, builder));
  else
    return false;
  return true;
}

} // namespace kgen
