// The axes that an operator works along: an attribute, or an input that is a weight.
#pragma once

#include "graph/Operator.h"

#include <llvm/ADT/ArrayRef.h>

namespace kgen {

/// A list of integers that the attribute `name` or input i gives, which must be a weight then;
/// `list` stays empty if neither is there. False after reporting an error.
bool readIntegers(const InferenceContext &context, size_t i, const std::string &name,
                  std::optional<std::vector<int64_t>> &list);

/// The axes as flags by dimension of a tensor of `rank`. They are what the attribute `axes` or
/// input 1 lists, each counted from the end if negative; nothing if neither is there. Reports what
/// is wrong and sets `good` to false.
std::optional<std::vector<bool>> listedAxes(const InferenceContext &context, bool &good,
                                            size_t rank);
/// The axes as flags by dimension of input 0.
std::optional<std::vector<bool>> listedAxes(const InferenceContext &context, bool &good);

/// Returns what input i is instead of a weight of some type: its type, and that it is no weight.
std::string found(const InferenceContext &context, size_t i);

/// The integers of input i, which must be a weight of type i64[n]; reports it otherwise. `what` is
/// the input's name.
std::optional<std::vector<int64_t>> requiredIntegers(const InferenceContext &context, size_t i,
                                                     const std::string &what);

/// The sizes that input i consists of, which may be known at run time only.
std::optional<std::vector<Dim>> requiredSizes(const InferenceContext &context, size_t i,
                                              const std::string &what);
/// readIntegers of sizes.
bool readSizes(const InferenceContext &context, size_t i, const std::string &name,
               std::optional<std::vector<Dim>> &list);

/// The stride of an axis in row-major order, in elements.
int64_t elementsInside(llvm::ArrayRef<int64_t> shape, int64_t axis);

/// Sums and products of sizes, for shapes that a spec's numbers make: what 64 bits do not hold is
/// their limit, which is larger than any tensor may be.
int64_t boundedSum(int64_t a, int64_t b);
int64_t boundedProduct(int64_t a, int64_t b);

} // namespace kgen
