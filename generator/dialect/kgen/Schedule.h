// Names of what schedules write on the code: by whom each is written, and who reads it.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace kgen {

/// The module inside of the graph's module that holds the named sequences of all schedules.
constexpr llvm::StringLiteral scheduleLibraryName = "kgen_schedules";
/// A schedule's named sequence is called this and the schedule's name.
constexpr llvm::StringLiteral scheduleSymbolPrefix = "__kgen_schedule_";

/// On functions: an array of `{sequence = @..., parameters = [...]}`, one for each scheduled node;
/// kgen-apply-schedules removes it.
constexpr llvm::StringLiteral schedulesAttrName = "kgen.schedules";
/// On the module, by kgen-apply-schedules, or on the function, by kgen-select-tiling: the node
/// whose schedule failed.
constexpr llvm::StringLiteral failedScheduleAttrName = "kgen.failed_schedule";
/// On functions: an array of `{node, schedule, tasks = {m = 64}, caches = {m = 8}, registers = {m =
/// 6, n = 16}, unroll = 4, non_temporal = true, layout = {rhs = "packed"}, provider = "vector"}`,
/// what schedules decide on nodes in the place of kgen; kgen-assign-layouts and kgen-select-tiling
/// write it on their operations.
constexpr llvm::StringLiteral nodeDecisionsAttrName = "kgen.node_decisions";
/// On operations: the index in `kgen.schedules` of the schedule that they belong to.
constexpr llvm::StringLiteral scheduleIndexAttrName = "kgen.schedule";
/// On a `tensor.empty`: parts of a result, each with a schedule of its own, are inserted into it.
constexpr llvm::StringLiteral partsAttrName = "kgen.parts";
/// On the operation of a scheduled node whose loops the schedule names.
constexpr llvm::StringLiteral scheduleRootAttrName = "kgen.schedule_root";
/// On the elementwise operation after the root that the schedule fuses with it.
constexpr llvm::StringLiteral scheduleEpilogueAttrName = "kgen.schedule_epilogue";

/// On operations of a script's result: the memory of what they write, 1 (L2) or 2 (L1);
/// kgen-assign-memories removes it.
constexpr llvm::StringLiteral memoryAttrName = "kgen.memory";
/// On loops: how many buffers each operand that they copy has; kgen-multibuffer-copies reads it.
constexpr llvm::StringLiteral buffersAttrName = "kgen.buffers";

} // namespace kgen
