// A family of CPUs as kgen knows it without IR: the triples it takes, the names of features and
// what they stand for, what a target may say, and how a program finds out what its CPU has. The
// other half of a back end, which makes code, is backend/Backend.h.
#pragma once

#include "target/Cpu.h"
#include "target/System.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class Triple;
}

namespace kgen {

class HostCpu;           // target/HostCpu.h
struct VariantInterface; // emit/Library.h

/// The statements of a target file that its architecture checks.
struct TargetDescription {
  const Cpu &cpu; ///< vectors and gemm_tiles; nothing else is known yet
  /// Names that the file's list has; nothing if one of them is wrong.
  std::optional<std::vector<std::string>> features;
  std::optional<std::string> tune;
  bool hasOnlyOn = false; ///< the file says which CPUs it is for
};

/// A mistake in a target, and the key of its file that has it.
struct TargetProblem {
  enum class Key { tune, feature, vectorBits, vectorRegisters, gemmTiles, onlyOn };
  Key key;
  std::string name; ///< of the feature, or of the kind of tiles; else empty
  std::string message, hint;
};

/// Products of a library for which CPUs may have instructions of their own: the name of a node with
/// such products, or "".
struct ProductTypes {
  std::string bytes, bf16;
};

/// A target of a library that names none.
struct DefaultTarget {
  std::string name;
  std::string reason; ///< "products of bytes, as in 'conv1'"; "": every library has it
};

class Architecture {
public:
  virtual ~Architecture() = default;
  virtual llvm::StringRef name() const = 0; ///< that of its folder: "x86"

  /// A triple that it takes, as messages recommend it.
  virtual llvm::StringRef triple() const = 0;
  virtual bool takes(const llvm::Triple &triple) const = 0;
  /// The triple of its code on a system; "": kgen makes none there. An architecture whose `triple`
  /// has no system is not asked.
  virtual llvm::StringRef tripleOn(System system) const {
    return systemOf(triple()) == system ? triple() : "";
  }
  /// The macro that C compilers define for it, and for no other architecture; "": there is none, so
  /// no library has its targets besides those of another one.
  virtual llvm::StringRef compilerMacro() const { return ""; }
  /// Microsoft's compiler has another one; "": it does not compile for it.
  virtual llvm::StringRef msvcMacro() const { return ""; }

  /// Names of CPU features that a target may require, in LLVM's spelling, and where they are
  /// listed.
  virtual std::vector<std::string> featureNames() const = 0;
  virtual llvm::StringRef featureTable() const = 0;
  /// Kinds of `gemm_tiles` that stand for instructions of its own.
  virtual std::vector<std::string> ownTiles() const { return {}; }
  /// The constraint for vector registers in LLVM's inline assembly; "": kernels hide no vectors
  /// from LLVM's optimizer.
  virtual llvm::StringRef vectorConstraint() const { return ""; }
  /// Returns what code may do that has these features and vectors of `vectorBits`.
  virtual Capabilities capabilities(const std::set<std::string> &features,
                                    int64_t vectorBits) const = 0;
  /// Features of a CPU by its name in LLVM or elsewhere; empty if nobody knows it.
  virtual std::vector<std::string> featuresOfCpu(const std::string &name) const = 0;

  /// The built-in targets of a library with such products that names none, by ascending rank.
  virtual std::vector<DefaultTarget> defaultTargets(const ProductTypes &products) const = 0;

  /// Contradictions between the keys of a target file, in the order of its keys.
  virtual std::vector<TargetProblem> check(const TargetDescription &target) const = 0;

  /// The part of a dispatcher in C that knows CPUs: kgenrt_features, which the variants require,
  /// kgenrt_variants in the given order, and kgenrt_detect_host(), which finds out what the machine
  /// has.
  virtual std::string emitCpuChecks(llvm::ArrayRef<VariantInterface> variants) const = 0;

  /// False where a program cannot find out what its CPU has: a library has one variant then, which
  /// nothing chooses, and reads no environment.
  virtual bool choosesVariants() const { return true; }
  /// Lines for the CMake project of a library that needs so many bytes of stack, after its target.
  virtual std::string consumerCMake(const std::string &library, int64_t stackBytes) const {
    return "";
  }

  /// Options of a C compiler that links a program with threads and a library that needs so many
  /// bytes of stack.
  virtual std::vector<std::string> programOptions(int64_t stackBytes) const { return {"-pthread"}; }

  /// Returns what this process can do and measure; null if kgen does not run on such a CPU.
  virtual const HostCpu *host() const = 0;
};

/// All of them in this program, in the order of backend/CMakeLists.txt.
llvm::ArrayRef<const Architecture *> architectures();

/// The one that takes a triple; null if none does.
const Architecture *architectureOf(llvm::StringRef triple);

/// "x86_64" of "x86_64-unknown-linux-gnu": what users call the architecture of a triple.
std::string architectureName(llvm::StringRef triple);
/// The one that users call so; null if none is.
const Architecture *architectureNamed(llvm::StringRef name);
/// The names of all of them.
std::vector<std::string> architectureNames();

/// The triple of the architecture that kgen runs on.
llvm::StringRef hostTriple();

/// "x86_64-unknown-linux-gnu", and so on: triples that messages recommend.
std::string knownTriples();

} // namespace kgen
