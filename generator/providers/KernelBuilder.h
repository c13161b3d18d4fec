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

/// The columns of a tile of `n`, in vectors of `lanes`.
mlir::SmallVector<Column> columnsOf(int64_t n, int64_t lanes);

/// Code on vectors of a tile's columns, for every kind of micro-kernel.
class ColumnCode {
public:
  ColumnCode(mlir::Operation *kernel, mlir::OpBuilder &builder)
      : b(builder), loc(kernel->getLoc()) {}

protected:
  /// Creates a kernel's function, whose arguments are `count` pointers, and continues at the start
  /// of its body.
  mlir::func::FuncOp beginFunction(mlir::StringRef name, mlir::StringRef provider, unsigned count);

  /// Elements that scalar code reads at each row and column of the tile.
  struct Input {
    mlir::Value pointer;
    int64_t rowStride, colStride; ///< the latter 1, or 0: the same in all columns
  };
  /// The value of the scalar code `body` for one vector. `first` is what its first arguments are,
  /// the others are `inputs`; the row is `row` (if given) plus a constant.
  mlir::Value apply(mlir::Block &body, mlir::ValueRange first, mlir::ArrayRef<Input> inputs,
                    mlir::Value row, int64_t constantRow, const Column &column);

  static mlir::VectorType type(const Column &column, mlir::Type element) {
    return mlir::VectorType::get({column.width}, element);
  }
  static unsigned bytes(mlir::Type element) { return element.getIntOrFloatBitWidth() / 8; }
  mlir::Value number(int64_t value);
  mlir::Value zero(mlir::Type type);
  /// pointer + dynamic * scale + constant, in elements of `type`.
  mlir::Value address(mlir::Type type, mlir::Value pointer, int64_t constant,
                      mlir::Value dynamic = {}, int64_t scale = 1);
  mlir::Value loadScalar(mlir::Type type, mlir::Value pointer);
  /// Elements of `type`, aligned as those of `aligned`. A `padded` column may be read as a whole;
  /// otherwise nothing outside the tile is touched.
  mlir::Value load(mlir::Type type, mlir::Value pointer, const Column &column, bool padded = false,
                   mlir::Type aligned = {});
  void store(mlir::Value value, mlir::Value pointer, const Column &column);
  mlir::Value splat(mlir::Value scalar, const Column &column);
  /// The same value, of which LLVM knows nothing.
  mlir::Value hidden(mlir::Value value);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  mlir::Value mask(const Column &column);
};

/// A product's tile.
class KernelBuilder : protected ColumnCode {
public:
  KernelBuilder(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);

protected:
  /// Creates the kernel's function and continues at the start of its body.
  void beginFunction(mlir::StringRef provider);

  using ColumnCode::type;
  /// Of a column's accumulators.
  mlir::VectorType type(const Column &column) { return ColumnCode::type(column, accumulator); }

  bool hasEpilogue() { return !kernel.hasTrivialEpilogue(); }
  /// The epilogue of one vector; its row is `row` (if given) plus a constant.
  mlir::Value epilogue(mlir::Value sums, mlir::Value row, int64_t constantRow,
                       const Column &column);
  /// `count` values of A along k from `at` on in 32 bits, lowest first, zeros in place of what is
  /// missing.
  mlir::Value groupOfA(mlir::Value at, int64_t count);
  /// How many lines of what will be B soon the kernel asks for in all, if these follow each other.
  int64_t linesToPrefetch();
  /// Asks for `count` lines from the one numbered `first` behind byte `position * scale` on.
  void prefetchLines(mlir::Value position, int64_t scale, int64_t count, int64_t first = 0);
  /// How many rows of what will be B in place soon.
  int64_t rowsToPrefetch();
  /// Asks for row `row * scale + constant` of that, into the second cache: rows in place often lie
  /// in few sets of the first one.
  void prefetchNextRow(mlir::Value row, int64_t scale, int64_t constant);
  /// Asks for B's row `row + constant`, one line in `apart` bytes, into the second cache: the few
  /// lines that the first one can have under way are for what is read now. All lines, with a few
  /// rows of A, for which that is not much, into the first one.
  void prefetchRow(mlir::Value row, int64_t constant, int64_t apart);

  /// Where sums can be left for epilogueOverTile: C, or a tile on the stack if C is of another
  /// type.
  struct Sums {
    mlir::Value pointer;
    int64_t row; ///< elements from one row to the next
  };
  Sums placeForSums();
  int64_t rowOfSums(); ///< Sums::row
  /// A loop that applies the epilogue to sums and stores the results in C.
  void epilogueOverTile(const Sums &sums);

  ukernel::GemmOp kernel;
  mlir::Type element; ///< of A
  mlir::Type bElement, accumulator, result;
  mlir::SmallVector<Column> columns; ///< of accumulators
  int64_t rows;
  mlir::Value a, bPointer, c;
  mlir::Value soon; ///< what will be B soon; null if nothing is asked for
  mlir::Value wide; ///< where widened B is kept; null if it is not
  mlir::Value sums; ///< what the tile starts from; null if that is C or zero
  mlir::SmallVector<mlir::Value> extras;
};

} // namespace kgen
