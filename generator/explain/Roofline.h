// A roofline: how fast functions are, over how much they compute for each byte, below what the
// machine's arithmetic and memory allow.
#pragma once

#include <string>
#include <vector>

namespace kgen {

struct Roofline {
  struct Rate {
    std::string label;
    double rate; ///< GFLOPS of a roof, GB/s of a slope
  };
  struct Point {
    std::string label, group; ///< points of a group have a colour
    bool hollow = false;      ///< drawn as a circle, not as a disc
    double intensity, gflops; ///< FLOP per byte
  };
  std::string title, subtitle;
  std::vector<Rate> roofs, slopes;
  std::vector<Point> points;
};

/// A page of its own for the drawing, on a light ground; axes are logarithmic. Points are numbered,
/// and a list beside the plot names them. There must be a point, and rates must be positive.
std::string rooflineSvg(const Roofline &roofline);

} // namespace kgen
