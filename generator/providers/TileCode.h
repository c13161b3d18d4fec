// What providers share: a micro-kernel's function with its ABI, vectors of the tile's columns,
// addresses, and the epilogue as vector code.
#pragma once

#include "providers/Provider.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

namespace kgen {

/// A vector of the tile's columns: `lanes` of `width` are inside the tile.
struct Column {
  int64_t start, width, lanes;
  bool isWhole() const { return lanes == width; }
};

class TileCode {
public:
  TileCode(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);

protected:
  /// Creates the kernel's function and continues at the start of its body.
  void beginFunction(mlir::StringRef provider);

  mlir::VectorType type(const Column &column) {
    return mlir::VectorType::get({column.width}, element);
  }
  unsigned alignment() const { return element.getIntOrFloatBitWidth() / 8; }
  mlir::Value number(int64_t value);
  mlir::Value zero(mlir::Type type);
  /// pointer + dynamic * scale + constant, in elements.
  mlir::Value address(mlir::Value pointer, int64_t constant, mlir::Value dynamic = {},
                      int64_t scale = 1);
  /// A `padded` column may be read as a whole; otherwise nothing outside the tile is touched.
  mlir::Value load(mlir::Value pointer, const Column &column, bool padded = false);
  void store(mlir::Value value, mlir::Value pointer, const Column &column);

  bool hasEpilogue();
  /// The epilogue of one vector; its row is `row` (if given) plus a constant.
  mlir::Value epilogue(mlir::Value accumulator, mlir::Value row, int64_t constantRow,
                       const Column &column);
  /// A loop that applies the epilogue to the tile as it is stored in C.
  void epilogueOverTile();

  ukernel::GemmOp kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element;
  mlir::SmallVector<Column> columns;
  int64_t rows;
  mlir::Value a, bPointer, c;
  mlir::SmallVector<mlir::Value> extras;

private:
  mlir::Value mask(const Column &column);
};

} // namespace kgen
