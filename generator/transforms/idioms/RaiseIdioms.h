// The idioms that kgen-raise-idioms recognizes, a function and a file each.
#pragma once

#include "dialect/kgen/DecisionLog.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>

namespace kgen {

/// Counts the idioms and near misses, and records them as decisions.
class IdiomLog {
public:
  IdiomLog(DecisionLog &log, mlir::Pass::Statistic &numRaised, mlir::Pass::Statistic &numRefused)
      : log(log), numRaised(numRaised), numRefused(numRefused) {}

  void applied(mlir::Location loc, const llvm::Twine &what) {
    ++numRaised;
    add("applied", loc, "what", what);
  }
  void refused(mlir::Location loc, const llvm::Twine &why) {
    ++numRefused;
    add("refused", loc, "why", why);
  }
  /// Of a node whose numbers are made of integers of few bits, and are read as floats.
  void dequantized(mlir::Location loc, const llvm::Twine &why) {
    add("dequantized", loc, "why", why);
  }

private:
  void add(llvm::StringRef kind, mlir::Location loc, llvm::StringRef key, const llvm::Twine &text) {
    log.add(kind, loc, log.details().set(key, llvm::StringRef(text.str())));
  }

  DecisionLog &log;
  mlir::Pass::Statistic &numRaised, &numRefused;
};

void raiseExtrema(mlir::func::FuncOp func, IdiomLog &log);
void raiseNormalizations(mlir::func::FuncOp func, IdiomLog &log);
void raiseIntegerProducts(mlir::func::FuncOp func, IdiomLog &log);
void raiseHalfRotations(mlir::func::FuncOp func, IdiomLog &log);
void raiseGathers(mlir::func::FuncOp func, IdiomLog &log);
void raisePairRotations(mlir::func::FuncOp func, IdiomLog &log);
void raiseSoftmax(mlir::func::FuncOp func, IdiomLog &log);
void raiseQuantizations(mlir::func::FuncOp func, IdiomLog &log);
void raiseChannelQuantizations(mlir::func::FuncOp func, IdiomLog &log);
void raiseActivations(mlir::func::FuncOp func, IdiomLog &log);
void raiseClamps(mlir::func::FuncOp func, IdiomLog &log);

} // namespace kgen
