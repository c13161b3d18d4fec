// Computations when code is generated: elements of weights that are moved, and arithmetic on
// shapes.
#pragma once

#include "graph/Operator.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>

namespace kgen {

/// `width`-byte elements of a tensor of `shape`; the element at subscripts `at` is number
/// source(at) of `from`.
WeightData movedElements(const std::vector<char> &from, size_t width, llvm::ArrayRef<int64_t> shape,
                         llvm::function_ref<int64_t(llvm::ArrayRef<int64_t> at)> source);

/// True if all inputs that are there are weights whose elements are stored as they are.
bool areConstants(const InferenceContext &context);

/// The row-major index of the element at subscripts `at`.
int64_t elementNumber(llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with each subscript of a tensor, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t> at)> visit);

/// The integers as a weight of an integer type or bool, truncated to its bits.
WeightData integersAsData(llvm::ArrayRef<int64_t> values, ElementType type);

/// `fold` of operators whose result has the bytes of input 0 in a different shape.
std::vector<WeightData> foldSameBytes(InferenceContext &context,
                                      const std::vector<TensorType> &types);

/// The numbers as a weight of f32 or f64, rounded to it.
WeightData realsAsData(llvm::ArrayRef<double> values, ElementType type);

/// The elements of a weight of any type but i64 and u64, exact; nothing if input i is none.
std::optional<std::vector<double>> constantNumbers(const InferenceContext &context, size_t i);

/// The numbers as a weight of a type of floats, rounded once.
WeightData numbersAsData(llvm::ArrayRef<double> values, ElementType type);

/// `fold` of elementwise operators on at most `foldedElements` numbers that broadcast against each
/// other: `compute` gets one of each input, and its result is truncated to its type's bits.
using FoldFunction = decltype(Operator::fold);
using IntegerFunction = std::function<int64_t(llvm::ArrayRef<int64_t>)>;
FoldFunction foldIntegers(IntegerFunction compute);
/// Folds elementwise operators on f32 and f64. `compute` rounds correctly to f64, once; in f32 the
/// result is then the nearest one, too, as f64 has more than twice the digits.
using RealFunction = std::function<double(llvm::ArrayRef<double>)>;
FoldFunction foldReals(RealFunction compute);
/// Whichever the inputs are.
FoldFunction foldNumbers(IntegerFunction ofIntegers, RealFunction ofReals);

/// `foldSizes` of operators whose `fold` moves elements of the inputs that `isMoved` says, and
/// reads others.
using FoldSizesFunction = decltype(Operator::foldSizes);
FoldSizesFunction foldMovedSizes(FoldFunction fold, std::function<bool(size_t input)> isMoved);
/// Of those that move elements of input 0.
FoldSizesFunction foldMovedSizes(FoldFunction fold);

/// `foldSizes` of elementwise operators: `compute` gets one element of each input.
using SizeFunction = std::function<std::optional<Dim>(llvm::ArrayRef<Dim>)>;
FoldSizesFunction foldComputedSizes(SizeFunction compute);

constexpr int64_t foldedElements = 4096;

} // namespace kgen
