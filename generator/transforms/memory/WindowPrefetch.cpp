#include "transforms/memory/WindowPrefetch.h"

#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/memory/PrefetchBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t aheadBytes = 8192; ///< measured: 2048 are 30 % slower, 16384 no faster
constexpr int64_t shortestRow = 512; ///< bytes; shorter ones are one stream for the hardware
constexpr int64_t mostLines = 16;    ///< that a step asks for

/// A number of elements from where memory begins: multiples of values, and a constant.
struct Place {
  llvm::MapVector<Value, int64_t> parts;
  int64_t constant = 0;

  void add(Value value, int64_t factor) {
    if (std::optional<int64_t> number = getConstantIntValue(value)) {
      constant += factor * *number;
      return;
    }
    auto sum = value.getDefiningOp<arith::AddIOp>();
    auto product = value.getDefiningOp<arith::MulIOp>();
    std::optional<int64_t> times =
        product ? getConstantIntValue(product.getRhs()) : std::optional<int64_t>();
    if (sum) {
      add(sum.getLhs(), factor);
      add(sum.getRhs(), factor);
    } else if (times) {
      add(product.getLhs(), factor * *times);
    } else {
      parts[value] += factor;
    }
  }
  bool isBeside(const Place &other) const {
    return parts.size() == other.parts.size() && llvm::all_of(parts, [&](const auto &part) {
             return other.parts.lookup(part.first) == part.second;
           });
  }
};

/// Nothing unless a vector of neighbours is read, and it is known how rows lie.
std::optional<Place> placeOf(vector::TransferReadOp read) {
  auto memory = dyn_cast<MemRefType>(read.getBase().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memory || read.getVectorType().getRank() != 1 || bytesOfElement(memory) == 0 ||
      !read.getPermutationMap().isMinorIdentity() ||
      failed(memory.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic) || strides.empty() || strides.back() != 1)
    return std::nullopt;
  Place place;
  for (auto [index, stride] : llvm::zip_equal(read.getIndices(), strides))
    place.add(index, stride);
  return place;
}

int64_t stepOf(scf::ForOp loop) { return getConstantIntValue(loop.getStep()).value_or(0); }

int64_t tripsOf(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  return trips ? trips->getSExtValue() : 0;
}

} // namespace

SmallVector<WindowPrefetch> windowPrefetches(scf::ForOp loop, int64_t cache) {
  struct Group {
    Place place;    ///< of the last read
    int64_t lowest; ///< of all
    WindowPrefetch stream;
  };
  SmallVector<Group> groups;
  auto rows = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!rows || !loop.getOps<scf::ForOp>().empty())
    return {};
  for (auto read : loop.getOps<vector::TransferReadOp>()) {
    std::optional<Place> place = placeOf(read);
    if (!place || bytesOfSource(read.getBase()) <= cache)
      continue;
    int64_t elements = read.getVectorType().getNumElements();
    auto known = llvm::find_if(groups, [&](Group &group) {
      return group.stream.last.getBase() == read.getBase() && group.place.isBeside(*place);
    });
    if (known == groups.end()) {
      Place inRow;
      inRow.add(read.getIndices().back(), 1);
      int64_t column = inRow.parts.lookup(loop.getInductionVar()) * stepOf(loop);
      int64_t row = place->parts.lookup(rows.getInductionVar()) * stepOf(rows);
      groups.push_back({*place, place->constant, {loop, read, elements, column, row}});
      continue;
    }
    known->stream.elements += elements;
    known->lowest = std::min(known->lowest, place->constant);
    if (place->constant > known->place.constant) {
      known->place = *place;
      known->stream.last = read;
    }
  }
  SmallVector<WindowPrefetch> found;
  for (Group &group : groups) {
    WindowPrefetch &stream = group.stream;
    int64_t ofRow = stream.column * tripsOf(loop), read = stream.elements * tripsOf(loop);
    bool isLong = ofRow * bytesOfElement(stream.last.getVectorType()) >= shortestRow;
    bool areSeveral = stream.elements >= 2 * stream.column;
    bool areNeighbours = group.place.constant - group.lowest < read;
    bool goesOn = stream.row > ofRow / 2 && stream.row <= 2 * read; // without much in between
    bool areWindows = stream.column > stepOf(loop) || read > stream.row;
    if (isLong && areSeveral && areNeighbours && goesOn && areWindows)
      found.push_back(stream);
  }
  return found;
}

void prefetchWindow(WindowPrefetch stream) {
  auto [inner, last, elements, column, row] = stream;
  int64_t bytes = bytesOfElement(last.getVectorType()), inLine = lineBytes / bytes;
  OpBuilder b(last);
  Location loc = last.getLoc();
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  SmallVector<Value> place(last.getIndices());
  auto further = [&](Value by) { place.back() = arith::AddIOp::create(b, loc, place.back(), by); };
  // While a row is read, all that the next step needs is asked for.
  int64_t trips = tripsOf(inner), step = stepOf(inner), ofRow = trips * column;
  int64_t lines = llvm::divideCeil(row, trips * inLine), faster = lines * inLine - column;
  if (faster % step != 0 || lines > mostLines)
    return;
  Value start = arith::SubIOp::create(b, loc, inner.getInductionVar(), inner.getLowerBound());
  further(arith::MulIOp::create(b, loc, start, index(faster / step)));
  further(index(std::max(aheadBytes / bytes + ofRow - row, int64_t(0))));
  prefetchLines(b, loc, last.getBase(), place, lines * inLine, {/*isWrite=*/false, localityL2});
}

} // namespace kgen
