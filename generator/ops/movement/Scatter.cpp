// ScatterElements, ScatterND: updates are written one after another, since ONNX defines the result
// of several updates of one element.
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"
#include "ops/movement/Indices.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace kgen {
namespace {

using Shape = SmallVector<int64_t>;

/// True if the data's type has the reduction, and the updates are of that type and shape.
bool checkUpdates(const InferenceContext &context, ArrayRef<int64_t> shape) {
  const TensorType &data = context.input(0), &updates = context.input(2);
  const std::string &op = context.node.op->name, &reduction = context.string("reduction");
  if (!llvm::is_contained({"none", "add", "mul", "max", "min"}, reduction)) {
    context.error(op + "'s reduction must be none, add, mul, max or min, not '" + reduction + "'");
    return false;
  }
  if (reduction != "none" && (isStoredOnly(data.element) || data.element == ElementType::boolean)) {
    context.error(op + " with a reduction takes types that are computed in, not " + data.str());
    return false;
  }
  if (updates.element == data.element && ArrayRef(updates.shape.numbers()) == shape)
    return true;
  TensorType wanted{data.element, {shape.begin(), shape.end()}};
  context.error(op + "'s updates (input 3) must be " + wanted.str() + ", they are " +
                updates.str());
  return false;
}

/// Writes updates into copies of the data.
class Scatter {
public:
  explicit Scatter(LoweringContext &c)
      : c(c), isKnown(c.constantData(1) != nullptr),
        sizes(c.input(0).shape.begin(), c.input(0).shape.end()) {}

  Value elements(int64_t axis);
  Value slices();

private:
  Value number(int64_t value) { return arith::ConstantIndexOp::create(c.b, c.loc, value); }

  /// `tensor` after `body` for every subscript of `shape`.
  Value emitLoops(ArrayRef<int64_t> shape, Value tensor,
                  llvm::function_ref<Value(ValueRange at, Value tensor)> body,
                  SmallVector<Value> at = {}) {
    if (at.size() == shape.size())
      return body(at, tensor);
    auto loop =
        scf::ForOp::create(c.b, c.loc, number(0), number(shape[at.size()]), number(1), tensor);
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToStart(loop.getBody());
    at.push_back(loop.getInductionVar());
    Value next = emitLoops(shape, loop.getRegionIterArg(0), body, at);
    scf::YieldOp::create(c.b, c.loc, next);
    return loop.getResult(0);
  }

  Value combined(Value old, Value update);
  Value indexAt(Value indices, ValueRange at, int64_t size) {
    return indexOnAxis(c.b, c.loc, tensor::ExtractOp::create(c.b, c.loc, indices, at), size,
                       isKnown);
  }
  Value written(Value tensor, ValueRange subscripts, Value updates, ValueRange at,
                ArrayRef<int64_t> rest);

  LoweringContext &c;
  bool isKnown;
  Shape sizes; ///< of the data
};

/// An update and what it falls on, as tensors.
Value Scatter::combined(Value old, Value update) {
  const std::string &reduction = c.string("reduction");
  bool hasNoSign = isUnsigned(c.input(0).element);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    if (reduction == "add")
      return tpp::scalar::add(b, loc, v);
    if (reduction == "mul")
      return tpp::scalar::mul(b, loc, v);
    return reduction == "max" ? tpp::scalar::maximum(b, loc, v, hasNoSign)
                              : tpp::scalar::minimum(b, loc, v, hasNoSign);
  };
  return c.elementwise(cast<RankedTensorType>(old.getType()), {old, update}, body);
}

/// `tensor` with the slice of `updates` at `at`, of shape `rest`, at `subscripts`.
Value Scatter::written(Value tensor, ValueRange subscripts, Value updates, ValueRange at,
                       ArrayRef<int64_t> rest) {
  bool isCopy = c.string("reduction") == "none";
  if (isCopy && rest.empty()) {
    Value update = tensor::ExtractOp::create(c.b, c.loc, updates, at);
    return tensor::InsertOp::create(c.b, c.loc, update, tensor, subscripts);
  }
  auto slice = [&](ValueRange first) {
    SmallVector<OpFoldResult> offsets(first.begin(), first.end());
    offsets.append(rest.size(), c.b.getIndexAttr(0));
    Shape shape(first.size(), 1);
    shape.append(rest.begin(), rest.end());
    return std::pair(offsets, shape);
  };
  auto [from, read] = slice(at);
  auto [to, shape] = slice(subscripts);
  Value update = extractSlice(c.b, c.loc, updates, from, read, rest);
  if (!isCopy)
    update = combined(extractSlice(c.b, c.loc, tensor, to, shape, rest), update);
  return insertSlice(c.b, c.loc, tensor, update, to, shape);
}

Value Scatter::elements(int64_t axis) {
  Value indices = c.operand(1), updates = c.operand(2);
  return emitLoops(c.input(1).shape, c.operand(0), [&](ValueRange at, Value tensor) {
    SmallVector<Value> subscripts(at);
    subscripts[axis] = indexAt(indices, at, sizes[axis]);
    return written(tensor, subscripts, updates, at, {});
  });
}

Value Scatter::slices() {
  const std::vector<int64_t> &shape = c.input(1).shape;
  int64_t depth = shape.back(), count = c.input(1).elementCount() / depth;
  Value indices = c.reshape(c.operand(1), {count, depth});
  Shape rest(ArrayRef(sizes).drop_front(depth)), all{count};
  llvm::append_range(all, rest);
  Value updates = c.reshape(c.operand(2), all);
  return emitLoops({count}, c.operand(0), [&](ValueRange at, Value tensor) {
    SmallVector<Value> subscripts;
    for (int64_t i = 0; i < depth; ++i)
      subscripts.push_back(indexAt(indices, {at.front(), number(i)}, sizes[i]));
    return written(tensor, subscripts, updates, at, rest);
  });
}

std::vector<TensorType> inferScatterElements(InferenceContext &context) {
  if (!checkIndicesOfElements(context) || !checkUpdates(context, context.input(1).shape))
    return {};
  return {context.input(0)};
}

std::vector<TensorType> inferScatterNd(InferenceContext &context) {
  const TensorType &data = context.input(0), &indices = context.input(1);
  int64_t depth = indices.shape.empty() ? 0 : indices.shape.back();
  if (depth < 1 || depth > static_cast<int64_t>(data.shape.size())) {
    context.error("ScatterND needs indices [..., k] with k from 1 to the data's dimensions: the "
                  "data are " +
                  data.str() + ", the indices " + indices.str());
    return {};
  }
  if (!checkIndices(context, ArrayRef(data.shape.numbers()).take_front(depth)))
    return {};
  Shape shape(ArrayRef(indices.shape.numbers()).drop_back());
  llvm::append_range(shape, ArrayRef(data.shape.numbers()).drop_front(depth));
  return checkUpdates(context, shape) ? std::vector{data} : std::vector<TensorType>();
}

Operator scattering(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary) + "; an index out of bounds is clamped";
  op.minInputs = op.maxInputs = 3;
  op.types = allElementTypes();
  op.attributes = {{"reduction", AttributeKind::string, std::string("none"), false,
                    "how updates combine with elements: none (replace), add, mul, max or min"}};
  return op;
}

} // namespace

std::vector<Operator> scatterOperators() {
  Operator elements =
      scattering("ScatterElements", "the data with updates at an index along an axis for each");
  elements.attributes.insert(
      elements.attributes.begin(),
      {"axis", AttributeKind::integer, int64_t(0), false, "counted from the end if negative"});
  elements.infer = inferScatterElements;
  elements.lower = [](LoweringContext &c) {
    int64_t axis = *normalizeAxis(c, c.integer("axis"), c.input(0).shape.size());
    c.setResult(Scatter(c).elements(axis));
  };
  Operator nd =
      scattering("ScatterND", "the data with slices at an index for each of several axes");
  nd.infer = inferScatterNd;
  nd.lower = [](LoweringContext &c) { c.setResult(Scatter(c).slices()); };
  return {elements, nd};
}

} // namespace kgen
