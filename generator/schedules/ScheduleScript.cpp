#include "schedules/Nest.h"
#include "schedules/Script.h"

#include "dialect/kgen/Schedule.h"

#include <fmt/format.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <numeric>

namespace kgen {

namespace {

constexpr int scheduleL2 = 1, scheduleL1 = 2; ///< memory spaces

const char *const sharedSequences = R"(
transform.named_sequence @clean(%f: !transform.any_op {transform.readonly}) {
  transform.apply_patterns to %f {
    transform.apply_patterns.linalg.tiling_canonicalization
    transform.apply_patterns.scf.for_loop_canonicalization
    transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.apply_cse to %f : !transform.any_op
  transform.yield
}
// Without CSE: each tile has its own memory.
transform.named_sequence @clean_last(%f: !transform.any_op {transform.readonly}) {
  transform.include @clean failures(propagate) (%f) : (!transform.any_op) -> ()
  transform.apply_patterns to %f {
    transform.apply_patterns.tensor.fold_tensor_empty
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.yield
}
)";

/// Goes through the nest from the outside in. Operands are packed in front of the first loop that
/// reduces, so that neither the accumulators' pack nor their unpack is in such a loop, and their
/// fill becomes one of packed tiles.
class ScriptBuilder {
public:
  ScriptBuilder(const Nest &nest, llvm::ArrayRef<mlir::Type> epilogue)
      : nest(nest), epilogue(epilogue) {}

  std::vector<std::string> build() {
    l2 = s.constant("l2_", scheduleL2);
    l1 = s.constant("l1_", scheduleL1);
    op = matchRoot();
    matchFill();
    if (!epilogue.empty())
      root = matchEpilogue();
    bool isFirst = true;
    for (const NestLevel &level : nest.levels) {
      if (level.isOneIteration) { // without a loop; its copies are there
        if (!isFirst && nest.tiles.empty())
          copyPlain(level);
        continue;
      }
      addLevel(level, isFirst);
      isFirst = false;
    }
    if (isFirst)
      padToTiles();
    if (!isPacked && !nest.tiles.empty()) {
      pack();
      s.clean();
    }
    finish();
    return s.lines;
  }

  bool consumesFunction() const { return s.consumesFunction(); }

private:
  const std::string &outDims() const { return nest.op.operands.back().dims; }
  bool isInput(const ScheduledOperand &operand) const { return operand.name != "out"; }

  bool isElementwise() const { return nest.op.kind == ScheduledKind::elementwise; }
  void matchFill() {
    if (!isElementwise())
      fill = s.matchKind("fill", "linalg.fill");
  }
  std::string matchRoot() {
    return s.match("op", fmt::format("attributes{{{}}}", scheduleRootAttrName.str()));
  }
  std::string matchEpilogue() {
    return s.match("epilogue", fmt::format("attributes{{{}}}", scheduleEpilogueAttrName.str()));
  }

  std::vector<int64_t> sizesOf(const NestLevel &level, const std::string &loops,
                               bool inTiles) const {
    std::vector<int64_t> sizes;
    for (char loop : loops) {
      auto size = level.sizes.find(loop);
      int64_t tile = inTiles ? nest.tileOf(loop) : 1;
      sizes.push_back(size == level.sizes.end() ? 0 : size->second / tile);
    }
    return sizes;
  }

  void addLevel(const NestLevel &level, bool isFirst) {
    bool isLoop = level.kind == ScheduleLevel::Kind::loop;
    if (isFirst && isLoop)
      padToTiles();
    bool reduces = isLoop && nest.op.isReduction(level.sizes.begin()->first);
    if (reduces && !isPacked && !nest.tiles.empty()) {
      pack();
      s.clean();
      matchFill();
    }
    std::string loop = tileLevel(level);
    for (auto &[name, handle] : packs)
      std::tie(handle, loop) = s.fuse("pack_" + name, handle, loop);
    if (isFirst && !isLoop) {
      padToTiles();
      annotateBuffers(level, loop);
      return;
    }
    s.clean();
    fuseCopies(level, loop);
    if (nest.tiles.empty())
      copyPlain(level);
    annotateBuffers(level, loop);
    if (nest.keeps(level, "out", "L1"))
      result = loop;
  }

  /// Operands in L1 that are not packed.
  void copyPlain(const NestLevel &level) {
    std::vector<int64_t> copied;
    for (const ScheduledOperand &operand : nest.op.operands)
      copied.push_back(isInput(operand) && nest.keeps(level, operand.name, "L1"));
    if (llvm::none_of(copied, [](int64_t is) { return is != 0; }))
      return;
    auto results = s.pad("op", op, {}, nest.op.loops.size(), paddings(), copied);
    op = results[0];
    plainCopies.push_back(results[1]);
    s.clean();
  }

  std::vector<std::string> paddings() const {
    std::vector<std::string> values;
    for (const ScheduledOperand &operand : nest.op.operands)
      values.push_back(isElementwise() ? oneOf(operand.elementType) : zeroOf(operand.elementType));
    return values;
  }

  /// Copies to L2 follow the loops up to the level that keeps them.
  void fuseCopies(const NestLevel &level, std::string &loop) {
    bool isFused = false;
    for (auto &[name, handle] : pads)
      if (nest.keeps(level, name, "L2")) {
        std::tie(handle, loop) = s.fuse("copy_" + name, handle, loop);
        isFused = true;
      }
    if (!isFused)
      return;
    // The guard of pads without a source: there always is one.
    std::string guards = s.matchKind("guards", "scf.if", loop);
    s.add(fmt::format("transform.scf.take_assumed_branch {} take_else_branch : ({}) -> ()", guards,
                      anyOp));
    s.clean();
  }

  void annotateBuffers(const NestLevel &level, const std::string &loop) {
    if (level.kind == ScheduleLevel::Kind::loop && level.buffers > 1)
      s.annotate(loop, buffersAttrName, s.constant("buffers", level.buffers));
  }

  std::string tileLevel(const NestLevel &level) {
    std::string loop;
    std::vector<int64_t> sizes = sizesOf(level, nest.op.loops, isPacked);
    sizes.resize(nest.op.loops.size());
    if (level.kind == ScheduleLevel::Kind::loop || isPacked) {
      std::tie(op, loop) = s.tile(op, sizes, nest.op.loops, level.kind);
      if (level.kind != ScheduleLevel::Kind::loop)
        tilePackedResult(level);
      return loop;
    }
    if (!epilogue.empty()) {
      std::tie(root, loop) = s.tile(root, sizesOf(level, outDims(), false), outDims(), level.kind);
      std::tie(op, loop) = s.fuse("op", op, loop);
    } else {
      std::tie(op, loop) = s.tile(op, sizes, nest.op.loops, level.kind);
    }
    if (!isElementwise())
      std::tie(fill, loop) = s.fuse("fill", fill, loop);
    return loop;
  }

  /// Accumulators that outlive a grid are filled and unpacked in grids of their own.
  void tilePackedResult(const NestLevel &level) {
    const ScheduledOperand &out = nest.op.operands.back();
    std::string outer = nest.layoutOf(out).substr(0, out.dims.size());
    accumulators = s.tile(fill, sizesOf(level, outer, true), outer, level.kind).second;
    drains.push_back(&level);
  }

  /// From here on all tiles are whole. Pads that do not fold become the copies to L2.
  void padToTiles() {
    std::vector<int64_t> kept;
    for (const ScheduledOperand &operand : nest.op.operands)
      kept.push_back(nest.keepsAnywhere(operand.name, "L2") &&
                     (isInput(operand) || !isElementwise()));
    // Upstream pads no windows; their parts divide the loops.
    std::vector<int64_t> multiples;
    if (nest.op.kind != ScheduledKind::window)
      multiples = multiplesOf(nest.op.loops);
    op = s.pad("op", op, multiples, nest.op.loops.size(), paddings(), kept)[0];
    if (!epilogue.empty()) {
      padEpilogue(multiplesOf(outDims()), false);
      s.clean(); // removes the operations that were tiled, which are matched otherwise
      s.apply("kgen-fold-epilogue-pads"); // and handles are gone
      op = matchRoot();
      root = matchEpilogue();
    }
    for (auto [index, operand] : llvm::enumerate(nest.op.operands))
      if (isInput(operand) && kept[index])
        pads[operand.name] = s.producer("copy_" + operand.name, op, index);
    s.clean();
    matchFill();
  }

  std::vector<int64_t> multiplesOf(const std::string &loops) const {
    std::vector<int64_t> multiples;
    for (char loop : loops)
      multiples.push_back(std::max<int64_t>(nest.multipleOf(loop), 1));
    return multiples;
  }

  /// Pads the epilogue; `copies`: its operands are copied even where they are whole. Returns the
  /// handle of the pads.
  std::string padEpilogue(const std::vector<int64_t> &multiples, bool copies) {
    std::vector<std::string> values;
    std::vector<int64_t> copied;
    for (auto [index, type] : llvm::enumerate(epilogue)) {
      // Of the product, where upstream looks for the same value; others are factors and divisors.
      values.push_back(index == 0 ? zeroOf(type) : oneOf(type));
      copied.push_back(copies && index > 0 && index + 1 < epilogue.size());
    }
    auto results = s.pad("root", root, multiples, outDims().size(), values, copied);
    root = results[0];
    return results[1];
  }

  void pack() {
    std::vector<int64_t> sizes;
    for (char loop : nest.op.loops)
      sizes.push_back(nest.tiles.count(loop) ? nest.tileOf(loop) : 0);
    op = s.add(fmt::format("transform.structured.pack {} packed_sizes = {} : ({}) -> {}", op,
                           list(sizes), anyOp, anyOp),
               {"op"})[0];
    isPacked = true;
    for (auto [index, operand] : llvm::enumerate(nest.op.operands))
      packOperand(operand, index);
  }

  void packOperand(const ScheduledOperand &operand, size_t index) {
    std::string order = nest.layoutOf(operand);
    std::string outer = order.substr(0, operand.dims.size()), inner = order.substr(outer.size());
    std::string tileDims;
    for (char loop : operand.tileDims)
      if (nest.tiles.count(loop))
        tileDims += loop;
    bool isOut = !isInput(operand), isPlain = outer == operand.dims && inner == tileDims;
    if (tileDims.empty() || (isOut && isPlain))
      return;
    std::string name = "pack_" + operand.name, handle;
    if (isOut)
      handle = s.add(
          fmt::format("transform.get_consumers_of_result {}[0] : ({}) -> {}", op, anyOp, anyOp),
          {"unpack"})[0];
    else
      handle = s.producer(name, op, index);
    if (!isPlain) {
      std::string permuted =
          inner == tileDims ? "" : " inner_perm = " + permutation(inner, tileDims);
      auto results =
          s.add(fmt::format(
                    "transform.structured.pack_transpose {} with_compute_op({}) outer_perm = {}{} "
                    ": ({}) -> ({})",
                    handle, op, permutation(outer, operand.dims), permuted, types(2), types(3)),
                {"op", name, "unpack"});
      op = results[0];
      handle = results[1];
    }
    if (!isOut)
      packs[operand.name] = handle;
  }

  bool endsInPartOfTile() const {
    return llvm::any_of(outDims(),
                        [&](char loop) { return nest.op.sizeOf(loop) % nest.tileOf(loop) != 0; });
  }

  /// Memories of what is left, when handles are no longer needed.
  void finish() {
    if (!accumulators.empty())
      s.annotate(accumulators, memoryAttrName, l1);
    if (!drains.empty() && epilogue.empty() && endsInPartOfTile())
      s.apply("kgen-unfold-unpacks"); // and handles are gone
    for (const NestLevel *level : drains) {
      std::string unpack = s.matchKind("unpack", "linalg.unpack");
      std::vector<int64_t> sizes = sizesOf(*level, outDims(), false);
      std::tie(root, result) = s.tile(root.empty() ? unpack : root, sizes, outDims(), level->kind);
      if (!epilogue.empty())
        result = s.fuse("unpack", unpack, result).second;
    }
    s.annotate(s.matchKind("copies", "tensor.pad"), memoryAttrName, l2);
    for (const std::string &copies : plainCopies)
      s.annotate(copies, memoryAttrName, l1);
    if (isElementwise() && nest.keepsAnywhere("out", "L1"))
      s.annotate(op, memoryAttrName, l1);
    if (nest.keepsAnywhere("out", "L2") && !result.empty())
      s.annotate(result, memoryAttrName, l2);
    if (!epilogue.empty())
      finishEpilogue();
    s.clean(/*isLast=*/true);
    if (nest.keepsAnywhere("out", "L1") || !packs.empty())
      s.annotate(s.matchKind("packs", "linalg.pack"), memoryAttrName, l1);
    if (accumulators.empty() && nest.keepsAnywhere("out", "L1") && !isElementwise())
      s.annotate(s.matchKind("fill", "linalg.fill"), memoryAttrName, l1);
  }

  /// Copies the operands of the epilogue to L1, too, and lets it work on packed tiles.
  void finishEpilogue() {
    std::string copies = padEpilogue(std::vector<int64_t>(outDims().size(), 1), true);
    if (epilogue.size() > 2)
      s.annotate(copies, memoryAttrName, l1);
    if (nest.tiles.empty() && nest.keepsAnywhere("out", "L1"))
      s.annotate(root, memoryAttrName, l1);
    s.apply("kgen-push-unpacks");
  }

  const Nest &nest;
  llvm::ArrayRef<mlir::Type> epilogue;
  Script s;
  std::string l1, l2, op, fill, root, result, accumulators;
  std::map<std::string, std::string> packs, pads; ///< handles by operand
  std::vector<std::string> plainCopies;
  std::vector<const NestLevel *> drains; ///< grids inside of reductions
  bool isPacked = false;
};

} // namespace

std::string scheduleScript(const ScheduleSpec &schedule, const ScheduledOperator &op,
                           const ScheduleParameters &parameters, const std::string &symbol,
                           llvm::ArrayRef<mlir::Type> epilogue) {
  Nest nest(schedule, op, parameters);
  ScriptBuilder builder(nest, epilogue);
  std::vector<std::string> lines = builder.build();
  return fmt::format("module attributes {{transform.with_named_sequence}} {{{}"
                     "transform.named_sequence @\"{}{}\"(%f: {} {{transform.{}}}) {{\n  {}\n  "
                     "transform.yield\n}}\n}}\n",
                     sharedSequences, scheduleSymbolPrefix.str(), symbol, anyOp,
                     builder.consumesFunction() ? "consumed" : "readonly",
                     fmt::join(lines, "\n  "));
}

} // namespace kgen
