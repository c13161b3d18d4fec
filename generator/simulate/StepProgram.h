// A function as steps that run on numbered values, compiled once.
#pragma once

#include "simulate/MachineRun.h"
#include "simulate/ScalarProgram.h"

#include <deque>
#include <memory>
#include <vector>

namespace kgen {

/// Of a buffer: each has a number for its last writer.
constexpr int64_t maxBufferElements = int64_t(1) << 31;

class Execution;

class Step {
public:
  virtual ~Step() = default;
  virtual void run(Execution &execution) const = 0;
};

/// The steps of a block. What they allocate is released after them, unless views of it leave.
struct StepBlock {
  std::vector<std::unique_ptr<Step>> steps;
  bool viewsLeave = false;
  void run(Execution &execution) const;
};

/// An index: a constant, or a numbered scalar.
struct IndexValue {
  int scalar = -1;
  int64_t constant = 0;
};

/// Memory that is there when the function begins: an argument, or a constant.
struct GivenBuffer {
  int view = 0, site = 0;
  Number number = Number::i8;
  std::vector<int64_t> shape;
  bool isWritten = false;
  bool isArgument = true;
  bool isUndefined = false; ///< an output whose contents the function must not read
  std::vector<char> data;   ///< of a constant
};

struct StepProgram {
  std::vector<GivenBuffer> given; ///< arguments first, in their order
  StepBlock body;
  int scalarCount = 0, viewCount = 0;
  Sites sites;
};

/// The state of a run.
class Execution {
public:
  /// `machine` may be null: then nothing but the data is looked at.
  Execution(const StepProgram &program, MachineRun *machine, bool withData);

  std::vector<Lane> scalars;
  std::vector<BufferView> views;
  MachineRun *const machine;
  const bool withData;

  int64_t index(const IndexValue &value) const {
    return value.scalar < 0 ? value.constant : scalars[value.scalar].i;
  }
  /// Reuses a buffer of the same site that was released.
  MachineBuffer *allocate(int site, int64_t space, Number number, int64_t elements, bool isWritten);
  void enterScope() { scopes.emplace_back(); }
  void leaveScope(bool viewsLeave);
  /// Before the end of its scope, if it was allocated in this one.
  void release(MachineBuffer *buffer);

private:
  void recycle(MachineBuffer *buffer);

  std::deque<MachineBuffer> buffers;
  std::vector<std::vector<MachineBuffer *>> released; ///< by site
  std::vector<std::vector<MachineBuffer *>> scopes;
};

} // namespace kgen
