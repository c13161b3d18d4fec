#include "support/TensorShape.h"

#include <llvm/Support/ErrorHandling.h>

#include <algorithm>

namespace kgen {

TensorShape::TensorShape(const std::vector<Dim> &dims) {
  for (const Dim &dim : dims)
    push_back(dim);
}

std::vector<Dim> TensorShape::dims() const {
  std::vector<Dim> all;
  for (size_t i = 0; i < size(); ++i)
    all.push_back(dim(i));
  return all;
}

/// Sizes that are numbers are written by `operator[]`, which keeps the list of symbols as it is.
void TensorShape::setDim(size_t i, const Dim &dim) {
  eraseDim(i);
  insertDim(i, dim);
}

void TensorShape::insertDim(size_t before, const Dim &dim) {
  const bool isFirstSymbol = isStatic() && !dim.isNumber();
  if (isFirstSymbol)
    symbolic.assign(sizes.begin(), sizes.end());
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(before), dim.number().value_or(0));
  if (!symbolic.empty() || isFirstSymbol)
    symbolic.insert(symbolic.begin() + static_cast<ptrdiff_t>(before), dim);
}

void TensorShape::eraseDim(size_t i) {
  sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(i));
  if (symbolic.empty())
    return;
  symbolic.erase(symbolic.begin() + static_cast<ptrdiff_t>(i));
  if (std::all_of(symbolic.begin(), symbolic.end(), [](const Dim &d) { return d.isNumber(); }))
    symbolic.clear();
}

bool TensorShape::isEmptyTensor() const {
  for (size_t i = 0; i < size(); ++i)
    if (!isSymbolic(i) && sizes[i] == 0)
      return true;
  return false;
}

Dim TensorShape::elements(size_t first, size_t end) const {
  Dim product = 1;
  for (size_t i = first; i < end; ++i)
    product = product * dim(i);
  return product;
}

static void endOfSymbol() {
  llvm::report_fatal_error("internal error: a symbolic size is no number");
}

const std::vector<int64_t> &TensorShape::numbers() const {
  if (!isStatic())
    endOfSymbol();
  return sizes;
}

int64_t TensorShape::checked(size_t i) const {
  if (isSymbolic(i))
    endOfSymbol();
  return sizes[i];
}

bool operator==(const TensorShape &a, const TensorShape &b) {
  if (a.isStatic() && b.isStatic())
    return a.sizes == b.sizes;
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a.dim(i) != b.dim(i))
      return false;
  return true;
}

} // namespace kgen
