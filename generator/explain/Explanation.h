// The fate of every node of a graph on one target, as plain data. Renderers know nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// Tiles of a contraction, in elements.
struct ExplainedTiling {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  int64_t tileRows = 0, tileColumns = 0; ///< of C: what a micro-kernel computes, most often
  int64_t rowBlock = 0, depthBlock = 0;  ///< cache blocks of rows and of k
  int64_t panel = 0;                     ///< width of a packed panel of B; 0: read in place
  int64_t tasks = 1;                     ///< each of these sizes
};

/// Offer of a strategy of the vectorizer for an operation.
struct ExplainedStrategy {
  std::string name, refusal;
  std::optional<double> cost; ///< estimated cycles for an element
};

/// Loops over vectors that an operation became, or the reason why it did not.
struct ExplainedLoops {
  std::string form; ///< "elementwise", "reduction", "copy" or "fill"
  std::vector<int64_t> sizes;
  int64_t dimension = -1, lanes = 1; ///< the vectorized dimension; -1: none
  int64_t gathered = 0;              ///< operands read element by element
  int64_t bytes = 0;                 ///< of the result
  bool scalar = false;               ///< left to scalar loops
  std::string strategy{};            ///< the one that was taken
  std::vector<ExplainedStrategy> offers{};
  std::string stores{}; ///< where results go, and by which stores: "memory|along_rows"
};

/// A tile that a product on a graphics card might have: sums and terms of a block, then the sums of
/// a thread.
struct ExplainedGpuTile {
  std::vector<int64_t> sizes;   ///< rows, columns and terms; rows and columns of a thread
  std::optional<double> cycles; ///< nothing: it was refused
  std::string limit, refusal;   ///< what takes so many cycles; why it was refused
};

/// A kernel on a grid of blocks of threads: a step on a graphics card.
struct ExplainedGpuLaunch {
  std::string kernel;
  std::string form; ///< "product", "rows", "points", "transposition", "sequence" or "copy"
  std::array<int64_t, 3> blocks{1, 1, 1}, threads{1, 1, 1};
  int64_t sharedBytes = 0;
  int64_t registers = 0;        ///< of a thread; 0: not known
  std::string registersBy{};    ///< "ptxas", or "estimate" of the cost model; empty: not known
  int64_t spilledBytes = 0;     ///< of a thread, where ptxas says so
  int64_t blocksOfCore = 0;     ///< that run at a time
  double occupancy = 0;         ///< the share of a core's threads that they are
  std::string occupancyLimit{}; ///< "threads", "blocks", "shared memory" or "registers"
  int64_t readBytes = 0, writtenBytes = 0; ///< between memory and cores
  int64_t leastBytes = 0;                  ///< of its tensors, each once
  int64_t flops = 0;
  double cycles = 0;              ///< estimated
  std::string limit{};            ///< "arithmetic", "shared memory" or "memory"
  std::vector<int64_t> product{}; ///< batches, rows, columns and terms; empty: none
  /// Of a product: the one that was taken. Of a transposition: its elements that are one after
  /// another in the sources, and in the results.
  std::vector<int64_t> tile{};
  std::vector<ExplainedGpuTile> offers{}; ///< of a product: all of them

  int64_t threadsOfBlock() const { return threads[0] * threads[1] * threads[2]; }
  int64_t blockCount() const { return blocks[0] * blocks[1] * blocks[2]; }
  int64_t movedBytes() const { return readBytes + writtenBytes; }
};

/// Of a graph on a graphics card.
struct ExplainedCard {
  size_t kernels = 0;      ///< different ones
  int64_t weightBytes = 0; ///< in the card's memory
};

enum class StepKind { contraction, loops, copy, call, other };

/// An operation of the compiled graph; steps are in the order in which they run.
struct ExplainedStep {
  StepKind kind = StepKind::other;
  std::vector<std::string> nodes; ///< whose work it is, in the order of the graph
  std::string purpose;            ///< "pack", "up-convert", or empty: the nodes' own work
  std::string operation;          ///< in the IR when buffers were planned
  int64_t flops = 0;              ///< of its contractions in one run of the graph
  std::optional<ExplainedTiling> tiling;
  std::optional<ExplainedLoops> loops;
  std::string callee{}; ///< of a call: the function from outside of the library
  std::optional<ExplainedGpuLaunch> gpu{};
};

enum class NodeFate {
  contraction, ///< its contraction is the core of a step
  epilogue,    ///< computed on the registers of a contraction
  fused,       ///< one loop nest with other nodes
  loops,       ///< loops of its own
  copy,        ///< nothing but a copy is left
  call,        ///< a call of a function from outside of the library
  folded,      ///< no operation is left: part of others, or of constants
  view         ///< no code: another view of the same memory
};

struct ExplainedNode {
  std::string name, op, type;
  std::vector<std::string> inputs; ///< names of nodes, graph inputs and weights
  NodeFate fate = NodeFate::view;
  std::string into;                  ///< the node whose contraction has it as epilogue
  std::vector<std::string> passes{}; ///< that decided the fate; none recorded: empty
  size_t group = 0;                  ///< nodes that share steps share a group
  std::vector<size_t> steps;         ///< its own work
  std::string method{};              ///< of a contraction: the algorithm, if there was a choice
};

struct ExplainedOperandB {
  std::vector<std::string> nodes; ///< that the contraction computes
  std::string operand;            ///< name of B: a weight, a graph input or a node
  std::string when;               ///< "build", "run" or "never" packed
  std::string why;
  int64_t panel = 0, bytes = 0; ///< bytes as the contraction reads it, padding included
};

struct ExplainedOffer {
  std::string provider, refusal;
  std::optional<double> cost; ///< estimated cycles of a call
};

struct ExplainedKernel {
  std::string symbol, provider;
  int64_t m = 0, n = 0, k = 0, epilogueOperations = 0;
  bool accumulates = false;
  std::vector<ExplainedOffer> offers;
  std::map<size_t, int64_t> calls; ///< by step, in one run of the graph
};

/// A launch of tasks, which an executor distributes over threads.
struct ExplainedLaunch {
  std::vector<std::string> nodes; ///< whose work it is
  std::vector<size_t> steps;      ///< that the tasks divide among them
  std::vector<int64_t> grid;      ///< tasks in each dimension
  int64_t tasks = 0;
};

/// The code between two readings of the clock, in code that is compiled to measure its steps.
struct ExplainedTimer {
  std::vector<std::string> nodes; ///< whose work it is
  std::vector<size_t> steps;      ///< empty: code outside of steps, such as copies
};

/// Remark of a pass about a group of nodes: what it did, or why it left them as they were though
/// they nearly matched.
struct ExplainedRemark {
  std::string pass;
  std::vector<std::string> nodes;
  bool isRefusal = false;
  std::string text;

  bool operator==(const ExplainedRemark &other) const {
    return pass == other.pass && nodes == other.nodes && text == other.text;
  }
};

/// A node that makes floats of integers of few bits, and why they are not multiplied as integers.
struct ExplainedFloats {
  std::string node, place, why;
};

/// A schedule of the spec that was looked at for a node.
struct ExplainedSchedule {
  std::string node, schedule;
  std::string part;    ///< that the script is for, of a result that is split; empty: all of it
  std::string refusal; ///< why it is not the node's; empty: it is
  std::string script;  ///< the transform script that it became
};

/// Tiles of an operation, or another decision on it, as a schedule would say it.
struct ExplainedTiles {
  std::vector<std::string> nodes;       ///< a schedule for one of them means this operation
  std::string key;                      ///< "tasks", "caches", "unroll" or "layout"
  std::map<std::string, int64_t> sizes; ///< by loop; loops without one stay whole
  std::string choice;                   ///< of the last two: "4", "{rhs: packed}"
};

/// Tiles that others were preferred to.
struct ExplainedRejectedTiles {
  ExplainedTiles tiles;
  std::string why;
};

/// A copy of a schedule that need not be made.
struct ExplainedWaste {
  std::vector<std::string> nodes;
  std::string text;
};

struct ExplainedBuffer {
  std::vector<size_t> writers;     ///< steps that write to it
  std::vector<std::string> values; ///< its contents over time: the last node of each writer
  int64_t offset = 0, bytes = 0;
  size_t firstStep = 0, lastStep = 0; ///< of its life
  std::string type{};                 ///< "f32[64, 32]"
};

struct ExplainedCopy {
  std::vector<std::string> nodes;
  std::string from, into, why;
  int64_t bytes = 0;
};

/// A value that a pass prepares once more, for another node.
struct ExplainedRepeat {
  std::vector<std::string> nodes, first; ///< for which it is prepared; for which it was before
  std::string operand;                   ///< name of the value: a graph input or a node
  std::string what;                      ///< "packed"
  bool isSame = false;                   ///< in the same form
  int64_t bytes = 0;
};

enum class WeightStorage {
  shared, ///< an object of its own, which the variants share
  object, ///< .rodata of the graph's object
  none    ///< no bytes are left
};

/// A constant of the code with bytes of weights, or a weight without bytes.
struct ExplainedWeight {
  std::string symbol;             ///< empty: no bytes are left
  std::vector<std::string> names; ///< of the weights
  int64_t bytes = 0;
  bool packed = false; ///< into panels of a contraction
  WeightStorage storage = WeightStorage::shared;
  /// Of a weight without bytes: the nodes that it was folded into; empty: it was folded into other
  /// weights before the graph was compiled.
  std::vector<std::string> into{};
  bool transformed = false; ///< a node computed the bytes from those of the weights
};

/// A budget of the spec, and how much of it is taken.
struct ExplainedBudget {
  std::string graph; ///< that it is of; empty: the library
  std::string kind;  ///< "workspace", "text", "weights" or "stack"
  int64_t used = 0, limit = 0;
  std::vector<std::pair<std::string, int64_t>> largest; ///< what takes most, in bytes
};

struct Explanation {
  std::string graph, target;
  std::vector<std::string> inputs, outputs;
  std::vector<ExplainedNode> nodes; ///< in the order of the graph
  std::vector<ExplainedStep> steps;
  std::vector<ExplainedOperandB> operands;
  std::vector<ExplainedKernel> kernels;
  std::vector<ExplainedLaunch> launches;
  std::vector<ExplainedRemark> remarks; ///< in the order of the passes
  std::vector<ExplainedFloats> floats{};
  std::vector<ExplainedSchedule> schedules{};
  std::vector<ExplainedTiles> tiles{};
  std::vector<ExplainedRejectedTiles> rejectedTiles{};
  std::vector<ExplainedWaste> waste{};
  std::vector<ExplainedTimer> timers;   ///< by the number that the clock gets
  std::vector<ExplainedBuffer> buffers; ///< by offset, then by time
  std::vector<ExplainedCopy> copies;
  std::vector<ExplainedRepeat> repeats;
  std::vector<ExplainedWeight> weights;
  int64_t workspaceBytes = 0; ///< enough for all sizes that the function takes
  /// The bytes for each of them are the greatest of these, as "4096*batch"; empty: no size matters.
  std::vector<std::string> workspaceSizes{};
  std::optional<ExplainedCard> card{}; ///< the target is a graphics card: steps are launches

  int64_t weightBytes() const; ///< of constants that the variants share
  int64_t copiedBytes() const; ///< in one run
  /// By buffer: its contents, with a number where several buffers have the same ("scores #2").
  std::vector<std::string> bufferNames() const;
};

} // namespace kgen
