#include "dialect/ukernel/Ukernel.h"

#include <mlir/IR/DialectImplementation.h>

#include "dialect/ukernel/UkernelDialect.cpp.inc"
#include "dialect/ukernel/UkernelInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/ukernel/UkernelOps.cpp.inc"

using namespace mlir;

namespace kgen::ukernel {

void UkernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/ukernel/UkernelOps.cpp.inc"
      >();
}

/// A panel of blockwise-quantized weights, from its first block on.
static LogicalResult verifyQuant(GemmOp kernel) {
  if (!kernel.getBQuant())
    return success();
  if (kernel.getN() > BlockwiseQuantAttr::panelWidth)
    return kernel.emitOpError() << "a panel of blockwise-quantized weights has "
                                << BlockwiseQuantAttr::panelWidth << " columns, found "
                                << kernel.getN();
  if (kernel.getBatch() != 1 || kernel.getVnni() != 1 || kernel.getBPadded() ||
      kernel.getStrictOrder() || !kernel.getBElement().isInteger(8))
    return kernel.emitOpError(
        "blockwise-quantized weights are bytes of one product, without vnni, b_padded "
        "and strict_order");
  BlockwiseQuantAttr quant = *kernel.getBQuant();
  bool areRows = kernel.getElement().isInteger(8) && kernel.getACol() == 1;
  if (!quant.quantizesRows())
    return isa<FloatType>(kernel.getElement())
               ? success()
               : kernel.emitOpError(
                     "blockwise-quantized weights multiply floats, or with row_block "
                     "quantized rows");
  int64_t bytes = BlockwiseQuantAttr::rowBlockBytes(quant.getRowBlock());
  if (!areRows || static_cast<int64_t>(kernel.getK()) % bytes != 0)
    return kernel.emitOpError() << "quantized rows are contiguous bytes in blocks of " << bytes;
  return success();
}

/// Implicit padding of A.
static LogicalResult verifyValidRanges(GemmOp kernel) {
  if (!kernel.getAValidRanges())
    return success();
  int64_t rows = kernel.getM(), products = kernel.getBatch(), depth = kernel.getK();
  if (!kernel.hasOneType() || !isa<FloatType>(kernel.getElement()) || kernel.isDotProducts() ||
      kernel.getVnni() != 1)
    return kernel.emitOpError(
        "only products of rows of B with elements of A, of f32 or f64, have a_valid_ranges");
  if (static_cast<int64_t>(kernel.getAValidRanges()->size()) != 4 * rows)
    return kernel.emitOpError("a_valid_ranges has four numbers for each row");
  for (int64_t row = 0; row < rows; ++row) {
    RowValidRange range = kernel.getValidRange(row);
    if (range.firstProduct < 0 || range.endOfProducts > products || range.firstK < 0 ||
        range.endOfK > depth)
      return kernel.emitOpError() << "row " << row << " has a valid range that exceeds A";
  }
  return success();
}

std::pair<int64_t, int64_t> GemmOp::getSpanOfA() {
  int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
  for (int64_t row = 0; row < static_cast<int64_t>(getM()); ++row) {
    RowValidRange range = getValidRange(row);
    if (range.isEmpty())
      continue;
    int64_t product = getABatch(), k = getACol(), start = getRowOffsetInA(row);
    first = std::min(first, start + range.firstProduct * product + range.firstK * k);
    last = std::max(last, start + (range.endOfProducts - 1) * product + (range.endOfK - 1) * k);
  }
  return first > last ? std::pair<int64_t, int64_t>(0, 0) : std::pair(first, last);
}

LogicalResult GemmOp::verify() {
  if (static_cast<int64_t>(getM()) < 1 || static_cast<int64_t>(getN()) < 1 ||
      static_cast<int64_t>(getK()) < 0)
    return emitOpError("a tile has at least one row and one column, and no negative depth");
  if (static_cast<int64_t>(getBatch()) < 1 || static_cast<int64_t>(getVnni()) < 1)
    return emitOpError("there is at least one product, and one value of k beside another");
  if (static_cast<int64_t>(getBPrefetch()) < 0)
    return emitOpError("b_prefetch is a number of elements");
  if (getBPrefetchEnd() && (!getBPrefetch() || getBPrefetchRows()))
    return emitOpError("only elements of b_prefetch, not in rows, have b_prefetch_end");
  if (static_cast<int64_t>(getBStreams()) < 0)
    return emitOpError("b_streams is a number of ranges of k");
  int64_t runRows = getARunRows();
  if (runRows < 0 || (runRows > 0 && static_cast<int64_t>(getM()) % runRows != 0))
    return emitOpError("a_run_rows must divide the rows of the tile");
  int64_t group = getElement().getIntOrFloatBitWidth() * getVnni();
  bool isMatrixProduct = group == 64 && getVnni() > 1;
  if (runRows > 0 && !isMatrixProduct &&
      (!hasOneType() || !isa<FloatType>(getElement()) || isDotProducts()))
    return emitOpError("only products of rows of B with elements of A, of f32 or f64, and matrix "
                       "products have a_run_rows");
  if (getEpilogueRows().size() != getEpilogueCols().size())
    return emitOpError("epilogue_rows and epilogue_cols must have one stride per epilogue operand");
  if (getEpilogue().front().getNumArguments() != getEpilogueRows().size() + 1)
    return emitOpError("the epilogue takes the accumulator and one scalar per epilogue operand");
  if (!isa<YieldOp>(getEpilogue().front().getTerminator()))
    return emitOpError("the epilogue must end in ukernel.yield");
  if (getAccumulate() && getResultType() != getAccumulatorType())
    return emitOpError("only C of the accumulator's type can be added to");
  if (getBCol() != 1 && !isDotProducts())
    return emitOpError(
        "columns of B that are not adjacent need contiguous rows of A and columns of B");
  if (getF16Accumulate() && (!getElement().isF16() || !getBElement().isF16() ||
                             !getAccumulatorType().isF32() || getStrictOrder() || isDotProducts()))
    return emitOpError("only products of f16 that become f32, in any order and by rows of B, are "
                       "added up in f16");
  for (int64_t stride : getEpilogueCols())
    if (stride != 0 && stride != 1)
      return emitOpError("an epilogue operand's columns are contiguous (1) or the same value (0)");
  if (static_cast<int64_t>(getBUpconvertedRow()) < 0 || static_cast<int64_t>(getSumsRow()) < 0)
    return emitOpError("b_upconverted_row and sums_row are distances of rows");
  Type b = getBElement();
  bool isUpconverted = (b.isBF16() || b.isF16()) && getElement() == getAccumulatorType();
  if (getBUpconvertedRow() && (!isUpconverted || getBatch() != 1 || getBQuant()))
    return emitOpError("only one product of f32 with bf16 or f16 stores up-converted B");
  if (getSumsRow() && (getAccumulate() || isDotProducts() || getF16Accumulate()))
    return emitOpError("only products of rows of B, in tiles that do not start from C, have "
                       "sums_row");
  return failed(verifyValidRanges(*this)) ? failure() : verifyQuant(*this);
}

LogicalResult MapOp::verify() {
  if (static_cast<int64_t>(getM()) < 1 || static_cast<int64_t>(getN()) < 1)
    return emitOpError("a tile has at least one row and one column");
  if (getInRows().size() != getInCols().size())
    return emitOpError("in_rows and in_cols must have one stride per input each");
  if (getBody().front().getNumArguments() != getInRows().size())
    return emitOpError("the region takes one scalar per input");
  if (!isa<YieldOp>(getBody().front().getTerminator()))
    return emitOpError("the region must end in ukernel.yield");
  for (int64_t stride : getInCols())
    if (stride != 0 && stride != 1)
      return emitOpError("an input's columns are contiguous (1) or the same value (0)");
  return success();
}

LogicalResult ConfigureTilesOp::verify() {
  if (getRows().size() != tileRegisters || getBytes().size() != tileRegisters)
    return emitOpError() << "there are " << tileRegisters << " tile registers";
  for (auto [rows, bytes] : llvm::zip(getRows(), getBytes()))
    if (rows < 0 || rows > 16 || bytes < 0 || bytes > 64 || bytes % 4 != 0 ||
        (rows == 0) != (bytes == 0))
      return emitOpError("a tile register has 1 to 16 rows of 4 to 64 bytes, a multiple of 4, or "
                         "none of either");
  return success();
}

KernelOpInterface CallOp::getKernel() {
  return dyn_cast_or_null<KernelOpInterface>(
      SymbolTable::lookupNearestSymbolFrom(*this, getCalleeAttr()));
}

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  KernelOpInterface kernel = getKernel();
  for (auto [index, operand] : llvm::enumerate(getTilesMutable())) {
    bool written = !kernel || kernel.writesTile(index),
         isResult = kernel && index == kernel.getDestination();
    if (!kernel || !written || (isResult && kernel.readsDestination()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
    if (written)
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *callee = symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls unknown micro-kernel " << getCalleeAttr();
  auto kernel = dyn_cast<KernelOpInterface>(callee);
  if (kernel && getTiles().size() != kernel.getTileCount())
    return emitOpError() << "passes " << getTiles().size() << " tiles, " << getCalleeAttr()
                         << " takes " << kernel.getTileCount();
  return success();
}

} // namespace kgen::ukernel
