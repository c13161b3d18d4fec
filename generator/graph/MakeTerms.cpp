#include "graph/MakeTerms.h"

namespace kgen {
namespace {

using Kind = ElementTerm::Kind;

bool isSize(const ElementTermPtr &term, int64_t number) {
  return term->kind == Kind::size && term->size == Dim(number);
}

} // namespace

std::vector<size_t> longDims(const TensorShape &shape) {
  std::vector<size_t> dims;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape.dim(i) != Dim(1))
      dims.push_back(i);
  return dims;
}

ElementTermPtr sizeTerm(const Dim &size) {
  DimBounds bounds = size.bounds();
  if (bounds.min < -largestTermNumber || bounds.max > largestTermNumber)
    return nullptr;
  ElementTerm term{Kind::size};
  term.size = size;
  return std::make_shared<ElementTerm>(std::move(term));
}

ElementTermPtr makeTerm(Kind kind, ElementTermPtr left, ElementTermPtr right) {
  if (!left || !right)
    return nullptr;
  const bool areSizes = left->kind == Kind::size && right->kind == Kind::size;
  if (areSizes && kind == Kind::sum)
    return sizeTerm(left->size + right->size);
  if (areSizes && kind == Kind::difference)
    return sizeTerm(left->size - right->size);
  if (areSizes && kind == Kind::product)
    return sizeTerm(left->size * right->size);
  if (isSize(right, 0) && (kind == Kind::sum || kind == Kind::difference))
    return left;
  if (isSize(left, 0) && kind == Kind::sum)
    return right;
  if (kind == Kind::product && (isSize(left, 0) || isSize(right, 1)))
    return left;
  if (kind == Kind::product && (isSize(right, 0) || isSize(left, 1)))
    return right;
  return std::make_shared<ElementTerm>(ElementTerm{kind, {std::move(left), std::move(right)}});
}

ElementTermPtr narrowed(ElementTermPtr term) {
  return term ? std::make_shared<ElementTerm>(ElementTerm{Kind::narrowed, {std::move(term)}})
              : nullptr;
}

ElementTermPtr placeOf(const TensorShape &shape, const Subscripts &at) {
  ElementTermPtr place = sizeTerm(0);
  for (size_t i = 0; i < at.size(); ++i)
    place = makeTerm(Kind::sum, makeTerm(Kind::product, place, sizeTerm(shape.dim(i))), at[i]);
  return place;
}

Subscripts reshaped(const TensorShape &to, const Subscripts &at, const TensorShape &from) {
  Subscripts result(from.size(), sizeTerm(0));
  std::vector<size_t> here = longDims(to), there = longDims(from);
  bool isSame = here.size() == there.size();
  for (size_t i = 0; isSame && i < here.size(); ++i)
    isSame = to.dim(here[i]) == from.dim(there[i]);
  if (isSame) {
    for (size_t i = 0; i < here.size(); ++i)
      result[there[i]] = at[here[i]];
    return result;
  }
  ElementTermPtr rest = placeOf(to, at);
  for (size_t i = there.size(); i-- > 0;) {
    ElementTermPtr size = sizeTerm(from.dim(there[i]));
    result[there[i]] = i == 0 ? rest : makeTerm(Kind::remainder, rest, size);
    rest = makeTerm(Kind::quotient, rest, size);
  }
  return result;
}

} // namespace kgen
