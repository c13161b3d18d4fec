// The message of kgen when it crashes, and the file from which the crash can be repeated.
#pragma once

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

#include <llvm/ADT/StringRef.h>

#include <memory>
#include <string>

namespace kgen {

/// Advice in messages about errors that no spec has caused.
constexpr const char *defectAdvice =
    "this is a defect of kgen: please report it with the file that --report FILE writes";

/// From now on a crash on any thread (a signal, LLVM's fatal errors) says what the thread worked on
/// and ends the process with `exitCode`. `advice`: how to report it. Threads that are to say so
/// when their stack is full need a CrashStack, the caller's has one.
void handleCrashes(const char *program, int exitCode, const char *advice);

/// Sets the sentence about what a crash leaves as it was ("The output folder is as it was."), from
/// now on; null: none.
void setCrashPromise(const char *text);

/// An alternate stack for the signals of a thread, whose own one may be full.
class CrashStack {
public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack &) = delete;

private:
  std::unique_ptr<char[]> memory;
};

/// Gives the calling thread its CrashStack, once.
void ensureCrashStack();

/// Sets the file to which a crash or a defect writes a reproducer (--report); empty: none.
void setReportFile(const std::string &path);
bool isReportWanted();

/// The code before a pass of a module, and the pass, repeat what happens from now on on this
/// thread. Does nothing unless a report is wanted.
void keepReproducer(mlir::Operation *module, mlir::Pass &pass);
/// Keeps a module in the LLVM dialect as the reproducer, for LLVM's code generator.
void keepReproducer(mlir::ModuleOp module, const std::string &triple, const std::string &features);
/// Keeps a text as the reproducer, for work that precedes any code: it says what the work is.
void keepText(const std::string &text);

/// Writes the file of --report, if one is wanted and none was written yet: a defect that is no
/// crash.
void reportDefect(const std::string &what);

} // namespace kgen
