#include "transforms/memory/WindowPrefetch.h"

#include "analysis/IndexRange.h"
#include "analysis/ViewSource.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/memory/PrefetchBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
namespace {

/// The offset of the first element; nothing unless contiguous elements are read with static
/// strides.
std::optional<LinearIndex> addressOf(vector::TransferReadOp read) {
  auto memory = dyn_cast<MemRefType>(read.getBase().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memory || read.getVectorType().getRank() != 1 || bytesOfElement(memory) == 0 ||
      !read.getPermutationMap().isMinorIdentity() ||
      failed(memory.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic) || strides.empty() || strides.back() != 1)
    return std::nullopt;
  LinearIndex address;
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
    LinearIndex address; ///< of the last read
    int64_t lowest;      ///< of all
    WindowPrefetch window;
  };
  SmallVector<Group> groups;
  auto rows = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!rows || !loop.getOps<scf::ForOp>().empty())
    return {};
  for (auto read : loop.getOps<vector::TransferReadOp>()) {
    std::optional<LinearIndex> address = addressOf(read);
    if (!address || bytesOfSource(read.getBase()) <= cache)
      continue;
    int64_t elements = read.getVectorType().getNumElements();
    auto known = llvm::find_if(groups, [&](Group &group) {
      return group.window.last.getBase() == read.getBase() &&
             group.address.differsByConstant(*address);
    });
    if (known == groups.end()) {
      LinearIndex inRow(read.getIndices().back());
      WindowReads reads{bytesOfElement(read.getVectorType()),
                        elements,
                        /*span=*/0,
                        tripsOf(loop),
                        stepOf(loop),
                        inRow.coefficientOf(loop.getInductionVar()) * stepOf(loop),
                        address->coefficientOf(rows.getInductionVar()) * stepOf(rows)};
      groups.push_back({*address, address->getConstant(), {loop, read, reads}});
      continue;
    }
    known->window.reads.elements += elements;
    known->lowest = std::min(known->lowest, address->getConstant());
    if (address->getConstant() > known->address.getConstant()) {
      known->address = *address;
      known->window.last = read;
    }
  }
  SmallVector<WindowPrefetch> found;
  for (Group &group : groups) {
    group.window.reads.span = group.address.getConstant() - group.lowest;
    if (areWindows(cpuOf(loop), group.window.reads))
      found.push_back(group.window);
  }
  return found;
}

bool prefetchWindow(WindowPrefetch window) {
  auto [inner, last, reads] = window;
  const Cpu &cpu = cpuOf(last);
  std::optional<WindowPrefetchPlan> plan = planWindowPrefetch(cpu, reads);
  if (!plan)
    return false;
  OpBuilder b(last);
  Location loc = last.getLoc();
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  SmallVector<Value> address(last.getIndices());
  auto advance = [&](Value by) {
    address.back() = arith::AddIOp::create(b, loc, address.back(), by);
  };
  Value start = arith::SubIOp::create(b, loc, inner.getInductionVar(), inner.getLowerBound());
  advance(arith::MulIOp::create(b, loc, start, index(plan->factor)));
  advance(index(plan->ahead));
  prefetchLines(b, loc, last.getBase(), address, plan->lines * cpu.lineBytes / reads.elementBytes,
                {/*isWrite=*/false, localityL2});
  return true;
}

} // namespace kgen
