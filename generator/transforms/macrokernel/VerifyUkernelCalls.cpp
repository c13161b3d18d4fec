// Checks that the tiles of calls are what the descriptors say, which the verifiers of single
// operations cannot see. Reports every error before it fails.
#include "analysis/TileAliasAnalysis.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/macrokernel/Passes.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_VERIFYUKERNELCALLSPASS
#include "transforms/macrokernel/Passes.h.inc"

namespace {

/// Properties of one tile by the kernel's descriptor.
struct Expected {
  std::string name;
  Type element;
  int64_t rows, cols, rowStride, colStride;
  int64_t following =
      0; ///< elements from this tile to the last one of the batch and its runs of rows
  bool isHint = false; ///< memory that is prefetched, whatever it holds and wherever it ends
};

SmallVector<Expected> tilesOf(ukernel::GemmOp kernel) {
  int64_t m = kernel.getM(), n = kernel.getN(), k = kernel.getK(), vnni = kernel.getVnni();
  int64_t later = kernel.getBatch() - 1, run = kernel.getRowsPerRun();
  SmallVector<Expected> tiles;
  auto [first, last] = kernel.getSpanOfA();
  if (kernel.getAValidRanges()) // only the first element's position is known
    tiles.push_back({"A", kernel.getElement(), 1, 1, 1, 1, last - first});
  else
    tiles.push_back(
        {"A", kernel.getElement(), run, k, static_cast<int64_t>(kernel.getARow()),
         static_cast<int64_t>(kernel.getACol()),
         later * static_cast<int64_t>(kernel.getABatch()) + kernel.getRowOffsetInA(m - run)});
  std::optional<BlockwiseQuantAttr> blocks = kernel.getBQuant();
  tiles.push_back({"B", kernel.getBElement(),
                   blocks ? blocks->count(k) : static_cast<int64_t>(llvm::divideCeil(k, vnni)),
                   blocks ? blocks->bytes(BlockwiseQuantAttr::panelWidth) : n * vnni,
                   static_cast<int64_t>(kernel.getBRow()), static_cast<int64_t>(kernel.getBCol()),
                   later * static_cast<int64_t>(kernel.getBBatch())});
  tiles.push_back({"C", kernel.getResultType(), m, n, static_cast<int64_t>(kernel.getCRow()), 1});
  if (kernel.getBPrefetch())
    tiles.push_back(
        {"the prefetched memory", kernel.getBElement(), 1, 1, 1, 1, 0, /*isHint=*/true});
  if (kernel.getBPrefetchEnd())
    tiles.push_back({"the end of the prefetched memory", kernel.getBElement(), 1, 1, 1, 1, 0,
                     /*isHint=*/true});
  Type sums = kernel.getAccumulatorType();
  if (int64_t row = kernel.getBUpconvertedRow())
    tiles.push_back({"up-converted B", sums, k, n, row, 1});
  if (int64_t row = kernel.getSumsRow())
    tiles.push_back({"the tile of sums", sums, m, n, row, 1});
  for (unsigned i = 0; i < kernel.getEpilogueRows().size(); ++i)
    tiles.push_back({"epilogue operand " + std::to_string(i),
                     kernel.getEpilogue().getArgument(i + 1).getType(), m, n,
                     kernel.getEpilogueRows()[i], kernel.getEpilogueCols()[i]});
  return tiles;
}

SmallVector<Expected> tilesOf(ukernel::MapOp kernel) {
  int64_t m = kernel.getM(), n = kernel.getN();
  SmallVector<Expected> tiles;
  for (unsigned i = 0; i < kernel.getInRows().size(); ++i)
    tiles.push_back({"input " + std::to_string(i), kernel.getBody().getArgument(i).getType(), m, n,
                     kernel.getInRows()[i], kernel.getInCols()[i]});
  tiles.push_back(
      {"the output", kernel.getResultType(), m, n, static_cast<int64_t>(kernel.getOutRow()), 1});
  return tiles;
}

class Verifier {
public:
  explicit Verifier(ModuleOp module) : module(module), aliasing(module) {}

  LogicalResult run() {
    for (auto kernel : module.getOps<ukernel::GemmOp>())
      verifyFlags(kernel);
    for (auto kernel : module.getOps<ukernel::MapOp>())
      verifyRows(kernel, "the output", kernel.getM(), kernel.getN(), kernel.getOutRow());
    module.walk([&](ukernel::CallOp call) {
      verifyCall(call);
      ++numCalls;
    });
    return success(!failed);
  }

  int64_t numCalls = 0; ///< that were checked

private:
  InFlightDiagnostic error(Operation *op) {
    failed = true;
    return op->emitOpError();
  }

  /// Rows that are written must not overlap.
  void verifyRows(Operation *kernel, StringRef name, int64_t rows, int64_t cols, int64_t stride) {
    if (rows > 1 && stride < cols)
      error(kernel) << "rows of " << name << " have " << cols << " elements, but are " << stride
                    << " apart";
  }

  void verifyFlags(ukernel::GemmOp kernel) {
    int64_t n = kernel.getN(), vnni = kernel.getVnni(), bRow = kernel.getBRow();
    verifyRows(kernel, "C", kernel.getM(), n, kernel.getCRow());
    if (int64_t row = kernel.getBUpconvertedRow())
      verifyRows(kernel, "up-converted B", kernel.getK(), paddedColumns(kernel), row);
    for (auto [name, stride] :
         {std::pair("a_row", kernel.getARow()), std::pair("a_col", kernel.getACol()),
          std::pair("b_row", kernel.getBRow()), std::pair("b_col", kernel.getBCol()),
          std::pair("a_batch", kernel.getABatch()), std::pair("b_batch", kernel.getBBatch()),
          std::pair("a_run_stride", kernel.getARunStride())})
      if (static_cast<int64_t>(stride) < 0)
        error(kernel) << name << " is negative";
    bool isRowwise = !kernel.isDotProducts() && bRow != 0;
    int64_t bits = kernel.getBElement().getIntOrFloatBitWidth() * vnni;
    if (vnni > 1 && bits != 32 && bits != 64)
      error(kernel) << "vnni = " << vnni << " values of " << kernel.getBElement()
                    << " do not fill 32 or 64 bits";
    if (vnni > 1 && kernel.getBCol() != 1)
      error(kernel, "vnni") << "needs adjacent columns of B";
    if (kernel.getBPadded() && kernel.getBCol() != 1)
      error(kernel, "b_padded") << "needs adjacent columns of B";
    if (kernel.getBPadded() && isRowwise && static_cast<int64_t>(kernel.getK()) > vnni &&
        bRow < paddedColumns(kernel) * vnni)
      error(kernel, "b_padded") << "reads " << paddedColumns(kernel) * vnni
                                << " elements of each row of B, but rows are " << bRow << " apart";
    verifyBlocks(kernel);
    if (vnni > 1 && static_cast<int64_t>(kernel.getK()) > vnni && bRow < n * vnni)
      error(kernel, "vnni") << "rows of B have " << n * vnni << " elements, but are " << bRow
                            << " apart";
  }

  /// Blocks of quantized weights must not overlap, either.
  void verifyBlocks(ukernel::GemmOp kernel) {
    std::optional<BlockwiseQuantAttr> blocks = kernel.getBQuant();
    int64_t bytes = blocks ? blocks->bytes(BlockwiseQuantAttr::panelWidth) : 0, k = kernel.getK(),
            row = kernel.getBRow();
    if (blocks && blocks->count(k) > 1 && row < bytes)
      error(kernel, "b_quant") << "blocks have " << bytes << " bytes, but are " << row << " apart";
  }

  InFlightDiagnostic error(Operation *op, StringRef flag) { return error(op) << flag << ": "; }

  /// Columns that a kernel with `b_padded` reads: whole vectors, and the next power of two for the
  /// remainder. Without a target the length of vectors is not known: `n`.
  int64_t paddedColumns(ukernel::GemmOp kernel) {
    TargetAttr target = targetOf(kernel);
    int64_t n = kernel.getN();
    int64_t lanes = target ? target.lanes(kernel.getAccumulatorType()) : n;
    int64_t whole = n / lanes * lanes;
    return n == whole ? n : whole + llvm::PowerOf2Ceil(n - whole);
  }

  void verifyCall(ukernel::CallOp call) {
    Operation *kernel = call.getKernel();
    if (auto gemm = dyn_cast_or_null<ukernel::GemmOp>(kernel)) {
      verifyTiles(call, tilesOf(gemm));
      for (auto [index, tile] : llvm::enumerate(call.getTiles()))
        if (index != 2 && aliasing.mustOverlap(tile, call.getTiles()[2]))
          error(call) << "C overlaps tile " << index << ", which is read";
    } else if (auto map = dyn_cast_or_null<ukernel::MapOp>(kernel)) {
      verifyTiles(call, tilesOf(map));
      verifyMapAliasing(call, map);
    }
  }

  /// The output may be an input only if it is exactly the same tile.
  void verifyMapAliasing(ukernel::CallOp call, ukernel::MapOp map) {
    Value out = call.getTiles().back();
    for (unsigned i = 0; i < map.getInRows().size(); ++i) {
      Value in = call.getTiles()[i];
      bool inPlace =
          aliasing.isSame(in, out) &&
          (map.getM() == 1 || map.getInRows()[i] == static_cast<int64_t>(map.getOutRow())) &&
          (map.getN() == 1 || map.getInCols()[i] == 1);
      if (!inPlace && aliasing.mustOverlap(in, out))
        error(call) << "the output overlaps input " << i << ", but is not the same tile";
    }
  }

  void verifyTiles(ukernel::CallOp call, ArrayRef<Expected> expected) {
    if (expected.size() != call.getTiles().size())
      return; // reported when the module was verified
    for (auto [tile, wanted] : llvm::zip(call.getTiles(), expected))
      verifyTile(call, tile, wanted);
  }

  void verifyTile(ukernel::CallOp call, Value tile, const Expected &wanted) {
    auto type = cast<MemRefType>(tile.getType());
    if (type.getElementType() != wanted.element && !wanted.isHint)
      error(call) << wanted.name << " has elements " << type.getElementType()
                  << ", the kernel takes " << wanted.element;
    if (type.getRank() == 1 && type.hasStaticShape() && type.getLayout().isIdentity())
      return verifyFlat(call, type, wanted);
    SmallVector<int64_t> strides;
    int64_t offset;
    if (type.getRank() != 2 || !type.hasStaticShape() ||
        mlir::failed(type.getStridesAndOffset(strides, offset))) {
      error(call) << wanted.name << " must be a matrix with strides or a row, found " << type;
      return;
    }
    if (type.getDimSize(0) != wanted.rows || type.getDimSize(1) != wanted.cols)
      error(call) << wanted.name << " is " << type.getDimSize(0) << "x" << type.getDimSize(1)
                  << ", the kernel takes " << wanted.rows << "x" << wanted.cols;
    bool rowsDiffer = wanted.rows > 1 && strides[0] != wanted.rowStride;
    bool colsDiffer = wanted.cols > 1 && strides[1] != wanted.colStride;
    if (rowsDiffer || colsDiffer)
      error(call) << wanted.name << " has strides [" << strides[0] << ", " << strides[1]
                  << "], the kernel takes [" << wanted.rowStride << ", " << wanted.colStride << "]";
    if (!wanted.isHint)
      verifyBounds(call, tile, wanted);
  }

  /// A one-dimensional buffer must be long enough for the tile.
  void verifyFlat(ukernel::CallOp call, MemRefType type, const Expected &wanted) {
    int64_t reach = (wanted.rows - 1) * wanted.rowStride + (wanted.cols - 1) * wanted.colStride + 1;
    if (type.getDimSize(0) < reach)
      error(call) << wanted.name << " has " << type.getDimSize(0)
                  << " elements, the kernel reaches " << reach;
  }

  /// Checks that all of the batch is within the buffer, where the offset is known. Prefetched
  /// memory need not: there may be nothing after the last panel, and a prefetch of it does no harm.
  void verifyBounds(ukernel::CallOp call, Value tile, const Expected &wanted) {
    auto root = dyn_cast<MemRefType>(TileAliasAnalysis::rootOf(tile).getType());
    std::optional<int64_t> end = TileAliasAnalysis::endInRoot(tile, wanted.following);
    if (!root || !end || !root.hasStaticShape() || !root.getLayout().isIdentity() ||
        !root.getElementType().isIntOrFloat())
      return;
    int64_t size = root.getNumElements() * bytesOfElement(root);
    if (*end > size)
      error(call) << wanted.name << " ends at byte " << *end << " of a buffer of " << size;
  }

  ModuleOp module;
  TileAliasAnalysis aliasing;
  bool failed = false;
};

struct VerifyUkernelCallsPass : impl::VerifyUkernelCallsPassBase<VerifyUkernelCallsPass> {
  void runOnOperation() override {
    Verifier verifier(getOperation());
    if (failed(verifier.run()))
      return signalPassFailure();
    numCalls += verifier.numCalls;
  }
};

} // namespace
} // namespace kgen
