// See ScalarProgram.h.
#include "simulate/ScalarProgram.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {

std::optional<Number> numberOf(Type type) {
  if (type.isIndex())
    return Number::i64;
  if (type.isF32())
    return Number::f32;
  if (type.isF64())
    return Number::f64;
  if (type.isF16())
    return Number::f16;
  if (type.isBF16())
    return Number::bf16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return Number::i1;
  case 8:
    return Number::i8;
  case 16:
    return Number::i16;
  case 32:
    return Number::i32;
  case 64:
    return Number::i64;
  default:
    return std::nullopt;
  }
}

void LaneInstruction::run(Lane *registers, int width, int count) const {
  const Lane *lanes[3];
  for (size_t i = 0; i < operands.size(); ++i)
    lanes[i] = registers + operands[i] * width;
  apply(*this, lanes, registers + result * width, count);
  roundLanes(type, registers + result * width, count);
}

std::optional<Lane> laneOfConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  Lane lane;
  if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
    bool isTruth = constant.getType().isInteger(1);
    lane.i = isTruth ? integer.getValue().getZExtValue() : integer.getValue().getSExtValue();
    return lane;
  }
  auto real = dyn_cast<FloatAttr>(constant.getValue());
  if (!real)
    return std::nullopt;
  lane.f = real.getValueAsDouble();
  return lane;
}

std::optional<ScalarProgram>
ScalarProgram::compile(Block &body, const std::function<int(Value)> &outerScalar,
                       const std::function<void(Operation *, const std::string &)> &onError) {
  ScalarProgram program;
  llvm::DenseMap<Value, int> registers;
  bool isComplete = true;
  for (BlockArgument argument : body.getArguments())
    registers[argument] = program.registerCount++;
  auto registerOf = [&](Value value) {
    auto [entry, isNew] = registers.try_emplace(value, program.registerCount);
    if (isNew)
      program.captured.push_back({program.registerCount++, outerScalar(value)});
    return entry->second;
  };
  for (Operation &op : body.without_terminator()) {
    if (std::optional<Lane> value = laneOfConstant(&op)) {
      program.constants.push_back({program.registerCount, *value});
    } else if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      program.indices.push_back({static_cast<int>(index.getDim()), program.registerCount});
    } else if (std::optional<LaneInstruction> instruction = instructionOf(&op)) {
      for (Value operand : op.getOperands())
        instruction->operands.push_back(registerOf(operand));
      instruction->result = program.registerCount;
      program.instructions.push_back(std::move(*instruction));
    } else {
      onError(&op, "'" + op.getName().getStringRef().str() + "' is not simulated in bodies");
      isComplete = false;
      continue;
    }
    registers[op.getResult(0)] = program.registerCount++;
  }
  if (!isComplete)
    return std::nullopt;
  for (Value value : body.getTerminator()->getOperands())
    program.yielded.push_back(registerOf(value));
  return program;
}

std::vector<Lane> ScalarProgram::makeRegisters(llvm::ArrayRef<Lane> outerScalars) const {
  std::vector<Lane> registers(static_cast<size_t>(registerCount) * maxLanes);
  auto set = [&](int target, Lane value) {
    std::fill_n(registers.begin() + static_cast<ptrdiff_t>(target) * maxLanes, maxLanes, value);
  };
  for (const Constant &constant : constants)
    set(constant.target, constant.value);
  for (const Captured &value : captured)
    set(value.target, outerScalars[value.scalar]);
  return registers;
}

} // namespace kgen
