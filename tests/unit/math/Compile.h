// Compiles one vector math function for one target and loads it into this process.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kgen::test {

/// Elements that a compiled function works through in one call.
constexpr size_t blockSize = 4096;

/// A function to compile: `operation` is the MLIR name (math.exp), `element` f32 or f64, `shape`
/// the shape of the vector it works on ("16", "2x3x4") or "" for a scalar. The elements of the
/// shape need not divide the block: what remains is left alone.
struct Kernel {
  std::string operation, element, shape, cpu;
  std::string attributes = ""; ///< "{kgen.result_precision = 8}"
  size_t operands = 1;
  /// Of functions of several operands or types: operations that make %y of %x, %x1 and %x2, one a
  /// line. {T} is the type of the elements in the shape, {i32} and the like that of others. Null:
  /// the operation of %x alone.
  std::string body = "";
};

/// Machine code in this process: void (const T *in, T *out), both of blockSize elements; the
/// operands' blocks follow each other.
class Compiled {
public:
  explicit Compiled(const Kernel &kernel);
  ~Compiled();
  template <typename T> void operator()(const T *in, T *out) const {
    reinterpret_cast<void (*)(const T *, T *)>(entry)(in, out);
  }
  /// Returns what of the block is worked through: whole vectors only.
  size_t elementsPerCall() const { return elements; }
  /// Symbols that the object leaves to others.
  const std::vector<std::string> &undefinedSymbols() const { return undefined; }
  const std::vector<char> &object() const { return bytes; }

private:
  struct Code;
  std::unique_ptr<Code> code;
  std::vector<char> bytes;
  std::vector<std::string> undefined;
  void *entry = nullptr;
  size_t elements = 0;
};

/// True if the target has fused multiply-adds.
bool hasFma(const std::string &cpu);

/// The names of the targets, oldest first, that this CPU can run.
std::vector<std::string> runnableTargets();

} // namespace kgen::test
