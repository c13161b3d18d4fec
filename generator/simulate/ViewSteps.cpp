// Views of memory: parts, other shapes, other orders of dimensions.
#include "simulate/Steps.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {
namespace {

/// A step that gives a view another name.
class AliasStep : public Step {
public:
  AliasStep(int from, int to) : from(from), to(to) {}
  void run(Execution &execution) const override { execution.views[to] = execution.views[from]; }

private:
  int from, to;
};

/// Returns where a view begins; sizes and strides are to be added.
BufferView beginOf(const BufferView &source) {
  BufferView result;
  result.buffer = source.buffer;
  result.offset = source.offset;
  return result;
}

/// A view that reaches beyond its source becomes an empty one: nothing outside is touched.
void keepInside(BufferView &view, bool isInside, int site, Execution &execution) {
  if (isInside)
    return;
  if (execution.machine)
    execution.machine->fault(site, "bounds", "reaches beyond its source");
  view.offset = 0;
  std::fill(view.sizes.begin(), view.sizes.end(), 0);
}

class SubviewStep : public Step {
public:
  SubviewStep(memref::SubViewOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getSource())), to(builder.viewOf(op.getResult())),
        site(builder.siteOf(op)) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(), sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    for (unsigned d = 0; d < offsets.size(); ++d)
      dimensions.push_back({builder.indexOf(offsets[d]), builder.indexOf(sizes[d]),
                            builder.indexOf(strides[d]), dropped[d]});
  }

  void run(Execution &execution) const override {
    const BufferView &source = execution.views[from];
    BufferView result = beginOf(source);
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const Dimension &dimension = dimensions[d];
      int64_t offset = execution.index(dimension.offset),
              stride = execution.index(dimension.stride),
              size = std::max<int64_t>(0, execution.index(dimension.size));
      bool isInside = offset >= 0 && offset + (size - 1) * stride < source.sizes[d];
      if (size > 0 && !isInside) {
        if (execution.machine)
          execution.machine->fault(site, "bounds",
                                   "reaches beyond its source: " + std::to_string(size) +
                                       " elements from " + std::to_string(offset) +
                                       " on in a dimension of " + std::to_string(source.sizes[d]));
        offset = size = 0; // nothing outside of the buffer is touched
      }
      result.offset += offset * source.strides[d];
      if (dimension.isDropped)
        continue;
      result.sizes.push_back(size);
      result.strides.push_back(stride * source.strides[d]);
    }
    execution.views[to] = std::move(result);
  }

private:
  struct Dimension {
    IndexValue offset, size, stride;
    bool isDropped;
  };
  int from, to, site;
  SmallVector<Dimension, 6> dimensions;
};

class ExpandStep : public Step {
public:
  ExpandStep(memref::ExpandShapeOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getSrc())), to(builder.viewOf(op.getResult())),
        site(builder.siteOf(op)) {
    for (OpFoldResult size : op.getMixedOutputShape())
      sizes.push_back(builder.indexOf(size));
    for (auto &group : op.getReassociationIndices())
      groups.push_back({group.begin(), group.end()});
  }

  void run(Execution &execution) const override {
    const BufferView &source = execution.views[from];
    BufferView result = beginOf(source);
    result.strides.assign(sizes.size(), 1);
    for (const IndexValue &size : sizes)
      result.sizes.push_back(execution.index(size));
    for (size_t d = 0; d < groups.size(); ++d) {
      int64_t stride = source.strides[d];
      for (int64_t i : llvm::reverse(groups[d])) {
        result.strides[i] = stride;
        stride *= result.sizes[i];
      }
    }
    keepInside(result, source.elements() == result.elements(), site, execution);
    execution.views[to] = std::move(result);
  }

private:
  int from, to, site;
  SmallVector<IndexValue, 6> sizes;
  SmallVector<SmallVector<int64_t, 2>, 6> groups;
};

class CollapseStep : public Step {
public:
  CollapseStep(memref::CollapseShapeOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getSrc())), to(builder.viewOf(op.getResult())) {
    for (auto &group : op.getReassociationIndices())
      groups.push_back({group.begin(), group.end()});
  }

  void run(Execution &execution) const override {
    const BufferView &source = execution.views[from];
    BufferView result = beginOf(source);
    for (auto &group : groups) {
      int64_t size = 1, stride = 1;
      for (int64_t d : group) {
        size *= source.sizes[d];
        if (source.sizes[d] != 1) // the stride of one element says nothing
          stride = source.strides[d];
      }
      result.sizes.push_back(size);
      result.strides.push_back(stride);
    }
    execution.views[to] = std::move(result);
  }

private:
  int from, to;
  SmallVector<SmallVector<int64_t, 2>, 6> groups;
};

class PermuteStep : public Step {
public:
  PermuteStep(memref::TransposeOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getIn())), to(builder.viewOf(op.getResult())) {
    for (AffineExpr result : op.getPermutation().getResults())
      order.push_back(cast<AffineDimExpr>(result).getPosition());
  }

  void run(Execution &execution) const override {
    const BufferView &source = execution.views[from];
    BufferView result = beginOf(source);
    for (unsigned d : order) {
      result.sizes.push_back(source.sizes[d]);
      result.strides.push_back(source.strides[d]);
    }
    execution.views[to] = std::move(result);
  }

private:
  int from, to;
  SmallVector<unsigned, 6> order;
};

class ReinterpretStep : public Step {
public:
  ReinterpretStep(memref::ReinterpretCastOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getSource())), to(builder.viewOf(op.getResult())),
        site(builder.siteOf(op)), offset(builder.indexOf(op.getMixedOffsets().front())) {
    for (OpFoldResult size : op.getMixedSizes())
      sizes.push_back(builder.indexOf(size));
    for (OpFoldResult stride : op.getMixedStrides())
      strides.push_back(builder.indexOf(stride));
  }

  void run(Execution &execution) const override {
    BufferView result;
    result.buffer = execution.views[from].buffer;
    result.offset = execution.index(offset);
    for (size_t d = 0; d < sizes.size(); ++d) {
      result.sizes.push_back(execution.index(sizes[d]));
      result.strides.push_back(execution.index(strides[d]));
    }
    keepInside(result, isInside(result), site, execution);
    execution.views[to] = std::move(result);
  }

private:
  int from, to, site;
  IndexValue offset;
  SmallVector<IndexValue, 6> sizes, strides;
};

class DimensionStep : public Step {
public:
  DimensionStep(memref::DimOp op, StepBuilder &builder)
      : from(builder.viewOf(op.getSource())), to(builder.scalarOf(op.getResult())),
        dimension(builder.scalarOf(op.getIndex())) {}
  void run(Execution &execution) const override {
    int64_t d = execution.scalars[dimension].i;
    const BufferView &view = execution.views[from];
    execution.scalars[to].i =
        d >= 0 && d < static_cast<int64_t>(view.sizes.size()) ? view.sizes[d] : 0;
  }

private:
  int from, to, dimension;
};

} // namespace

bool addViewStep(Operation *op, StepBuilder &builder, StepBlock &block) {
  if (auto subview = dyn_cast<memref::SubViewOp>(op))
    builder.add(block, std::make_unique<SubviewStep>(subview, builder));
  else if (isa<memref::CastOp, memref::AssumeAlignmentOp>(op))
    builder.add(block, std::make_unique<AliasStep>(builder.viewOf(op->getOperand(0)),
                                                   builder.viewOf(op->getResult(0))));
  else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    builder.add(block, std::make_unique<ExpandStep>(expand, builder));
  else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
    builder.add(block, std::make_unique<CollapseStep>(collapse, builder));
  else if (auto permute = dyn_cast<memref::TransposeOp>(op))
    builder.add(block, std::make_unique<PermuteStep>(permute, builder));
  else if (auto reinterpret = dyn_cast<memref::ReinterpretCastOp>(op))
    builder.add(block, std::make_unique<ReinterpretStep>(reinterpret, builder));
  else if (auto dimension = dyn_cast<memref::DimOp>(op))
    builder.add(block, std::make_unique<DimensionStep>(dimension, builder));
  else
    return false;
  return true;
}

} // namespace kgen
