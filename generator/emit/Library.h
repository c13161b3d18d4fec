// The generated library's folder: header, dispatcher, manifest, CMakeLists.txt. Pure functions from
// a description to text; emit/Folder.h writes the result.
#pragma once

#include "emit/FileContents.h"
#include "emit/GpuInterface.h"
#include "support/ElementTerm.h"
#include "support/TensorType.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kgen {

struct TensorInterface {
  std::string name;
  TensorType type;
  std::string original{}; ///< in the model that the graph comes from, if it is another name
  std::vector<std::string> dimNames{}; ///< of its dimensions, "" for none; all may be missing
  std::string state{}; ///< of the library, which the code reads or writes as this tensor

  std::string typeText() const { return type.str(dimNames); } ///< "f32[batch=64, 1024]"
};

/// Rows that a call writes into a state from positions on, all of which the state must have.
struct RoomInterface {
  std::vector<ElementLoop> loops; ///< of the positions
  ElementTermPtr position;        ///< of the inputs of the code
  Dim rows, capacity;
  bool countsFromEnd; ///< what is negative
};

/// A size for each of some dimensions, by name.
using SizeValues = std::map<std::string, int64_t>;

struct GraphInterface {
  std::string name;
  std::vector<TensorInterface> inputs, outputs; ///< declared order
  std::vector<std::string> numerics; ///< lines of the numerics contract for the header's comment
  /// By target name, without alignment slack: exact, and for a function that is given sizes what is
  /// enough for all of them.
  std::map<std::string, int64_t> workspaceBytes;
  /// Of a graph from a model: the names of all inputs there, those included that the function does
  /// not take.
  std::vector<std::string> modelInputs{};
  /// Functions from outside of the library that it calls: its code returns an int then, 0 or what
  /// the first of them that failed has returned.
  std::vector<std::string> calls{};
  /// Sizes that the function is given, in order; types depend on them.
  std::vector<DimSymbol> dims{};
  /// By target name, of a function that is given sizes: the greatest of these is exact.
  std::map<std::string, std::vector<Dim>> workspaceSizes{};
  /// Of a version: the sizes that are numbers in its code, which are not among its `dims`.
  SizeValues sizes{};
  /// Code for some sizes of `dims`, which the function calls for these.
  std::vector<GraphInterface> versions{};
  /// Compared before the code runs.
  std::vector<RoomInterface> rooms{};
};

/// A tensor in the caller's block of state.
struct StateInterface {
  std::string name;
  TensorType type;
  std::vector<unsigned char> init{}; ///< before the first call: each element, or all; empty: zeros
  int64_t offset = 0;                ///< in the block, a multiple of its alignment
  bool isWrittenFirst = false;       ///< calls read it only where calls have written it
};

/// A function that graphs call and that whoever links the library defines.
struct ExternInterface {
  std::string symbol;
  std::vector<TensorInterface> inputs, outputs;
  int64_t workspaceBytes = 0; ///< 0: none
};

struct VariantInterface {
  std::string target; ///< "x86-64-v4"
  int64_t rank = 0;
  std::vector<std::string> requiredFeatures;
  /// The variant keeps its rank on CPUs of this vendor, these families and these models only; what
  /// is empty stands for all of them.
  std::string vendor;
  std::vector<int64_t> families, models;
};

enum class ObjectKind { object, assembly };

/// A file that was read.
struct InputHash {
  std::string path;   ///< from the folder of the spec; of a file elsewhere its name only
  std::string sha256; ///< of its contents, in hex
};

/// One of several architectures of a library, or one of several systems, whose part of the folder
/// is a folder of its own.
struct ArchitectureInterface {
  std::string folder;               ///< "x86_64", or "x86_64-windows"
  std::string architecture;         ///< "x86_64"
  std::string macro;                ///< that C compilers define for the architecture
  std::string condition{};          ///< of C's preprocessor; "": the macro is defined
  std::vector<std::string> targets; ///< of `variants`, the best first
  bool isForWindows = false;
};

struct LibraryInterface {
  std::string name;
  std::string
      specHash; ///< sha256 over the parsed spec, weights, targets and kgen's version, in hex
  std::vector<GraphInterface> graphs;
  std::vector<VariantInterface> variants; ///< any order; emitted by descending rank
  ObjectKind objectKind = ObjectKind::object;
  std::string provider = "auto";          ///< of micro-kernels
  bool reference = false;                 ///< made by the reference pipeline
  bool python = false;                    ///< with a Python module, <name>.py
  std::vector<InputHash> inputs{};        ///< the spec or model, and what it names
  std::vector<ExternInterface> externs{}; ///< in the order of their first calls
  /// Of a variant's target: the dispatcher asks its architecture which CPU runs.
  std::string triple{};
  int64_t stackBytes = 0; ///< of the deepest frames of a call or task; 0: no code
  std::vector<ArchitectureInterface> architectures{}; ///< empty: there is one
  std::vector<StateInterface> states{};               ///< in the order of their offsets
  /// Code for graphics cards, of all graphs: the first that a machine has is taken.
  std::vector<GpuTargetInterface> gpus{};
  /// Functions of nodes that the CPU computes for graphics cards: no header declares them.
  std::vector<GraphInterface> cpuFunctions{};
};

/// Bytes of stack that a thread needs for a call or for a task: those of the code, and of functions
/// in C around it.
int64_t callerStackBytes(const LibraryInterface &library);

/// True if a function is given sizes: a status, tables and functions of the introspection say so.
bool takesSizes(const LibraryInterface &library);
/// True if a function has code of its own for some sizes: the introspection says so.
bool hasVersions(const LibraryInterface &library);

/// True if a tensor has another name in the model that it comes from: tables say it then.
bool hasOriginalNames(const LibraryInterface &library);

/// Relative path -> contents.
using FileSet = std::map<std::string, FileContents>;

/// The symbol of a graph's code for a target, for example "mlp_forward_kernel_x86_64_v4". Hidden;
/// its C type is void, or int where it calls extern functions, (size_t size..., const T *input...,
/// T *output..., unsigned char *workspace, const void *executor), workspace aligned to 64 bytes
/// (NULL if 0 bytes), executor NULL or a <library>_executor.
std::string kernelSymbol(const std::string &library, const std::string &graph,
                         const std::string &target, const SizeValues &sizes = {});

/// "forward"; of a version "forward.batch-8".
std::string partName(const std::string &graph, const SizeValues &sizes);
/// "objects/forward.x86-64-v4.o" (or .s) for a part's name.
std::string objectPath(const std::string &part, const std::string &target, ObjectKind kind);

/// Bytes of workspace the caller must give for `exact` bytes at any alignment (slack for 64-byte
/// alignment included).
int64_t callerWorkspaceBytes(int64_t exact);

/// Pairs of things that would get the same name in C ("graph 'init' and kgen's own mlp_init ..."),
/// one line each; such a library must not be emitted.
std::vector<std::string> nameCollisions(const LibraryInterface &library);

/// The largest of what callers give the graph's function in all variants.
int64_t largestWorkspaceBytes(const GraphInterface &graph);

std::string emitHeader(const LibraryInterface &library);
/// A C file that defines all extern functions, to begin from: they fail as they are.
std::string emitStubs(const LibraryInterface &library);
std::string emitDispatcher(const LibraryInterface &library);
/// The functions that a DLL exports, as linkers of Windows read it.
std::string emitExports(const LibraryInterface &library);
/// The header and the C file above the folders of several architectures: the compiler chooses.
std::string emitChoosingHeader(const LibraryInterface &library);
std::string emitChoosingSource(const LibraryInterface &library);
/// Like these, of the part for graphics cards; the ending is "_gpu.h" or "_gpu.c".
std::string emitChoosingGpu(const LibraryInterface &library, const std::string &ending);
/// Returns the error where the compiler compiles for none of its architectures.
std::string otherArchitectureError(const LibraryInterface &library);
/// "defined(__x86_64__)": the condition of C's preprocessor for an architecture.
std::string conditionOf(const ArchitectureInterface &one);
std::string emitConsumerCMake(const LibraryInterface &library, const FileSet &objects);
std::string emitPkgConfigTemplate(const LibraryInterface &library);
/// A module that calls the library on numpy arrays.
std::string emitPythonModule(const LibraryInterface &library);
/// Returns why a module cannot have the library's name; "" if it can.
std::string pythonNameProblem(const std::string &name);
/// Returns why a module cannot call the graph's function; "" if it can.
std::string pythonSizeProblem(const LibraryInterface &library, const GraphInterface &graph);
/// Returns why a method cannot take the graph's inputs beside its state; "" if it can.
std::string pythonStateProblem(const GraphInterface &graph);
/// sizes and sha256 of every file in `files`, spec hash, tool and LLVM versions; deterministic
/// JSON.
std::string emitManifest(const LibraryInterface &library, const FileSet &files);

/// Everything: `objects` (objects/... -> bytes) plus the files above. Of a library of several
/// architectures, `objects` are their folders' files, "x86_64/objects/..." and so on.
FileSet emitLibrary(const LibraryInterface &library, const FileSet &objects);

} // namespace kgen
