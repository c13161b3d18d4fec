#include "transforms/memory/WindowPrefetch.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/memory/PrefetchBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
namespace {

/// An offset in elements: a sum of multiples of values, and a constant.
struct LinearExpr {
  llvm::MapVector<Value, int64_t> terms;
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
      terms[value] += factor;
    }
  }
  bool differsByConstant(const LinearExpr &other) const {
    return terms.size() == other.terms.size() && llvm::all_of(terms, [&](const auto &term) {
             return other.terms.lookup(term.first) == term.second;
           });
  }
};

/// The offset of the first element; nothing unless contiguous elements are read with static
/// strides.
std::optional<LinearExpr> addressOf(vector::TransferReadOp read) {
  auto memory = dyn_cast<MemRefType>(read.getBase().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memory || read.getVectorType().getRank() != 1 || bytesOfElement(memory) == 0 ||
      !read.getPermutationMap().isMinorIdentity() ||
      failed(memory.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic) || strides.empty() || strides.back() != 1)
    return std::nullopt;
  LinearExpr address;
  for (auto [index, stride] : llvm::zip_equal(read.getIndices(), strides))
    address.add(index, stride);
  return address;
}

int64_t stepOf(scf::ForOp loop) { return getConstantIntValue(loop.getStep()).value_or(0); }

int64_t tripsOf(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  return trips ? trips->getSExtValue() : 0;
}

} // namespace

SmallVector<WindowPrefetch> windowPrefetches(scf::ForOp loop, int64_t cache) {
  struct Group {
    LinearExpr address; ///< of the last read
    int64_t lowest;     ///< of all
    WindowPrefetch window;
  };
  SmallVector<Group> groups;
  auto rows = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!rows || !loop.getOps<scf::ForOp>().empty())
    return {};
  for (auto read : loop.getOps<vector::TransferReadOp>()) {
    std::optional<LinearExpr> address = addressOf(read);
    if (!address || bytesOfSource(read.getBase()) <= cache)
      continue;
    int64_t elements = read.getVectorType().getNumElements();
    auto known = llvm::find_if(groups, [&](Group &group) {
      return group.window.last.getBase() == read.getBase() &&
             group.address.differsByConstant(*address);
    });
    if (known == groups.end()) {
      LinearExpr inRow;
      inRow.add(read.getIndices().back(), 1);
      int64_t column = inRow.terms.lookup(loop.getInductionVar()) * stepOf(loop);
      int64_t row = address->terms.lookup(rows.getInductionVar()) * stepOf(rows);
      groups.push_back({*address, address->constant, {loop, read, elements, column, row}});
      continue;
    }
    known->window.elements += elements;
    known->lowest = std::min(known->lowest, address->constant);
    if (address->constant > known->address.constant) {
      known->address = *address;
      known->window.last = read;
    }
  }
  SmallVector<WindowPrefetch> found;
  for (Group &group : groups) {
    WindowPrefetch &window = group.window;
    int64_t ofRow = window.column * tripsOf(loop), read = window.elements * tripsOf(loop);
    bool isLong = ofRow * bytesOfElement(window.last.getVectorType()) >=
                  cpuOf(loop).heuristics.minStreamedRowBytes;
    bool areSeveral = window.elements >= 2 * window.column;
    bool areAdjacent = group.address.constant - group.lowest < read;
    bool continues = window.row > ofRow / 2 && window.row <= 2 * read; // without large gaps
    bool areWindows = window.column > stepOf(loop) || read > window.row;
    if (isLong && areSeveral && areAdjacent && continues && areWindows)
      found.push_back(window);
  }
  return found;
}

bool prefetchWindow(WindowPrefetch window) {
  auto [inner, last, elements, column, row] = window;
  const Cpu &cpu = cpuOf(last);
  int64_t bytes = bytesOfElement(last.getVectorType()), inLine = cpu.lineBytes / bytes;
  OpBuilder b(last);
  Location loc = last.getLoc();
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  SmallVector<Value> address(last.getIndices());
  auto advance = [&](Value by) {
    address.back() = arith::AddIOp::create(b, loc, address.back(), by);
  };
  // While a row is read, all lines of the outer loop's next iteration are prefetched.
  int64_t trips = tripsOf(inner), step = stepOf(inner), ofRow = trips * column;
  int64_t lines = llvm::divideCeil(row, trips * inLine), faster = lines * inLine - column;
  if (faster % step != 0 || lines > cpu.heuristics.maxWindowPrefetches)
    return false;
  Value start = arith::SubIOp::create(b, loc, inner.getInductionVar(), inner.getLowerBound());
  advance(arith::MulIOp::create(b, loc, start, index(faster / step)));
  advance(index(std::max(cpu.heuristics.windowPrefetchDistance / bytes + ofRow - row, int64_t(0))));
  prefetchLines(b, loc, last.getBase(), address, lines * inLine, {/*isWrite=*/false, localityL2});
  return true;
}

} // namespace kgen
