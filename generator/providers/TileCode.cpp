#include "providers/TileCode.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {

static SmallVector<Column> columnsOf(int64_t n, int64_t lanes) {
  SmallVector<Column> columns;
  for (int64_t start = 0; start < n; start += lanes) {
    int64_t count = std::min(lanes, n - start);
    columns.push_back({start, static_cast<int64_t>(llvm::PowerOf2Ceil(count)), count});
  }
  return columns;
}

TileCode::TileCode(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder)
    : kernel(kernel), b(builder), loc(kernel.getLoc()), element(kernel.getElement()),
      accumulator(kernel.getAccumulatorType()), result(kernel.getResultType()),
      columns(columnsOf(kernel.getN(), target.lanes(accumulator))), rows(kernel.getM()) {}

void TileCode::beginFunction(StringRef provider) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> arguments(3 + kernel.getExtraRows().size(), pointer);
  auto function =
      func::FuncOp::create(b, loc, kernel.getSymName(), b.getFunctionType(arguments, {}));
  function.setPrivate();
  for (unsigned i : {0u, 1u}) {
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
    function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
  }
  function->setAttr("kgen.provider", b.getStringAttr(provider));
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  a = entry->getArgument(0);
  bPointer = entry->getArgument(1);
  c = entry->getArgument(2);
  extras.assign(entry->args_begin() + 3, entry->args_end());
}

Value TileCode::number(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(value));
}

Value TileCode::zero(Type type) { return arith::ConstantOp::create(b, loc, b.getZeroAttr(type)); }

Value TileCode::address(Type type, Value pointer, int64_t constant, Value dynamic, int64_t scale) {
  if (dynamic && scale != 0) {
    Value offset = arith::MulIOp::create(b, loc, dynamic, number(scale));
    pointer = LLVM::GEPOp::create(b, loc, pointer.getType(), type, pointer, ValueRange{offset});
  }
  if (constant == 0)
    return pointer;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), type, pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constant)});
}

Value TileCode::mask(const Column &column) {
  SmallVector<bool> bits(column.width, false);
  std::fill_n(bits.begin(), column.lanes, true);
  auto maskType = VectorType::get({column.width}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(maskType, bits));
}

Value TileCode::loadScalar(Type type, Value pointer) {
  return LLVM::LoadOp::create(b, loc, type, pointer, bytes(type));
}

Value TileCode::load(Type element, Value pointer, const Column &column, bool padded, Type aligned) {
  VectorType vector = type(column, element);
  unsigned alignment = bytes(aligned ? aligned : element);
  if (column.isWhole() || padded)
    return LLVM::LoadOp::create(b, loc, vector, pointer, alignment);
  return LLVM::MaskedLoadOp::create(b, loc, vector, pointer, mask(column), zero(vector), alignment);
}

void TileCode::store(Value value, Value pointer, const Column &column) {
  unsigned alignment = bytes(getElementTypeOrSelf(value));
  if (column.isWhole())
    LLVM::StoreOp::create(b, loc, value, pointer, alignment);
  else
    LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask(column), alignment);
}

Value TileCode::splat(Value scalar, const Column &column) {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(b, loc, type(column, scalar.getType()), scalar);
}

Value TileCode::epilogue(Value sums, Value row, int64_t constantRow, const Column &column) {
  Block &body = kernel.getEpilogue().front();
  IRMapping values;
  values.map(body.getArgument(0), sums);
  for (auto [index, argument] : llvm::enumerate(body.getArguments().drop_front())) {
    int64_t rowStride = kernel.getExtraRows()[index], colStride = kernel.getExtraCols()[index];
    Type extra = argument.getType();
    Value at = address(extra, extras[index], constantRow * rowStride + column.start * colStride,
                       row, rowStride);
    values.map(argument,
               colStride == 1 ? load(extra, at, column) : splat(loadScalar(extra, at), column));
  }
  for (Operation &op : body.without_terminator()) {
    for (Value operand : op.getOperands())
      values.map(operand, splat(values.lookup(operand), column));
    Operation *clone = b.clone(op, values);
    if (!op.hasTrait<OpTrait::ConstantLike>())
      for (Value result : clone->getResults())
        result.setType(type(column, result.getType()));
    values.map(op.getResults(), clone->getResults());
  }
  return splat(values.lookup(body.getTerminator()->getOperand(0)), column);
}

int64_t TileCode::rowOfSums() {
  return result == accumulator ? kernel.getCRow() : columns.back().start + columns.back().width;
}

TileCode::Sums TileCode::placeForSums() {
  int64_t row = rowOfSums();
  if (result == accumulator)
    return {c, row};
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return {LLVM::AllocaOp::create(b, loc, pointer, accumulator, number(rows * row), 64), row};
}

void TileCode::epilogueOverTile(const Sums &sums) {
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
