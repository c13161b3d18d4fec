// Einsum: sums of products of elements, said by letters for dimensions.
//
// Each pair of operands becomes one contraction: dimensions that both and the result have are
// batches, those of one operand only are rows or columns, those that both have and the result has
// not are summed over. Rows, columns and sums of several dimensions become one each.
#include "ops/Conversion.h"
#include "ops/ElementRemap.h"
#include "ops/TypeRules.h"
#include "ops/product/EinsumEquation.h"
#include "ops/product/MatMulLowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferEinsum(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  auto equation = einsumEquation(context);
  if (!equation)
    return {};
  TensorType result{context.input(0).element, {}};
  for (Label label : equation->result)
    result.shape.push_back(equation->sizes.at(label));
  return {result};
}

/// A tensor with a label for each of its dimensions, all of them different.
struct Labelled {
  Value value;
  Labels labels;

  bool has(Label label) const { return llvm::is_contained(labels, label); }
};

/// Lowers one Einsum.
class Einsum {
public:
  explicit Einsum(LoweringContext &c)
      : c(c), equation(*einsumEquation(c)), element(c.input(0).element) {}

  void lower();

private:
  Labelled operand(size_t i);
  Labelled diagonal(Labelled x);
  Labelled summed(Labelled x, const Labels &kept);
  Labelled ordered(Labelled x, const Labels &labels);
  Labelled grouped(Labelled x, ArrayRef<Labels> groups);
  Labelled multiplied(const Labelled &a, const Labelled &b, const Labels &kept);
  Labelled contracted(const Labelled &a, const Labelled &b, const Labels &kept);

  SmallVector<int64_t> shapeOf(const Labels &labels) const {
    SmallVector<int64_t> shape;
    for (Label label : labels)
      shape.push_back(equation.sizes.at(label));
    return shape;
  }
  int64_t sizeOf(const Labels &labels) const { return ShapedType::getNumElements(shapeOf(labels)); }
  /// From an iteration space whose dimensions are called `space` to a tensor's.
  AffineMap mapOf(const Labels &space, const Labels &labels) const;

  LoweringContext &c;
  EinsumEquation equation;
  ElementType element;
};

AffineMap Einsum::mapOf(const Labels &space, const Labels &labels) const {
  SmallVector<AffineExpr> results;
  for (Label label : labels)
    results.push_back(c.b.getAffineDimExpr(llvm::find(space, label) - space.begin()));
  return AffineMap::get(space.size(), 0, results, c.b.getContext());
}

/// Input i without dimensions of one that are repeated.
Labelled Einsum::operand(size_t i) {
  Labelled x{c.operand(i), {}};
  SmallVector<int64_t> kept;
  for (auto [label, size] : llvm::zip_equal(equation.operands[i], c.input(i).shape)) {
    if (size == 1 && equation.sizes.at(label) != 1)
      continue;
    x.labels.push_back(label);
    kept.push_back(size);
  }
  x.value = c.reshape(x.value, kept);
  return diagonal(std::move(x));
}

/// With each label once: the elements whose indices are equal where labels are.
Labelled Einsum::diagonal(Labelled x) {
  Labels once;
  for (Label label : x.labels)
    if (!llvm::is_contained(once, label))
      once.push_back(label);
  if (once.size() == x.labels.size())
    return x;
  return {rearranged(c, x.value, mapOf(once, x.labels), shapeOf(once)), once};
}

/// Summed over the labels that are not among `kept`.
Labelled Einsum::summed(Labelled x, const Labels &kept) {
  Labels left;
  for (Label label : x.labels)
    if (llvm::is_contained(kept, label))
      left.push_back(label);
  if (left.size() == x.labels.size())
    return x;
  Type accumulator = accumulatorType(element, c.b.getContext());
  auto type = RankedTensorType::get(shapeOf(left), accumulator);
  Value sums =
      c.generic(c.filled(type, 0.0), x.value, {mapOf(x.labels, x.labels), mapOf(x.labels, left)},
                [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                  if (isFloat(element))
                    return arith::AddFOp::create(b, loc, v[1], v[0]);
                  return arith::AddIOp::create(b, loc, v[1], v[0]);
                });
  return {sums, left};
}

Labelled Einsum::ordered(Labelled x, const Labels &labels) {
  SmallVector<int64_t> order;
  for (Label label : labels)
    order.push_back(llvm::find(x.labels, label) - x.labels.begin());
  if (llvm::is_sorted(order))
    return x;
  return {transposed(c.b, c.loc, x.value, order), labels};
}

/// Each group as one dimension, called like its first label; an empty group has none. Nothing moves
/// if the labels of all groups follow each other.
Labelled Einsum::grouped(Labelled x, ArrayRef<Labels> groups) {
  auto isTogether = [&](const Labels &group) {
    return std::search(x.labels.begin(), x.labels.end(), group.begin(), group.end()) !=
               x.labels.end() ||
           group.empty();
  };
  if (!llvm::all_of(groups, isTogether)) {
    Labels labels;
    for (const Labels &group : groups)
      labels.insert(labels.end(), group.begin(), group.end());
    x = ordered(std::move(x), labels);
  }
  Labels names;
  SmallVector<int64_t> shape;
  for (Label label : x.labels)
    for (const Labels &group : groups)
      if (!group.empty() && group.front() == label) {
        names.push_back(label);
        shape.push_back(sizeOf(group));
      }
  return {c.reshape(x.value, shape), names};
}

/// The products of all elements, without sums.
Labelled Einsum::multiplied(const Labelled &a, const Labelled &b, const Labels &kept) {
  auto type = RankedTensorType::get(shapeOf(kept), accumulatorType(element, c.b.getContext()));
  Value value = c.generic(c.empty(type), {a.value, b.value},
                          {mapOf(kept, a.labels), mapOf(kept, b.labels), mapOf(kept, kept)},
                          [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                            if (isFloat(element))
                              return arith::MulFOp::create(b, loc, v[0], v[1]);
                            return arith::MulIOp::create(b, loc, v[0], v[1]);
                          });
  return {value, kept};
}

/// Their product with `kept` labels, in some order.
Labelled Einsum::contracted(const Labelled &a, const Labelled &b, const Labels &kept) {
  Labels batch, rows, columns, sums;
  for (Label label : a.labels) {
    bool isKept = llvm::is_contained(kept, label);
    (!b.has(label) ? rows : isKept ? batch : sums).push_back(label);
  }
  for (Label label : b.labels)
    if (!a.has(label))
      columns.push_back(label);
  if (sums.empty())
    return multiplied(a, b, kept);
  SmallVector<Labels> ofA, ofB;
  for (Label label : batch) {
    ofA.push_back({label});
    ofB.push_back({label});
  }
  ofA.append({rows, sums});
  ofB.append({sums, columns});
  Labelled left = grouped(a, ofA), right = grouped(b, ofB);
  // Intermediate results are not rounded: an operand next to one is up-converted, too.
  Type narrow = toMlir(element, c.b.getContext());
  ElementType computeElement = computeType(narrow) == narrow ? element : ElementType::f32;
  bool isNarrow =
      getElementTypeOrSelf(left.value) == narrow && getElementTypeOrSelf(right.value) == narrow;
  for (Labelled *x : {&left, &right})
    if (!isNarrow)
      x->value = c.rounded(x->value, toMlir(computeElement, c.b.getContext()));
  // The iteration space: batches, rows, columns, what is summed over.
  Labels space = batch, all = batch;
  SmallVector<int64_t> shape = shapeOf(batch);
  for (const Labels &group : {rows, columns}) {
    if (group.empty())
      continue;
    space.push_back(group.front());
    shape.push_back(sizeOf(group));
    all.insert(all.end(), group.begin(), group.end());
  }
  space.push_back(sums.front());
  auto factor = [&](const Labelled &x) {
    Factor result{x.value, isNarrow ? element : computeElement, {}};
    for (Label label : x.labels)
      result.dims.push_back(llvm::find(space, label) - space.begin());
    return result;
  };
  Value value = contract(c, TensorShape(shape.begin(), shape.end()), factor(left), factor(right),
                         sizeOf(sums));
  return {c.reshape(value, shapeOf(all)), all};
}

void Einsum::lower() {
  std::vector<Labelled> operands;
  for (size_t i = 0; i < c.inputCount(); ++i)
    operands.push_back(operand(i));
  // The labels of the result and of the operands from number i on.
  auto neededFrom = [&](size_t i) {
    Labels labels = equation.result;
    for (; i < operands.size(); ++i)
      labels.insert(labels.end(), operands[i].labels.begin(), operands[i].labels.end());
    return labels;
  };
  Labelled result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    Labels later = neededFrom(i + 1), both = later;
    both.insert(both.end(), result.labels.begin(), result.labels.end());
    Labels ofResult = later;
    ofResult.insert(ofResult.end(), operands[i].labels.begin(), operands[i].labels.end());
    Labelled a = summed(result, ofResult), b = summed(operands[i], both);
    Labels kept;
    for (const Labels &labels : {equation.result, a.labels, b.labels})
      for (Label label : labels)
        if ((a.has(label) || b.has(label)) && llvm::is_contained(later, label) &&
            !llvm::is_contained(kept, label))
          kept.push_back(label);
    // Columns are contiguous in the result: they are those of the operand that has its last label.
    if (!kept.empty() && a.has(kept.back()) && !b.has(kept.back()))
      std::swap(a, b);
    result = contracted(a, b, kept);
  }
  result = ordered(summed(std::move(result), equation.result), equation.result);
  c.setResult(c.rounded(result.value, c.resultTensor().getElementType()));
}

} // namespace

std::vector<Operator> einsumOperators() {
  Operator op;
  op.name = "Einsum";
  op.summary = "sums of products by an equation of letters for dimensions; integers wrap";
  op.maxInputs = operatorUnlimited;
  op.attributes = {
      {"equation", AttributeKind::string, std::nullopt, false,
       "letters for the dimensions of each input, between commas, and after '->' those "
       "of the result"}};
  op.factors = operatorUnlimited;
  op.types = floatTypes();
  op.types.insert(op.types.end(), {ElementType::i32, ElementType::i64});
  op.infer = inferEinsum;
  op.lower = [](LoweringContext &c) { Einsum(c).lower(); };
  return {op};
}

} // namespace kgen
