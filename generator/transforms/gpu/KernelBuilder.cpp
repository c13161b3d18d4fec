#include "transforms/gpu/KernelBuilder.h"

#include "dialect/kgen/TypeSizes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

gpu::Dimension dimensionOf(unsigned number) {
  return number == 0 ? gpu::Dimension::x : number == 1 ? gpu::Dimension::y : gpu::Dimension::z;
}

MemRefType flatType(const FlatMemory &flat) {
  return MemRefType::get({flat.elements}, getElementTypeOrSelf(flat.root.getType()));
}

/// The buffer as one dimension.
Value flatView(OpBuilder &b, Location loc, const FlatMemory &flat) {
  MemRefType type = flatType(flat);
  if (flat.root.getType() == type)
    return flat.root;
  return memref::ReinterpretCastOp::create(b, loc, type, flat.root, /*offset=*/0,
                                           ArrayRef<int64_t>{flat.elements}, ArrayRef<int64_t>{1});
}

/// Elements of a view whose addresses differ.
int64_t distinctElements(MemRefType view) {
  SmallVector<int64_t> strides;
  int64_t offset = 0, elements = 1;
  if (succeeded(view.getStridesAndOffset(strides, offset)))
    for (auto [size, stride] : llvm::zip_equal(view.getShape(), strides))
      elements *= stride == 0 ? 1 : size;
  return elements;
}

gpu::KernelDim3 dim3(OpBuilder &b, Location loc, const std::array<int64_t, 3> &sizes) {
  auto constant = [&](int64_t size) { return arith::ConstantIndexOp::create(b, loc, size); };
  return {constant(sizes[0]), constant(sizes[1]), constant(sizes[2])};
}

} // namespace

void Grid::setBlocks(int64_t count) {
  constexpr int64_t maxBlocks = 32768; // in one dimension: devices allow for 65,535
  blocks[1] = llvm::divideCeil(count, maxBlocks);
  blocks[0] = llvm::divideCeil(count, blocks[1]);
}

bool isWritten(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), llvm::IsaPred<memref::StoreOp, vector::StoreOp>);
}

int64_t bytesInMemory(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

int64_t sharedBytes(gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](memref::AllocOp alloc) {
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(alloc.getType()))
      bytes += bytesOf(alloc.getType());
  });
  return bytes;
}

Captures capturesOf(Operation *op) {
  SetVector<Value> used;
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  Captures captures;
  for (Value value : used) {
    if (isa<MemRefType>(value.getType()))
      captures.memrefs.push_back(value);
    else if (matchPattern(value, m_Constant()))
      captures.constants.push_back(value);
    else
      captures.others.push_back(value);
  }
  return captures;
}

KernelBuilder::KernelBuilder(gpu::GPUModuleOp module, Operation *before, StringRef name,
                             ArrayRef<Value> memrefs, const Grid &grid)
    : b(before->getContext()), loc(before->getLoc()), math(b, loc), before(before), grid(grid) {
  SmallVector<Type> types;
  for (Value memref : memrefs) {
    FlatMemory flat = *flatten(memref);
    if (llvm::is_contained(roots, flat.root))
      continue;
    roots.push_back(flat.root);
    types.push_back(flatType(flat));
  }
  b.setInsertionPointToEnd(module.getBody());
  function = gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  std::array<int32_t, 3> threads;
  llvm::copy(grid.threads, threads.begin());
  function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(threads));
  b.setInsertionPointToStart(&function.getBody().front());
}

Value KernelBuilder::argumentOf(Value memref, Views &used) {
  Value root = flatten(memref)->root;
  std::pair view(root, cast<MemRefType>(memref.getType()));
  if (!llvm::is_contained(used, view))
    used.push_back(view);
  auto found = llvm::find(roots, root);
  assert(found != roots.end() && "all memrefs of a kernel are named when it is begun");
  return function.getArgument(found - roots.begin());
}

int64_t KernelBuilder::leastBytes() const {
  int64_t bytes = 0;
  for (const Views *views : {&read, &written})
    for (Value root : roots) {
      int64_t elements = 0;
      for (auto [buffer, view] : *views)
        elements += buffer == root ? distinctElements(view) : 0;
      auto all = cast<MemRefType>(root.getType());
      // Views may overlap.
      bytes += std::min(elements, all.getNumElements()) * bytesInMemory(all.getElementType());
    }
  return bytes;
}

gpu::LaunchFuncOp KernelBuilder::finish() {
  gpu::ReturnOp::create(b, loc);
  b.setInsertionPoint(before);
  SmallVector<Value> operands;
  for (Value root : roots)
    operands.push_back(flatView(b, loc, *flatten(root)));
  return gpu::LaunchFuncOp::create(b, loc, function, dim3(b, loc, grid.blocks),
                                   dim3(b, loc, grid.threads),
                                   /*dynamicSharedMemorySize=*/Value(), operands);
}

Value KernelBuilder::block(unsigned dimension) {
  if (grid.blocks[dimension] == 1)
    return math.constant(0);
  return gpu::BlockIdOp::create(b, loc, dimensionOf(dimension));
}

Value KernelBuilder::blockNumber() {
  return math.add(block(0), math.times(block(1), grid.blocks[0]));
}

Value KernelBuilder::thread(unsigned dimension) {
  if (grid.threads[dimension] == 1)
    return math.constant(0);
  return gpu::ThreadIdOp::create(b, loc, dimensionOf(dimension));
}

Value KernelBuilder::shared(Type element, int64_t elements) {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return memref::AllocOp::create(
      b, loc, MemRefType::get({elements}, element, MemRefLayoutAttrInterface(), space));
}

void KernelBuilder::where(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto guard = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(guard.thenBlock());
  body();
}

void KernelBuilder::barrier() { gpu::BarrierOp::create(b, loc); }

Value KernelBuilder::address(Value memref, ValueRange indices) {
  FlatMemory flat = *flatten(memref);
  Value sum = math.constant(flat.offset);
  for (auto [index, stride] : llvm::zip_equal(indices, flat.strides))
    if (stride != 0)
      sum = math.add(sum, math.times(index, stride));
  return sum;
}

Value KernelBuilder::loadAt(Value memref, Value address) {
  return memref::LoadOp::create(b, loc, argumentOf(memref, read), address);
}

void KernelBuilder::storeAt(Value value, Value memref, Value address) {
  memref::StoreOp::create(b, loc, value, argumentOf(memref, written), address);
}

SmallVector<Value> KernelBuilder::loadShared(Value buffer, Value address, int64_t count) {
  if (count == 1)
    return {memref::LoadOp::create(b, loc, buffer, address)};
  Type element = getElementTypeOrSelf(buffer.getType());
  const int64_t alignment = count * element.getIntOrFloatBitWidth() / 8;
  auto vector = vector::LoadOp::create(b, loc, VectorType::get({count}, element), buffer, address,
                                       /*nontemporal=*/false, llvm::MaybeAlign(alignment));
  SmallVector<Value> values;
  for (int64_t e = 0; e < count; ++e)
    values.push_back(vector::ExtractOp::create(b, loc, vector, e));
  return values;
}

void KernelBuilder::storeShared(ValueRange values, Value buffer, Value address) {
  if (values.size() == 1) {
    memref::StoreOp::create(b, loc, values.front(), buffer, address);
    return;
  }
  auto type = VectorType::get({static_cast<int64_t>(values.size())}, values.front().getType());
  const int64_t alignment = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  Value vector = vector::FromElementsOp::create(b, loc, type, values);
  vector::StoreOp::create(b, loc, vector, buffer, address, /*nontemporal=*/false,
                          llvm::MaybeAlign(alignment));
}

SmallVector<Value> KernelBuilder::loadVectorAt(Value memref, Value address, int64_t count) {
  return loadShared(argumentOf(memref, read), address, count);
}

void KernelBuilder::storeVectorAt(ValueRange values, Value memref, Value address) {
  storeShared(values, argumentOf(memref, written), address);
}

Value KernelBuilder::load(Value memref, ValueRange indices) {
  return loadAt(memref, address(memref, indices));
}

void KernelBuilder::store(Value value, Value memref, ValueRange indices) {
  storeAt(value, memref, address(memref, indices));
}

SmallVector<Value> KernelBuilder::inlineBody(Block &body, ValueRange arguments, ValueRange indices,
                                             const IRMapping &outside,
                                             llvm::function_ref<Value(memref::LoadOp)> readFrom) {
  IRMapping mapping = outside;
  mapping.map(body.getArguments().take_front(arguments.size()), arguments);
  for (Value constant : capturesOf(body.getParentOp()).constants)
    mapping.map(constant, b.clone(*constant.getDefiningOp())->getResult(0));
  for (Operation &op : body.without_terminator()) {
    Operation *clone = b.clone(op, mapping);
    clone->walk([&](Operation *inner) {
      // To the nearest number without a word: neither code generator takes one.
      if (auto narrowed = dyn_cast<arith::TruncFOp>(inner);
          narrowed && narrowed.getRoundingmode() == arith::RoundingMode::to_nearest_even)
        narrowed.removeRoundingmodeAttr();
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(inner);
      Value made;
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        made = indices[index.getDim()];
      else if (auto read = dyn_cast<memref::LoadOp>(inner))
        made = readFrom ? readFrom(read) : load(read.getMemRef(), read.getIndices());
      if (!made)
        return;
      if (inner == clone)
        mapping.map(op.getResult(0), made);
      inner->replaceAllUsesWith(ValueRange{made});
      inner->erase();
    });
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

} // namespace kgen::gpu_kernels
