// Makes the plan of a macro-kernel: the block sizes first, then blocks and their register tiles,
// then what these prefetch.
//
//   GemmPlan.cpp          block sizes, blocks, register tiles
//   GemmPlanPrefetch.cpp  prefetches
#pragma once

#include "costmodel/GemmPlan.h"

namespace kgen {

class GemmPlanner {
public:
  GemmPlanner(const Cpu &cpu, const GemmFacts &gemm) : cpu(cpu), gemm(gemm) {}

  GemmPlan plan();

private:
  // Block sizes.
  void setBlocking(bool mayUseTiles);
  void fallBackFromTiles();
  void chooseDotProducts();
  void findOuterRows();
  void chooseUpconversion();
  void choosePackedA();
  bool hasPageDistantRows() const;
  bool hasDynamicRows() const { return gemm.rowDivisor > 0; }
  bool areDotProducts() const { return gemm.panel == 0 && gemm.isContiguousAlongK; }

  // Register tiles.
  bool isPlain() const;
  int64_t sumsPerRow(int64_t columns) const;
  int64_t rowGrain() const;
  int64_t usualRows(int64_t vectors) const;
  int64_t maxRows(int64_t vectors) const;
  int64_t rowsOfTile(int64_t rows, int64_t vectors) const;
  int64_t rowsInCache() const;
  RowTiles dynamicTiles(int64_t rows, const NBlocks &columns, int64_t maxTile) const;
  RemainderTile remainderTile(int64_t rows, const NBlocks &columns) const;
  int64_t outerRowsOfTile(int64_t vectors) const;

  // Blocks.
  std::vector<MBlocks> rowBlocks() const;
  std::vector<KBlocks> kBlocks() const;
  std::vector<KBlocks> kBlocks(int64_t total, int64_t size, bool areProducts) const;
  std::vector<NBlocks> columnBlocks() const;
  BlockTiles tilesOf(const MBlocks &rows, const NBlocks &columns) const;
  void planUpconvertedTiles();
  UpconvertedTiles upconvertedTiles(const MBlocks &rows, const NBlocks &block) const;

  // Prefetches.
  bool isBFromMemory() const;
  GemmPrefetchPlan prefetch(const MBlocks &rows, const NBlocks &columns, const KBlocks &depth,
                            int64_t maxTile) const;
  RemainderPrefetchPlans remainderPrefetches(const MBlocks &rows, const NBlocks &columns,
                                             const KBlocks &depth) const;
  int64_t streamsOfB(int64_t rows, int64_t depth) const;
  GemmPrefetchPlan nextPanel(const MBlocks &rows, const NBlocks &columns,
                             const KBlocks &depth) const;
  GemmPrefetchPlan nextColumnsOfB(const MBlocks &rows, const NBlocks &columns,
                                  const KBlocks &depth) const;
  GemmPrefetchPlan nextRowsOfA(const MBlocks &rows, const NBlocks &columns,
                               const KBlocks &depth) const;

  const Cpu &cpu;
  const GemmFacts &gemm;
  GemmPlan result;
  int64_t usualKc = 1; ///< k of a block by the target's block sizes; a kernel adds up little more
};

} // namespace kgen
