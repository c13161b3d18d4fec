#include "schedules/CheckDecisions.h"

#include "dialect/kgen/Kgen.h"

#include <llvm/Support/MathExtras.h>

#include <fmt/format.h>

using namespace mlir;

namespace kgen {
namespace {

/// Returns what products of these elements are added up in.
Type typeOfSums(const Graph &graph, const Node &node, MLIRContext *context) {
  ElementType element = node.inputs.empty() || node.inputs.front() == noValue
                            ? ElementType::f32
                            : graph.values[node.inputs.front()].type.element;
  Builder b(context);
  if (element == ElementType::f64)
    return b.getF64Type();
  bool isShort = element == ElementType::f16 && graph.accumulate == ElementType::f16;
  return isShort ? b.getF16Type() : b.getF32Type();
}

/// A loop's size in the register tile, and where it is written; its whole size if it has none.
struct TileSide {
  int64_t size = 0, whole = 0; ///< 0: not known
  SourceLoc where;

  TileSide(char loop, const ScheduleDecisions::Tiles &tile, const ScheduledOperator *op,
           const ScheduleParameters &parameters) {
    if (op && op->has(loop))
      size = whole = op->sizeOf(loop);
    for (const auto &[name, given] : tile)
      if (name == std::string(1, loop)) {
        size = valueOf(given, parameters);
        where = given.where;
      }
    if (whole > 0)
      size = std::min(size, whole);
  }
};

/// Tiles of about one size are made of rows that its tiles do not divide.
void warnOfRows(const ScheduleSpec &schedule, const Node &node, const TileSide &rows,
                Diagnostics &diagnostics) {
  if (rows.whole == 0 || rows.size == 0 || rows.where.file.empty())
    return;
  int64_t tiles = llvm::divideCeil(rows.whole, rows.size),
          alike = llvm::divideCeil(rows.whole, tiles);
  if (alike != rows.size)
    diagnostics.warning(
        rows.where,
        fmt::format("schedule '{}': the {} rows of node '{}' become {} register tiles of about one "
                    "size, of {} rows at most: none has {}",
                    schedule.name.value, rows.whole, node.name, tiles, alike, rows.size),
        fmt::format("'m: {}' makes the same tiles", alike));
}

} // namespace

void checkDecisions(const ScheduleSpec &schedule, const Graph &graph, const Node &node,
                    const ScheduledOperator *op, const ScheduleParameters &parameters,
                    ModuleOp module, Diagnostics &diagnostics) {
  const std::optional<ScheduleDecisions::Tiles> &tile = schedule.decisions.registers;
  TargetAttr target = targetOf(module);
  // Loops that there are not are an error of their own.
  auto isSide = [](const auto &side) { return side.first == "m" || side.first == "n"; };
  if (!tile || tile->empty() || !target || !llvm::all_of(*tile, isSide))
    return;
  const ScheduledOperator *product = op && op->kind == ScheduledKind::product ? op : nullptr;
  TileSide rows('m', *tile, product, parameters), columns('n', *tile, product, parameters);
  int64_t lanes = target.lanes(typeOfSums(graph, node, module.getContext())),
          needed = rows.size * static_cast<int64_t>(llvm::divideCeil(columns.size, lanes)) + 1;
  if (needed > target.getVectorRegisters())
    return diagnostics.error(
        tile->front().second.where,
        fmt::format(
            "schedule '{}': a register tile of {} x {} needs {} vector registers, one of them "
            "for an operand; {} has {}",
            schedule.name.value, rows.size, columns.size, needed, target.getName().str(),
            target.getVectorRegisters()),
        fmt::format("choose m and n such that m * n / {} is below {}", lanes,
                    target.getVectorRegisters()));
  warnOfRows(schedule, node, rows, diagnostics);
}

} // namespace kgen
