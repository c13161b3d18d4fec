// Scalar operations as a flat program, compiled once and run on many lanes at a time.
#pragma once

#include "simulate/Numbers.h"

#include <mlir/IR/Block.h>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// The number that a scalar is stored as; indices are i64. Nothing for other types.
std::optional<Number> numberOf(mlir::Type type);

struct LaneInstruction;
/// Computes `count` lanes of the result from those of up to three operands.
using LaneFunction = void (*)(const LaneInstruction &instruction, const Lane *const *operands,
                              Lane *result, int count);

struct LaneInstruction {
  LaneFunction apply = nullptr;
  Number type = Number::i64, from = Number::i64; ///< of the result; of the first operand
  int predicate = 0;                             ///< of a comparison
  union {                                        ///< of one lane, where `apply` is a loop around it
    int64_t (*integerFunction)(int64_t, int64_t);
    uint64_t (*unsignedFunction)(uint64_t, uint64_t);
    double (*floatFunction)(double, double);
    double (*unaryFloatFunction)(double);
  };
  int result = 0;
  llvm::SmallVector<int, 3> operands; ///< registers

  LaneInstruction() : integerFunction(nullptr) {}
  /// `registers` has `width` lanes for each register.
  void run(Lane *registers, int width, int count) const;
};

/// An operation of arith or math on scalars, without its registers. Nothing if it is not known.
std::optional<LaneInstruction> instructionOf(mlir::Operation *op);
/// The value of an arith.constant; nothing if it is no scalar.
std::optional<Lane> laneOfConstant(mlir::Operation *op);

constexpr int maxLanes = 128; ///< of a program's registers: they stay in the L1 cache

/// The body of a linalg operation.
class ScalarProgram {
public:
  /// `outerScalar` gives the number of a scalar from outside of the body. Reports what it cannot
  /// compile to `onError`.
  static std::optional<ScalarProgram>
  compile(mlir::Block &body, const std::function<int(mlir::Value)> &outerScalar,
          const std::function<void(mlir::Operation *, const std::string &)> &onError);

  /// Registers of `maxLanes` lanes each, those of the body's arguments first.
  std::vector<Lane> makeRegisters(llvm::ArrayRef<Lane> outerScalars) const;
  void run(Lane *registers, int count) const {
    for (const LaneInstruction &instruction : instructions)
      instruction.run(registers, maxLanes, count);
  }
  /// The register of what the body yields, in order.
  llvm::ArrayRef<int> results() const { return yielded; }

  struct LoopIndex { ///< a linalg.index
    int dimension, target;
  };
  llvm::ArrayRef<LoopIndex> loopIndices() const { return indices; }

private:
  struct Constant {
    int target;
    Lane value;
  };
  struct Captured {
    int target, scalar;
  };
  int registerCount = 0;
  std::vector<LaneInstruction> instructions;
  std::vector<Constant> constants;
  std::vector<Captured> captured;
  std::vector<LoopIndex> indices;
  std::vector<int> yielded;
};

} // namespace kgen
