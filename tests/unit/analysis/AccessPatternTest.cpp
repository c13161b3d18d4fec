// Access patterns of loops to an operand, by its indexing map.
#include "analysis/AccessPattern.h"

#include <mlir/AsmParser/AsmParser.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/MLIRContext.h>

#include <catch2/catch.hpp>

using namespace kgen;

TEST_CASE("access patterns by indexing map") {
  constexpr unsigned none = ~0U;
  struct Row {
    const char *map;
    BroadcastKind kind;
    unsigned contiguous;         ///< the loop, or none
    bool isStrided[3], plain[3]; ///< for each loop
  };
  mlir::MLIRContext context;
  for (const Row &row : {Row{"(i, j, k) -> (i, j, k)",
                             BroadcastKind::none,
                             2,
                             {true, true, false},
                             {true, true, true}},
                         Row{"(i, j, k) -> (i, j)",
                             BroadcastKind::perRow,
                             1,
                             {true, false, false},
                             {true, true, true}},
                         Row{"(i, j, k) -> (k)",
                             BroadcastKind::perColumn,
                             2,
                             {false, false, false},
                             {true, true, true}},
                         Row{"(i, j, k) -> ()",
                             BroadcastKind::scalar,
                             none,
                             {false, false, false},
                             {true, true, true}},
                         Row{"(i, j, k) -> (i, k, j)",
                             BroadcastKind::other,
                             1,
                             {true, false, true},
                             {true, true, true}},
                         Row{"(i, j, k) -> (i, j + k)",
                             BroadcastKind::other,
                             none,
                             {true, false, false},
                             {true, false, false}},
                         Row{"(i, j, k) -> (i + 2 * j, k)",
                             BroadcastKind::other,
                             2,
                             {true, true, false},
                             {false, false, true}},
                         Row{"(i, j, k) -> (j, j)",
                             BroadcastKind::other,
                             1,
                             {false, false, false},
                             {true, true, true}}}) {
    CAPTURE(row.map);
    auto map = mlir::cast<mlir::AffineMapAttr>(
                   mlir::parseAttribute(std::string("affine_map<") + row.map + ">", &context))
                   .getValue();
    AccessPattern access(map);
    CHECK((access.broadcastKind() == row.kind));
    CHECK(access.isFull() == (row.kind == BroadcastKind::none));
    CHECK(access.contiguousLoop().value_or(none) == row.contiguous);
    for (unsigned loop = 0; loop < 3; ++loop) {
      CAPTURE(loop);
      CHECK(access.isStridedAlong(loop) == row.isStrided[loop]);
      CHECK(access.movesPlainlyAlong(loop) == row.plain[loop]);
    }
  }
}

TEST_CASE("transposed operands, and those that are broadcast along one loop") {
  mlir::MLIRContext context;
  auto patternOf = [&](const std::string &map) {
    return AccessPattern(
        llvm::cast<mlir::AffineMapAttr>(mlir::parseAttribute("affine_map<" + map + ">", &context))
            .getValue());
  };
  CHECK(patternOf("(i, j, k) -> (k, j)").transposedLoop(2) == 1u);
  CHECK(patternOf("(i, j, k) -> (i, k, j)").transposedLoop(2) == 1u);
  CHECK_FALSE(patternOf("(i, j, k) -> (j, k)").transposedLoop(2));     // contiguous, too
  CHECK_FALSE(patternOf("(i, j, k) -> (i, j)").transposedLoop(2));     // broadcast
  CHECK_FALSE(patternOf("(i, j, k) -> (k, i + j)").transposedLoop(2)); // a window
  CHECK_FALSE(patternOf("(i, j, k) -> ()").transposedLoop(2));
  CHECK(patternOf("(i, j, k) -> (i, k)").isBroadcastAlongOnly(1));
  CHECK_FALSE(patternOf("(i, j, k) -> (k, i)").isBroadcastAlongOnly(1));
  CHECK_FALSE(patternOf("(i, j, k) -> (k)").isBroadcastAlongOnly(1));
}
