// Networks against a peer as a bar chart.
#pragma once

#include "Report.h"

#include <string>
#include <vector>

namespace bench {

/// Text of the caption about a run.
struct ChartCaption {
  std::string variant, peerIsa, peerVersion; ///< "x86-64-v4", "AVX512_CORE", "2.6.3"
  std::string cpu, date;                     ///< as cpuid says; "2026-11-24"
  unsigned threads;
};

/// An SVG document: for each line two bars, kgen's rate and the best peer's in GFLOPS as fractions
/// of the instruction peak, and kgen's ratio to the peer. The whiskers are the lowest and highest
/// tenth of the rounds.
std::string chartSvg(const std::vector<Line> &lines, const ChartCaption &caption);

} // namespace bench
