#include "explain/GpuTables.h"

#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {
namespace {

constexpr size_t shownOffers = 2; ///< beside the tile that was taken

std::string gridText(const std::array<int64_t, 3> &sizes) {
  std::string text = std::to_string(sizes[0]);
  for (size_t i = 1; i < 3 && (sizes[1] != 1 || sizes[2] != 1); ++i)
    if (i == 1 || sizes[2] != 1)
      text += fmt::format(" x {}", sizes[i]);
  return text;
}

std::string formText(const ExplainedGpuLaunch &launch) {
  if (launch.form == "transposition")
    return fmt::format("{} of {} x {}", launch.form, launch.tile[0], launch.tile[1]);
  if (launch.product.empty())
    return launch.form;
  const std::vector<int64_t> &size = launch.product;
  return fmt::format("{} {}{} x {} x {}", launch.form,
                     size[0] > 1 ? fmt::format("{} x ", size[0]) : "", size[1], size[2], size[3]);
}

std::string tileText(const std::vector<int64_t> &tile) {
  return fmt::format("{} x {} x {}, {} x {} a thread", tile[0], tile[1], tile[2], tile[3], tile[4]);
}

std::string registersText(const ExplainedGpuLaunch &launch) {
  if (launch.registers == 0)
    return "-";
  std::string text =
      fmt::format("{}{}", launch.registersBy == "estimate" ? "~" : "", launch.registers);
  return launch.spilledBytes == 0 ? text
                                  : text + fmt::format(" ({} B spilled)", launch.spilledBytes);
}

/// "1.3": so many times the least.
std::string ratioText(int64_t moved, int64_t least) {
  return least == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(moved) / least);
}

/// Three digits: 0.0123, 12.3, 12345.
std::string cyclesText(double cycles) {
  return cycles >= 100 ? fmt::format("{:.0f}", cycles) : fmt::format("{:.3g}", cycles);
}

constexpr char workNote[] =
    "Registers of a thread: by ptxas where it is on PATH; with ~ what the cost model takes them to "
    "be; - is not counted.\nBytes move in sectors of 32 for each subgroup, caches are left out; "
    "the "
    "least are those of the launch's tensors, each once.";

} // namespace

Table gpuLaunchTable(const Explanation &e) {
  Table table{"Launches",
              {{"launch", true},
               {"kernel"},
               {"work of"},
               {"form"},
               {"blocks"},
               {"threads of a block"},
               {"threads", true}},
              {}};
  for (size_t i = 0; i < e.steps.size(); ++i)
    if (const std::optional<ExplainedGpuLaunch> &launch = e.steps[i].gpu)
      table.rows.push_back({std::to_string(i + 1), launch->kernel, joined(e.steps[i].nodes),
                            formText(*launch), gridText(launch->blocks), gridText(launch->threads),
                            std::to_string(launch->blockCount() * launch->threadsOfBlock())});
  return table;
}

Table gpuWorkTable(const Explanation &e) {
  Table table{"Work of launches",
              {{"launch", true},
               {"shared bytes", true},
               {"registers", true},
               {"blocks of a core", true},
               {"limit"},
               {"occupancy", true},
               {"read", true},
               {"written", true},
               {"least", true},
               {"times", true},
               {"flops", true},
               {"cycles", true},
               {"of"}},
              {}};
  for (size_t i = 0; i < e.steps.size(); ++i)
    if (const std::optional<ExplainedGpuLaunch> &launch = e.steps[i].gpu)
      table.rows.push_back(
          {std::to_string(i + 1), std::to_string(launch->sharedBytes), registersText(*launch),
           std::to_string(launch->blocksOfCore), launch->occupancyLimit,
           fmt::format("{:.0f} %", 100 * launch->occupancy), std::to_string(launch->readBytes),
           std::to_string(launch->writtenBytes), std::to_string(launch->leastBytes),
           ratioText(launch->movedBytes(), launch->leastBytes), std::to_string(launch->flops),
           cyclesText(launch->cycles), launch->limit});
  table.note = workNote;
  return table;
}

Table gpuTileTable(const Explanation &e) {
  Table table{"Tiles of products",
              {{"launch", true}, {"rows x columns x terms"}, {"cycles", true}, {"next, cycles"}},
              {}};
  for (size_t i = 0; i < e.steps.size(); ++i) {
    const std::optional<ExplainedGpuLaunch> &launch = e.steps[i].gpu;
    if (!launch || launch->product.empty())
      continue;
    std::vector<const ExplainedGpuTile *> others;
    for (const ExplainedGpuTile &offer : launch->offers)
      if (offer.cycles && offer.sizes != launch->tile)
        others.push_back(&offer);
    std::stable_sort(others.begin(), others.end(),
                     [](auto *a, auto *b) { return *a->cycles < *b->cycles; });
    std::string next;
    for (size_t k = 0; k < std::min(shownOffers, others.size()); ++k)
      next += fmt::format("{}{}: {}", next.empty() ? "" : "; ", tileText(others[k]->sizes),
                          cyclesText(*others[k]->cycles));
    table.rows.push_back(
        {std::to_string(i + 1), tileText(launch->tile), cyclesText(launch->cycles), next});
  }
  return table;
}

std::string gpuSummary(const Explanation &e) {
  int64_t moved = 0, least = 0;
  double cycles = 0;
  for (const ExplainedStep &step : e.steps)
    if (step.gpu) {
      moved += step.gpu->movedBytes();
      least += step.gpu->leastBytes;
      cycles += step.gpu->cycles;
    }
  return fmt::format("{} launch{} of {} kernel{}; {} moved, at least {}; {} cycles estimated; "
                     "workspace {}, weights {}",
                     e.steps.size(), e.steps.size() == 1 ? "" : "es", e.card->kernels,
                     e.card->kernels == 1 ? "" : "s", bytesText(moved), bytesText(least),
                     cyclesText(cycles), bytesText(e.workspaceBytes),
                     bytesText(e.card->weightBytes));
}

} // namespace kgen
