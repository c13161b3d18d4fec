#include "providers/KernelBuilder.h"

#include "dialect/kgen/IndexBits.h"
#include "dialect/kgen/PackedBytes.h"
#include "target/Architecture.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {

SmallVector<Column> columnsOf(int64_t n, int64_t lanes) {
  SmallVector<Column> columns;
  for (int64_t start = 0; start < n; start += lanes) {
    int64_t count = std::min(lanes, n - start);
    columns.push_back({start, static_cast<int64_t>(llvm::PowerOf2Ceil(count)), count});
  }
  return columns;
}

ColumnCode::ColumnCode(Operation *kernel, OpBuilder &builder)
    : b(builder), loc(kernel->getLoc()), indexType(b.getIntegerType(indexBits(kernel))) {
  TargetAttr target = targetOf(kernel);
  if (const Architecture *architecture = target ? architectureOf(target.getTriple()) : nullptr)
    vectorConstraint = architecture->vectorConstraint();
}

/// The whole of KernelBuilder::prefetchedPart.
static constexpr int64_t wholePrefetch = 1 << 16;

KernelBuilder::KernelBuilder(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
    : ColumnCode(kernel, builder), kernel(kernel), element(kernel.getElement()),
      bElement(kernel.getBElement()), accumulator(kernel.getAccumulatorType()),
      result(kernel.getResultType()), columns(columnsOf(kernel.getN(), target.lanes(accumulator))),
      rows(kernel.getM()), cpu(target.cpu()) {}

func::FuncOp ColumnCode::beginFunction(StringRef name, StringRef provider, unsigned count) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> arguments(count, pointer);
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, {}));
  function.setPrivate();
  function->setAttr("kgen.provider", b.getStringAttr(provider));
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  b.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

void KernelBuilder::beginFunction(StringRef provider) {
  func::FuncOp function =
      ColumnCode::beginFunction(kernel.getSymName(), provider, kernel.getTileCount());
  for (unsigned i : {0u, 1u}) {
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
  a = function.getArgument(0);
  bPointer = function.getArgument(1);
  c = function.getArgument(2);
  if (kernel.getBPrefetch())
    prefetchPointer = function.getArgument(3);
  if (kernel.getBPrefetchEnd()) {
    auto address = [&](Value pointer) -> Value {
      return LLVM::PtrToIntOp::create(b, loc, indexType, pointer);
    };
    Value part =
        arith::SubIOp::create(b, loc, address(function.getArgument(4)), address(prefetchPointer));
    part = arith::MulIOp::create(b, loc, part, number(wholePrefetch));
    prefetchedPart =
        arith::DivUIOp::create(b, loc, part, number(linesToPrefetch() * cpu.lineBytes));
  }
  if (kernel.getBUpconvertedRow())
    upconvertedB = function.getArgument(kernel.getUpconvertedBPosition());
  if (kernel.getSumsRow())
    sums = function.getArgument(kernel.getSumsPosition());
  epilogueIns.assign(function.args_begin() + kernel.getFirstEpilogueIn(), function.args_end());
}

Value ColumnCode::number(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, indexType, b.getIntegerAttr(indexType, value));
}

Value ColumnCode::zero(Type type) { return arith::ConstantOp::create(b, loc, b.getZeroAttr(type)); }

Value ColumnCode::moved(Type type, Value pointer, Value dynamic, int64_t scale) {
  auto make = [&]() -> Value {
    Value offset = arith::MulIOp::create(b, loc, dynamic, number(scale));
    return LLVM::GEPOp::create(b, loc, pointer.getType(), type, pointer, ValueRange{offset});
  };
  if (!indexType.isInteger(32))
    return make();
  Value &known = opaque[{pointer.getAsOpaquePointer(), dynamic.getAsOpaquePointer(),
                         type.getAsOpaquePointer(), scale, b.getInsertionBlock()}];
  if (!known)
    known = hidden(make());
  return known;
}

Value ColumnCode::address(Type type, Value pointer, int64_t constant, Value dynamic,
                          int64_t scale) {
  if (dynamic && scale != 0)
    pointer = moved(type, pointer, dynamic, scale);
  if (constant == 0)
    return pointer;
  bool isPartOfLoads = indexType.isInteger(32) && constant > 0;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), type, pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constant)},
                             isPartOfLoads
                                 ? LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw
                                 : LLVM::GEPNoWrapFlags::none);
}

Value ColumnCode::mask(const Column &column) {
  SmallVector<bool> bits(column.width, false);
  std::fill_n(bits.begin(), column.lanes, true);
  auto maskType = VectorType::get({column.width}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(maskType, bits));
}

Value ColumnCode::loadScalar(Type type, Value pointer) {
  return LLVM::LoadOp::create(b, loc, type, pointer, bytes(type));
}

Value ColumnCode::load(Type element, Value pointer, const Column &column, bool padded,
                       Type aligned) {
  VectorType vector = type(column, element);
  unsigned alignment = bytes(aligned ? aligned : element);
  if (column.isFull() || padded)
    return LLVM::LoadOp::create(b, loc, vector, pointer, alignment);
  if (column.lanes == 1) {
    Value scalar = LLVM::LoadOp::create(b, loc, element, pointer, alignment);
    return vector::InsertOp::create(b, loc, scalar, zero(vector), int64_t(0));
  }
  return LLVM::MaskedLoadOp::create(b, loc, vector, pointer, mask(column), zero(vector), alignment);
}

void ColumnCode::store(Value value, Value pointer, const Column &column) {
  unsigned alignment = bytes(getElementTypeOrSelf(value));
  if (column.isFull())
    LLVM::StoreOp::create(b, loc, value, pointer, alignment);
  else if (column.lanes == 1) // LLVM 22 writes more than that if it stores what was truncated
    LLVM::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, value, int64_t(0)), pointer,
                          alignment);
  else
    LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask(column), alignment);
}

Value ColumnCode::hidden(Value value) {
  bool isVector = isa<VectorType>(value.getType());
  if (isVector && vectorConstraint.empty())
    return value;
  std::string constraints = "=" + (isVector ? vectorConstraint : "r") + ",0";
  return LLVM::InlineAsmOp::create(b, loc, value.getType(), value, /*asm_string=*/"", constraints,
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None,
                                   /*asm_dialect=*/{}, /*operand_attrs=*/{})
      .getResult(0);
}

Value ColumnCode::splat(Value scalar, const Column &column) {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(b, loc, type(column, scalar.getType()), scalar);
}

Value ColumnCode::apply(Block &body, ValueRange first, ArrayRef<Input> inputs, Value row,
                        int64_t constantRow, const Column &column, Value wanted) {
  IRMapping values;
  values.map(body.getArguments().take_front(first.size()), first);
  for (auto [argument, input] : llvm::zip(body.getArguments().drop_front(first.size()), inputs)) {
    Type extra = argument.getType();
    Value at = address(extra, input.pointer,
                       constantRow * input.rowStride + column.start * input.colStride, row,
                       input.rowStride);
    values.map(argument, input.colStride == 1 ? load(extra, at, column)
                                              : splat(loadScalar(extra, at), column));
  }
  for (Operation &op : body.without_terminator()) {
    for (Value operand : op.getOperands())
      values.map(operand, splat(values.lookup(operand), column));
    Operation *clone = b.clone(op, values);
    dropOverflowFlags(clone);
    if (!op.hasTrait<OpTrait::ConstantLike>())
      for (Value result : clone->getResults())
        result.setType(type(column, result.getType()));
    values.map(op.getResults(), clone->getResults());
    if (wanted && wanted.getDefiningOp() == &op)
      break;
  }
  return splat(values.lookup(wanted ? wanted : body.getTerminator()->getOperand(0)), column);
}

Value KernelBuilder::epilogue(Value sums, Value row, int64_t constantRow, const Column &column,
                              Value wanted) {
  SmallVector<Input> inputs;
  for (auto [index, extra] : llvm::enumerate(epilogueIns))
    inputs.push_back({extra, kernel.getEpilogueRows()[index], kernel.getEpilogueCols()[index]});
  return apply(kernel.getEpilogue().front(), sums, inputs, row, constantRow, column, wanted);
}

int64_t KernelBuilder::strideOfSums() {
  return result == accumulator ? kernel.getCRow() : columns.back().start + columns.back().width;
}

int64_t KernelBuilder::linesToPrefetch() {
  if (kernel.getBPrefetchRows())
    return 0;
  return llvm::divideCeil(static_cast<int64_t>(kernel.getBPrefetch()) * bytes(bElement),
                          cpu.lineBytes);
}

void KernelBuilder::prefetchLines(Value position, int64_t scale, int64_t count, int64_t first) {
  for (int64_t line = first; line < first + count; ++line) {
    Value at;
    if (prefetchedPart) {
      at =
          position ? arith::MulIOp::create(b, loc, position, number(scale)).getResult() : number(0);
      at = arith::AddIOp::create(b, loc, at, number(line * cpu.lineBytes));
      at = arith::MulIOp::create(b, loc, at, prefetchedPart);
      at = arith::DivUIOp::create(b, loc, at, number(wholePrefetch));
      at = address(b.getI8Type(), prefetchPointer, 0, at);
    } else {
      at = address(b.getI8Type(), prefetchPointer, line * cpu.lineBytes, position, scale);
    }
    LLVM::Prefetch::create(b, loc, at, /*rw=*/0, /*hint=*/2, /*cache=*/1);
  }
}

int64_t KernelBuilder::rowsToPrefetch() {
  if (!kernel.getBPrefetchRows())
    return 0;
  return static_cast<int64_t>(llvm::divideCeil(kernel.getBPrefetch(), kernel.getBRow()));
}

void KernelBuilder::prefetchNextRow(Value row, int64_t scale, int64_t constant) {
  int64_t distance = kernel.getBRow() * bytes(bElement), size = kernel.getN() * bytes(bElement);
  for (int64_t at = 0; at < size; at += cpu.lineBytes)
    LLVM::Prefetch::create(
        b, loc,
        address(b.getI8Type(), prefetchPointer, constant * distance + at, row, scale * distance),
        /*rw=*/0, /*hint=*/2, /*cache=*/1);
}

void KernelBuilder::prefetchRow(Value row, int64_t constant, int64_t interval) {
  int64_t size = kernel.getBRow() * bytes(bElement);
  unsigned hint =
      interval == cpu.lineBytes && rows > 1 && rows <= cpu.heuristics.maxL1PrefetchRows ? 3 : 2;
  for (int64_t at = 0; at < size; at += interval)
    LLVM::Prefetch::create(b, loc,
                           address(b.getI8Type(), bPointer, constant * size + at, row, size),
                           /*rw=*/0, hint, /*cache=*/1);
}

Value KernelBuilder::groupOfA(Value at, int64_t count) {
  Type i32 = b.getI32Type();
  int64_t size = bytes(element), whole = bytes(i32) / size;
  if (count == whole && kernel.getACol() == 1)
    return LLVM::LoadOp::create(b, loc, i32, at, size);
  auto number32 = [&](int64_t value) {
    return LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(value));
  };
  Value group;
  for (int64_t i = 0; i < count; ++i) {
    Value value =
        loadScalar(b.getIntegerType(8 * size), address(element, at, i * kernel.getACol()));
    value = arith::ExtUIOp::create(b, loc, i32, value);
    if (i > 0) {
      value = arith::ShLIOp::create(b, loc, value, number32(8 * size * i));
      value = arith::OrIOp::create(b, loc, group, value);
    }
    group = value;
  }
  return group;
}

KernelBuilder::Sums KernelBuilder::memoryForSums() {
  int64_t row = strideOfSums();
  if (result == accumulator)
    return {c, row};
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return {LLVM::AllocaOp::create(b, loc, pointer, accumulator, number(rows * row), 64), row};
}

void KernelBuilder::epilogueOverTile(const Sums &sums) {
  auto loop = scf::ForOp::create(b, loc, number(0), number(rows), number(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  for (const Column &column : columns) {
    Value from = address(accumulator, sums.pointer, column.start, row, sums.row);
    Value value = epilogue(load(accumulator, from, column), row, 0, column);
    store(value, address(result, c, column.start, row, kernel.getCRow()), column);
  }
}

} // namespace kgen
