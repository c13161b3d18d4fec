// A micro-kernel as a test describes it: its descriptor as MLIR, its machine code in this process,
// and operands between guard pages whose results are compared with sums in double precision.
#pragma once

#include <cstdint>
#include <string>

namespace kgen::test {

enum class Epilogue { none, row, column, scalar, full, gelu };

struct KernelCase {
  std::string provider, target;
  std::string element, result; ///< of A and B, of C; sums of i8 are i32
  int64_t m, n, k;
  int64_t batch = 1, vnni = 1, aCol = 1;
  int64_t streams = 0;      ///< b_streams
  bool dotProducts = false; ///< B's columns are rows
  bool padded = false, accumulate = false, strictOrder = false;
  bool aUnsigned = false, bUnsigned = false;
  Epilogue epilogue = Epilogue::none;
  std::string extra = ""; ///< type of the epilogue's operand; empty: the accumulator's
};

/// True if this CPU can run code for the target.
bool canRun(const std::string &target);

/// Makes the kernel and runs it with operands that end, and then begin, at a guard page. Empty if
/// every result is what it must be; else what is wrong.
std::string runKernel(const KernelCase &kernel);

/// The machine code of a kernel as an object; throws what is wrong with it.
std::string kernelObject(const KernelCase &kernel);

} // namespace kgen::test
