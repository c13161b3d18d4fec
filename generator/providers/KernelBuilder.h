// Builders that providers share: a micro-kernel's function with its ABI, vectors of the register
// tile's columns, addresses, and the epilogue as vector code.
#pragma once

#include "providers/Provider.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include <map>
#include <tuple>

namespace kgen {

/// A vector of columns of the register tile; `lanes` of its `width` lanes are in the tile.
struct Column {
  int64_t start, width, lanes;
  bool isFull() const { return lanes == width; }
};

/// The columns of a tile with `n` columns, in vectors of `lanes`.
mlir::SmallVector<Column> columnsOf(int64_t n, int64_t lanes);

/// Builds code on vectors of columns, for every kind of micro-kernel.
class ColumnCode {
public:
  ColumnCode(mlir::Operation *kernel, mlir::OpBuilder &builder);

protected:
  /// Creates a function with `count` pointers as arguments and sets the insertion point to its
  /// body.
  mlir::func::FuncOp beginFunction(mlir::StringRef name, mlir::StringRef provider, unsigned count);

  /// An operand of scalar code, with an element for each row and column of the tile.
  struct Input {
    mlir::Value pointer;
    int64_t rowStride, colStride; ///< colStride is 1, or 0 if all columns have one value
  };
  /// Builds the scalar code `body` for one vector, and returns its result, or what takes the place
  /// of `wanted`. Its first arguments are `first`, the others are read from `inputs`, in row `row`
  /// (if not null) plus a constant.
  mlir::Value apply(mlir::Block &body, mlir::ValueRange first, mlir::ArrayRef<Input> inputs,
                    mlir::Value row, int64_t constantRow, const Column &column,
                    mlir::Value wanted = {});

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
  /// Loads elements of `type` with the alignment of `aligned`. With `padded`, all lanes may be
  /// read; else only those in the tile are.
  mlir::Value load(mlir::Type type, mlir::Value pointer, const Column &column, bool padded = false,
                   mlir::Type aligned = {});
  void store(mlir::Value value, mlir::Value pointer, const Column &column);
  mlir::Value splat(mlir::Value scalar, const Column &column);
  /// Returns the value as one that is opaque to LLVM's optimizer (empty inline assembly); a vector
  /// as it is where the architecture has no constraint for vectors.
  mlir::Value hidden(mlir::Value value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type indexType; ///< an integer as wide as an address

private:
  mlir::Value mask(const Column &column);
  /// pointer + dynamic * scale. Where constants are part of loads (WebAssembly), LLVM's strength
  /// reduction must not take it apart again: it is opaque then, and one value in a block.
  mlir::Value moved(mlir::Type type, mlir::Value pointer, mlir::Value dynamic, int64_t scale);

  std::map<std::tuple<void *, void *, const void *, int64_t, void *>, mlir::Value>
      opaque; ///< by arguments of `moved`, and block

  std::string vectorConstraint; ///< of Architecture
};

/// Builds a GEMM micro-kernel.
class KernelBuilder : protected ColumnCode {
public:
  KernelBuilder(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);

protected:
  /// Creates the kernel's function and sets the insertion point to its body.
  void beginFunction(mlir::StringRef provider);

  using ColumnCode::type;
  /// The type of accumulators of a vector of columns.
  mlir::VectorType type(const Column &column) { return ColumnCode::type(column, accumulator); }

  bool hasEpilogue() { return !kernel.hasTrivialEpilogue(); }
  /// Builds the epilogue of one vector, in row `row` (if not null) plus a constant, and returns its
  /// result, or what takes the place of `wanted`.
  mlir::Value epilogue(mlir::Value sums, mlir::Value row, int64_t constantRow, const Column &column,
                       mlir::Value wanted = {});
  /// `count` values of A along k from address `at` on as an i32, the first one in the lowest bits;
  /// missing ones are zero.
  mlir::Value groupOfA(mlir::Value at, int64_t count);
  /// Lines that the kernel prefetches in all, or at most, if they are contiguous; 0 for rows of a B
  /// in place.
  int64_t linesToPrefetch();
  /// Prefetches lines `first` to `first + count` from byte `position * scale` of the prefetch
  /// target; of the part that is prefetched, where the same part of it begins. So lines are as far
  /// from each other in time whatever their number.
  void prefetchLines(mlir::Value position, int64_t scale, int64_t count, int64_t first = 0);
  /// Rows of a B in place that the kernel prefetches; else 0.
  int64_t rowsToPrefetch();
  /// Prefetches row `row * scale + constant` of these into L2: in L1, rows of an unpacked B
  /// often cause conflict misses.
  void prefetchNextRow(mlir::Value row, int64_t scale, int64_t constant);
  /// Prefetches row `row + constant` of B, one line in `interval` bytes, into L2: the line-fill
  /// buffers of L1 are for what is read now. All lines of kernels with few rows of A go into L1.
  void prefetchRow(mlir::Value row, int64_t constant, int64_t interval);

  /// Memory for the sums that epilogueOverTile reads: C, or a tile on the stack if C has another
  /// type.
  struct Sums {
    mlir::Value pointer;
    int64_t row; ///< stride of rows in elements
  };
  Sums memoryForSums();
  int64_t strideOfSums(); ///< Sums::row
  /// Builds a loop that applies the epilogue to `sums` and stores the results in C.
  void epilogueOverTile(const Sums &sums);

  ukernel::GemmOp kernel;
  mlir::Type element; ///< of A
  mlir::Type bElement, accumulator, result;
  mlir::SmallVector<Column> columns; ///< of accumulators
  int64_t rows;
  const Cpu &cpu; ///< that the kernel runs on
  mlir::Value a, bPointer, c;
  mlir::Value prefetchPointer; ///< the prefetch target; null if there is none
  /// The part of linesToPrefetch() that is prefetched, in units of 1 / wholePrefetch; null for all.
  mlir::Value prefetchedPart;
  mlir::Value upconvertedB; ///< receives up-converted B; null if it is not stored
  mlir::Value sums;         ///< initial sums in memory; null for C or zero
  mlir::SmallVector<mlir::Value> epilogueIns;
};

} // namespace kgen
