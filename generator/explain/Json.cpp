#include "support/Json.h"
#include "explain/Render.h"
#include "explain/Tables.h"
#include "explain/Warnings.h"

namespace kgen {
namespace {

const char *name(StepKind kind) {
  switch (kind) {
  case StepKind::contraction:
    return "contraction";
  case StepKind::loops:
    return "loops";
  case StepKind::copy:
    return "copy";
  case StepKind::call:
    return "call";
  case StepKind::other:
    return "other";
  }
  return "";
}

template <typename List, typename Convert> Json list(const List &items, Convert convert) {
  Json result = Json::array();
  for (const auto &item : items)
    result.push_back(convert(item));
  return result;
}

Json node(const ExplainedNode &n) {
  Json json = {{"name", n.name},          {"op", n.op},       {"type", n.type},
               {"inputs", n.inputs},      {"group", n.group}, {"steps", n.steps},
               {"fate", fateName(n.fate)}};
  json["passes"] = n.passes;
  if (!n.into.empty())
    json["into"] = n.into;
  if (!n.method.empty())
    json["method"] = n.method;
  return json;
}

Json gpuTile(const ExplainedGpuTile &t) {
  Json json = {{"sizes", t.sizes}};
  if (t.cycles) {
    json["cycles"] = *t.cycles;
    json["limit"] = t.limit;
  } else {
    json["refusal"] = t.refusal;
  }
  return json;
}

Json gpuLaunch(const ExplainedGpuLaunch &l) {
  Json json = {{"kernel", l.kernel},
               {"form", l.form},
               {"blocks", l.blocks},
               {"threads_of_block", l.threads},
               {"threads", l.blockCount() * l.threadsOfBlock()},
               {"shared_bytes", l.sharedBytes},
               {"registers", l.registers == 0 ? Json() : Json(l.registers)},
               {"registers_by", l.registersBy.empty() ? Json() : Json(l.registersBy)},
               {"spilled_bytes", l.spilledBytes},
               {"blocks_of_core", l.blocksOfCore},
               {"occupancy", l.occupancy},
               {"occupancy_limit", l.occupancyLimit},
               {"read_bytes", l.readBytes},
               {"written_bytes", l.writtenBytes},
               {"least_bytes", l.leastBytes},
               {"flops", l.flops},
               {"cycles", l.cycles},
               {"limit", l.limit}};
  if (!l.product.empty()) {
    json["product"] = l.product;
    json["tile"] = l.tile;
    json["offers"] = list(l.offers, gpuTile);
  }
  if (l.form == "transposition")
    json["tile"] = l.tile;
  return json;
}

Json step(const ExplainedStep &s) {
  Json json = {{"kind", name(s.kind)}, {"nodes", s.nodes}};
  if (!s.purpose.empty())
    json["purpose"] = s.purpose;
  if (s.tiling)
    json["tiling"] = {{"batch", s.tiling->batch},
                      {"m", s.tiling->m},
                      {"n", s.tiling->n},
                      {"k", s.tiling->k},
                      {"tile_rows", s.tiling->tileRows},
                      {"tile_columns", s.tiling->tileColumns},
                      {"row_block", s.tiling->rowBlock},
                      {"depth_block", s.tiling->depthBlock},
                      {"panel", s.tiling->panel},
                      {"tasks", s.tiling->tasks}};
  if (!s.callee.empty())
    json["callee"] = s.callee;
  if (s.gpu)
    json["launch"] = gpuLaunch(*s.gpu);
  if (s.loops) {
    Json offers = list(s.loops->offers, [](const ExplainedStrategy &offer) {
      Json entry = {{"strategy", offer.name}};
      if (offer.cost)
        entry["cost"] = *offer.cost;
      else
        entry["refusal"] = offer.refusal;
      return entry;
    });
    json["loops"] = {{"form", s.loops->form},           {"sizes", s.loops->sizes},
                     {"dimension", s.loops->dimension}, {"lanes", s.loops->lanes},
                     {"gathered", s.loops->gathered},   {"bytes", s.loops->bytes},
                     {"scalar", s.loops->scalar},       {"strategy", s.loops->strategy},
                     {"stores", s.loops->stores},       {"offers", offers}};
  }
  return json;
}

Json operand(const ExplainedOperandB &o) {
  return {{"operand", o.operand}, {"nodes", o.nodes}, {"packed", o.when},
          {"panel", o.panel},     {"bytes", o.bytes}, {"why", o.why}};
}

Json kernel(const ExplainedKernel &k) {
  Json offers = list(k.offers, [](const ExplainedOffer &offer) {
    Json json = {{"provider", offer.provider}};
    if (offer.cost)
      json["cost"] = *offer.cost;
    else
      json["refusal"] = offer.refusal;
    return json;
  });
  Json calls = list(k.calls, [](const auto &call) {
    return Json{{"step", call.first}, {"calls", call.second}};
  });
  return {{"symbol", k.symbol},
          {"provider", k.provider},
          {"m", k.m},
          {"n", k.n},
          {"k", k.k},
          {"epilogue_operations", k.epilogueOperations},
          {"accumulates", k.accumulates},
          {"offers", offers},
          {"calls", calls}};
}

Json launch(const ExplainedLaunch &l) {
  return {{"nodes", l.nodes}, {"steps", l.steps}, {"grid", l.grid}, {"tasks", l.tasks}};
}

Json remark(const ExplainedRemark &r) {
  return {{"pass", r.pass}, {"nodes", r.nodes}, {r.isRefusal ? "refused" : "applied", r.text}};
}

Json floats(const ExplainedFloats &f) {
  return {{"node", f.node}, {"place", f.place}, {"why", f.why}};
}

Json warning(const ExplainedWarning &w) { return {{"nodes", w.nodes}, {"text", w.text}}; }

Json buffer(const ExplainedBuffer &b) {
  return {{"values", b.values},     {"type", b.type},   {"writers", b.writers},
          {"offset", b.offset},     {"bytes", b.bytes}, {"first_step", b.firstStep},
          {"last_step", b.lastStep}};
}

Json copy(const ExplainedCopy &c) {
  return {
      {"nodes", c.nodes}, {"from", c.from}, {"into", c.into}, {"bytes", c.bytes}, {"why", c.why}};
}

const char *name(WeightStorage storage) {
  switch (storage) {
  case WeightStorage::shared:
    return "shared";
  case WeightStorage::object:
    return "object";
  case WeightStorage::none:
    return "none";
  }
  return "";
}

Json weight(const ExplainedWeight &w) {
  Json json = {{"names", w.names},   {"symbol", w.symbol},           {"bytes", w.bytes},
               {"packed", w.packed}, {"transformed", w.transformed}, {"storage", name(w.storage)}};
  if (w.storage == WeightStorage::none)
    json["folded_into"] = w.into;
  return json;
}

Json schedule(const ExplainedSchedule &s) {
  Json json = {{"node", s.node}, {"schedule", s.schedule}, {"applied", s.refusal.empty()}};
  if (!s.refusal.empty())
    json["refusal"] = s.refusal;
  if (!s.part.empty())
    json["part"] = s.part;
  return json;
}

Json budget(const ExplainedBudget &b) {
  Json largest = Json::array();
  for (const auto &[name, bytes] : b.largest)
    largest.push_back({{"name", name}, {"bytes", bytes}});
  Json json = {{"kind", b.kind}, {"used", b.used}, {"budget", b.limit}, {"largest", largest}};
  if (!b.graph.empty())
    json["graph"] = b.graph;
  return json;
}

Json tiles(const ExplainedTiles &t) {
  return {{"nodes", t.nodes}, {t.key, t.choice.empty() ? Json(t.sizes) : Json(t.choice)}};
}

Json rejectedTiles(const ExplainedRejectedTiles &t) {
  Json json = tiles(t.tiles);
  json["why"] = t.why;
  return json;
}

Json part(const Explanation &e) {
  Json json = {{"graph", e.graph},
               {"target", e.target},
               {"inputs", e.inputs},
               {"outputs", e.outputs},
               {"workspace_bytes", e.workspaceBytes},
               {"weight_bytes", e.weightBytes()},
               {"copied_bytes", e.copiedBytes()},
               {"warnings", list(warningsOf(e), warning)},
               {"schedules", list(e.schedules, schedule)},
               {"tiles", list(e.tiles, tiles)},
               {"lost_tiles", list(e.rejectedTiles, rejectedTiles)},
               {"nodes", list(e.nodes, node)},
               {"steps", list(e.steps, step)},
               {"operands_b", list(e.operands, operand)},
               {"micro_kernels", list(e.kernels, kernel)},
               {"launches", list(e.launches, launch)},
               {"remarks", list(e.remarks, remark)},
               {"buffers", list(e.buffers, buffer)},
               {"copies", list(e.copies, copy)},
               {"weights", list(e.weights, weight)}};
  if (e.card)
    json["card"] = {{"launches", e.steps.size()},
                    {"kernels", e.card->kernels},
                    {"weight_bytes", e.card->weightBytes}};
  if (!e.floats.empty())
    json["dequantized"] = list(e.floats, floats);
  if (!e.workspaceSizes.empty())
    json["workspace_greatest_of"] = e.workspaceSizes;
  return json;
}

} // namespace

std::string explainJson(const LibraryExplanation &library) {
  Json json = {{"library", library.library},
               {"weight_bytes", library.weightBytes},
               {"parts", list(library.parts, part)}};
  if (!library.budgets.empty())
    json["budgets"] = list(library.budgets, budget);
  return formatJson(json);
}

} // namespace kgen
