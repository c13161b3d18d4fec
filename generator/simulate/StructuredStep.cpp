// See StructuredStep.h.
#include "simulate/StructuredStep.h"

#include "simulate/ElementCopy.h"

using namespace mlir;

namespace kgen {

void StructuredStep::run(Execution &execution) const {
  Strides sizes;
  int64_t points = 1;
  for (const LoopSize &loop : loops) {
    sizes.push_back(execution.views[operands[loop.operand].view].sizes[loop.dimension]);
    points *= sizes.back();
  }
  Placed placed = place(execution, std::move(sizes));
  if (points == 0 || !isInside(execution, placed))
    return;
  if (execution.machine)
    account(execution, points);
  if (!execution.withData)
    return;
  if (kind == Kind::copy)
    copyElements({execution.views[operands[copied].view].buffer, placed.offsets[copied], {}, {}},
                 {execution.views[operands.back().view].buffer, placed.offsets.back(), {}, {}},
                 placed.strides[copied], placed.strides.back(), placed.sizes);
  else if (fast)
    multiplyAdd(execution, std::move(placed));
  else
    compute(execution, std::move(placed));
}

void StructuredStep::account(Execution &execution, int64_t points) const {
  MachineRun &machine = *execution.machine;
  const BufferView &out = execution.views[operands.back().view];
  if (kind == Kind::fill)
    return machine.fill(site, out);
  if (kind == Kind::copy)
    return machine.transfer(site, execution.views[operands[copied].view], out);
  SmallVector<BufferView, 4> inputs, outputs;
  for (const Operand &operand : operands) {
    if (operand.view >= 0 && operand.isRead)
      inputs.push_back(execution.views[operand.view]);
    if (operand.isOutput)
      outputs.push_back(execution.views[operand.view]);
  }
  machine.compute(site, inputs, outputs, points, speedType, work, windows);
}

StructuredStep::Placed StructuredStep::place(const Execution &execution, Strides sizes) const {
  Placed placed;
  placed.sizes = std::move(sizes);
  for (const Operand &operand : operands) {
    placed.strides.emplace_back(loops.size(), 0);
    placed.offsets.push_back(0);
    if (operand.view < 0)
      continue;
    const BufferView &view = execution.views[operand.view];
    placed.offsets.back() = view.offset;
    for (size_t d = 0; d < operand.factors.size(); ++d) {
      placed.offsets.back() += operand.constants[d] * view.strides[d];
      for (size_t loop = 0; loop < loops.size(); ++loop)
        placed.strides.back()[loop] += operand.factors[d][loop] * view.strides[d];
    }
  }
  return placed;
}

/// True if the loops stay in all operands: sizes of views may be dynamic.
bool StructuredStep::isInside(Execution &execution, const Placed &placed) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].view < 0)
      continue;
    const BufferView &view = execution.views[operands[i].view];
    BufferView touched{view.buffer, placed.offsets[i], placed.sizes, placed.strides[i]};
    if (kgen::isInside(touched))
      continue;
    if (execution.machine)
      execution.machine->fault(site, "bounds",
                               "reaches beyond operand " + std::to_string(i) +
                                   ": its size is not that of the loops");
    return false;
  }
  return true;
}

/// The loops with the one innermost that is best for rows: one that no result is summed over, if
/// there is one, and where the result is contiguous. The order of those that are summed over stays.
llvm::SmallVector<int, 6> StructuredStep::loopOrder(const Placed &placed) const {
  int row = static_cast<int>(loops.size()) - 1, best = -1;
  for (int loop = 0; loop < static_cast<int>(loops.size()); ++loop) {
    bool isParallel = true;
    for (size_t i = 0; i < operands.size(); ++i)
      isParallel &= !operands[i].isOutput || placed.strides[i][loop] != 0;
    int quality = !isParallel || placed.sizes[loop] == 1 ? -1
                  : placed.strides.back()[loop] == 1     ? 1
                                                         : 0;
    if (quality >= 0 && quality >= best) {
      best = quality;
      row = loop;
    }
  }
  llvm::SmallVector<int, 6> order;
  for (int loop = 0; loop < static_cast<int>(loops.size()); ++loop)
    if (loop != row)
      order.push_back(loop);
  if (row >= 0)
    order.push_back(row);
  return order;
}

/// Permutes the loops.
template <typename PlacedLoops>
static void permute(PlacedLoops &placed, llvm::ArrayRef<int> order) {
  PlacedLoops old = placed;
  for (size_t at = 0; at < order.size(); ++at) {
    placed.sizes[at] = old.sizes[order[at]];
    for (size_t i = 0; i < placed.strides.size(); ++i)
      placed.strides[i][at] = old.strides[i][order[at]];
  }
}

void StructuredStep::multiplyAdd(const Execution &execution, Placed placed) const {
  permute(placed, loopOrder(placed));
  // The two innermost loops, of one iteration each if there are fewer.
  size_t count = placed.sizes.size(), inside = std::min<size_t>(2, count);
  auto size = [&](size_t fromEnd) { return fromEnd > count ? 1 : placed.sizes[count - fromEnd]; };
  auto operandAt = [&](int number) {
    const Strides &strides = placed.strides[number];
    const MachineBuffer &buffer = *execution.views[operands[number].view].buffer;
    return ProductOperand{const_cast<char *>(buffer.data.data()) +
                              placed.offsets[number] * bytesOf(buffer.number),
                          count > 1 ? strides[count - 2] : 0, count > 0 ? strides[count - 1] : 0};
  };
  SmallVector<int64_t, 6> at(count - inside, 0);
  forEachIteration(ArrayRef<int64_t>(placed.sizes).drop_back(inside), placed.strides,
                   placed.offsets, at, [&] {
                     fast(operandAt(static_cast<int>(operands.size()) - 1), operandAt(product.a),
                          operandAt(product.b), size(2), size(1));
                   });
}

void StructuredStep::compute(const Execution &execution, Placed placed) const {
  llvm::SmallVector<int, 6> order = loopOrder(placed);
  permute(placed, order);
  std::vector<Lane> outer;
  for (int scalar : outerScalars)
    outer.push_back(execution.scalars[scalar]);
  std::vector<Lane> registers = program->makeRegisters(outer);
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].scalar >= 0)
      std::fill_n(registers.begin() + static_cast<ptrdiff_t>(i) * maxLanes, maxLanes,
                  execution.scalars[operands[i].scalar]);
  size_t outerLoops = placed.sizes.empty() ? 0 : placed.sizes.size() - 1;
  SmallVector<int64_t, 6> at(outerLoops, 0);
  forEachIteration(ArrayRef<int64_t>(placed.sizes).take_front(outerLoops), placed.strides,
                   placed.offsets, at,
                   [&] { computeRow(execution, placed, at, order, registers); });
}

void StructuredStep::computeRow(const Execution &execution, const Placed &row, ArrayRef<int64_t> at,
                                ArrayRef<int> order, std::vector<Lane> &registers) const {
  int64_t total = row.sizes.empty() ? 1 : row.sizes.back();
  auto stride = [&](size_t operand) { return row.sizes.empty() ? 0 : row.strides[operand].back(); };
  // Lanes that write the same element would not see each other.
  bool isSum = false;
  for (size_t i = 0; i < operands.size(); ++i)
    isSum |= operands[i].isOutput && stride(i) == 0;
  const int64_t width = isSum ? 1 : maxLanes;
  for (int64_t first = 0; first < total; first += width) {
    int count = static_cast<int>(std::min(width, total - first));
    auto offset = [&](size_t i) { return row.offsets[i] + first * stride(i); };
    auto lanes = [&](int number) {
      return registers.data() + static_cast<size_t>(number) * maxLanes;
    };
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].view >= 0 && operands[i].isRead) {
        const MachineBuffer &buffer = *execution.views[operands[i].view].buffer;
        loadLanes(buffer.number, buffer.data.data(), offset(i), stride(i), count,
                  lanes(static_cast<int>(i)));
      }
    for (const ScalarProgram::LoopIndex &index : program->loopIndices())
      for (int lane = 0; lane < count; ++lane) {
        bool isRow = order.back() == index.dimension;
        auto outer = llvm::find(order, index.dimension) - order.begin();
        lanes(index.target)[lane].i = isRow ? first + lane : at[outer];
      }
    program->run(registers.data(), count);
    for (size_t i = 0, output = 0; i < operands.size(); ++i)
      if (operands[i].isOutput) {
        MachineBuffer &buffer = *execution.views[operands[i].view].buffer;
        storeLanes(buffer.number, buffer.data.data(), offset(i), stride(i), count,
                   lanes(program->results()[output++]));
      }
  }
}

} // namespace kgen
