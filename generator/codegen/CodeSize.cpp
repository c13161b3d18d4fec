#include "codegen/CodeSize.h"

#include "backend/Backend.h"
#include "codegen/ObjectFormat.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/CodeGen/MachineOptimizationRemarkEmitter.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

using namespace llvm;

namespace kgen {
namespace {

constexpr StringLiteral layoutPass = "stack-frame-layout";

/// Returns the number after `name` in a line of a list of a frame's parts, or 0.
int64_t numberAfter(StringRef line, StringRef name) {
  int64_t number = 0;
  StringRef rest = line.split(name).second;
  return rest.consumeInteger(10, number) ? 0 : number;
}

/// Sum of the sizes that depend on the length of a CPU's registers, in multiples of LLVM's
/// `vscale`, from a list of a frame's parts.
int64_t scaledBytes(StringRef layout) {
  constexpr int64_t alignment = 8;
  int64_t sum = 0;
  for (StringRef line : split(layout, '\n'))
    sum += numberAfter(line, ", Size: vscale x ");
  return sum == 0 ? 0 : sum + alignment;
}

/// Returns the registers that the frame keeps at a smaller alignment than their size.
SplitSpills splitSpillsOf(StringRef layout) {
  SplitSpills spills;
  for (StringRef line : split(layout, '\n')) {
    const int64_t size = numberAfter(line, ", Size: ");
    if (!line.contains(", Type: Spill,") || size <= numberAfter(line, ", Align: "))
      continue;
    spills.largestBytes = std::max(spills.largestBytes, size);
    ++spills.count;
  }
  return spills;
}

/// Takes the sizes of frames and what is spilled to them, too.
class FrameHandler : public LlvmErrorHandler {
public:
  FrameHandler(StringMap<int64_t> &bytes, StringMap<SplitSpills> &spills, LlvmErrors &errors,
               int64_t largestScale)
      : LlvmErrorHandler(errors), bytes(bytes), spills(spills), largestScale(largestScale) {}

  bool isAnalysisRemarkEnabled(StringRef pass) const override { return pass == layoutPass; }
  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (const auto *remark = dyn_cast<MachineOptimizationRemarkAnalysis>(&info)) {
      if (remark->getPassName() != layoutPass) // handlers are given all remarks
        return true;
      StringRef name = remark->getFunction().getName();
      const std::string layout = remark->getMsg();
      bytes[name] += largestScale * scaledBytes(layout);
      spills[name] = splitSpillsOf(layout);
      return true;
    }
    const auto *size = dyn_cast<DiagnosticInfoStackSize>(&info);
    if (!size)
      return LlvmErrorHandler::handleDiagnostics(info);
    const Function &function = size->getFunction();
    bytes[function.getName()] += static_cast<int64_t>(size->getStackSize());
    if (MaybeAlign alignment = function.getFnStackAlign()) // what its frame skips at most
      bytes[function.getName()] += static_cast<int64_t>(alignment->value());
    return true;
  }

private:
  StringMap<int64_t> &bytes;
  StringMap<SplitSpills> &spills;
  int64_t largestScale;
};

/// The functions that a function calls or takes the address of.
SmallPtrSet<const Function *, 8> referencesOf(const Function &function) {
  SmallPtrSet<const Function *, 8> result;
  for (const Instruction &instruction : instructions(function))
    for (const Use &operand : instruction.operands())
      if (const auto *other = dyn_cast<Function>(operand->stripPointerCasts()))
        if (!other->isDeclaration())
          result.insert(other);
  return result;
}

class DeepestChain {
public:
  explicit DeepestChain(const StringMap<int64_t> &frames) : frames(frames) {}

  int64_t from(const Function &function) {
    auto [known, isNew] = depths.try_emplace(&function, 0);
    if (!isNew) // a function that is open already counts once: generated code does not recurse
      return known->second;
    int64_t below = 0;
    for (const Function *other : referencesOf(function))
      below = std::max(below, from(*other));
    return depths[&function] = frames.lookup(function.getName()) + below;
  }

private:
  const StringMap<int64_t> &frames;
  DenseMap<const Function *, int64_t> depths;
};

} // namespace

Expected<StringMap<int64_t>> functionTextBytes(StringRef object) {
  Expected<std::vector<ObjectSymbol>> symbols = symbolsOf(object);
  if (!symbols)
    return symbols.takeError();
  StringMap<int64_t> sizes;
  for (const ObjectSymbol &symbol : *symbols)
    if (symbol.isFunction && symbol.isDefined)
      sizes[symbol.name] += symbol.bytes;
  return sizes;
}

StackFrames::StackFrames(Module &module, LlvmErrors &errors) : module(module), errors(errors) {
  for (Function &function : module)
    if (!function.isDeclaration()) {
      bytes[function.getName()] = callBytes(module.getTargetTriple().str());
      function.addFnAttr("warn-stack-size", "0"); // all frames with anything are reported
    }
  int64_t scale = backendOf(module.getTargetTriple().str())->largestVectorScale();
  module.getContext().setDiagnosticHandler(
      std::make_unique<FrameHandler>(bytes, spills, errors, scale));
}

StackFrames::~StackFrames() {
  module.getContext().setDiagnosticHandler(std::make_unique<LlvmErrorHandler>(errors));
}

int64_t StackFrames::deepest() const {
  DeepestChain chain(bytes);
  int64_t result = 0;
  for (const Function &function : module)
    if (!function.isDeclaration())
      result = std::max(result, chain.from(function));
  return result;
}

} // namespace kgen
