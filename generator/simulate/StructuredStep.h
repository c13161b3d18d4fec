// Operations of linalg as loops over elements.
#pragma once

#include "simulate/MultiplyAdd.h"
#include "simulate/Steps.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// A body that adds a product to its result, and the two factors in it.
struct ProductBody {
  int a = 0, b = 0; ///< numbers of the operands
  FactorForm formOfA, formOfB;
};
std::optional<ProductBody> productBodyOf(mlir::linalg::LinalgOp op);

/// A fill, a copy, or work of a core.
class StructuredStep : public Step {
public:
  /// Null if the operation cannot be simulated; reported.
  static std::unique_ptr<StructuredStep> make(mlir::linalg::LinalgOp op, StepBuilder &builder);
  void run(Execution &execution) const override;

private:
  using Strides = llvm::SmallVector<int64_t, 6>; ///< by loop

  struct Operand {
    int view = -1, scalar = -1; ///< one of them
    bool isOutput = false, isRead = false;
    /// The subscript of dimension d is the sum of `factors[d][loop]` times the loop's variable,
    /// and a constant.
    std::vector<Strides> factors;
    std::vector<int64_t> constants;
  };
  struct LoopSize { ///< a loop is as long as a dimension of an operand
    int operand = -1, dimension = 0;
  };
  /// The operands of a run: where they begin, and how far apart iterations of each loop are.
  struct Placed {
    llvm::SmallVector<int64_t, 4> offsets;
    llvm::SmallVector<Strides, 4> strides;
    Strides sizes; ///< of the loops
  };

  bool addOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand, StepBuilder &builder);
  bool findLoopSizes(mlir::linalg::LinalgOp op, StepBuilder &builder);
  bool compileBody(mlir::linalg::LinalgOp op, StepBuilder &builder);
  /// Of a sum of products, as in BoundedProducts. The bound holds where each loop but those within
  /// a window is in two of the three operands.
  int64_t windowsOf(mlir::linalg::LinalgOp op, bool isTile) const;
  void account(Execution &execution, int64_t points) const;
  Placed place(const Execution &execution, Strides sizes) const;
  bool isInside(Execution &execution, const Placed &placed) const;
  llvm::SmallVector<int, 6> loopOrder(const Placed &placed) const;
  void multiplyAdd(const Execution &execution, Placed placed) const;
  void compute(const Execution &execution, Placed placed) const;
  void computeRow(const Execution &execution, const Placed &row, llvm::ArrayRef<int64_t> at,
                  llvm::ArrayRef<int> order, std::vector<Lane> &registers) const;

  enum class Kind { fill, copy, work };
  Kind kind = Kind::work;
  WorkKind work = WorkKind::other;
  int64_t windows = 0; ///< as in BoundedProducts; 0: no bound is known
  int site = 0;
  std::vector<Operand> operands;
  std::vector<LoopSize> loops;
  int copied = 0; ///< operand of a copy, or of a fill
  std::optional<ScalarProgram> program;
  std::vector<int> outerScalars; ///< of the program, in the order of its numbers
  Number speedType = Number::i8;
  MultiplyAdd fast = nullptr; ///< null: by the program
  ProductBody product;
};

} // namespace kgen
