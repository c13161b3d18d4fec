// Type inference that several operator families share.
#pragma once

#include "graph/Operator.h"

namespace kgen {

std::vector<ElementType> byteTypes();            ///< i8, u8
std::vector<ElementType> quantizedTypes();       ///< of QuantizeLinear: 4, 8 and 16 bits
std::vector<ElementType> computedTypes();        ///< all but those that are stored only
std::vector<ElementType> floatTypes();           ///< f32, f64, bf16, f16
std::vector<ElementType> integerTypes();         ///< i8 to i64, u8 to u64
std::vector<ElementType> floatAndSignedTypes();  ///< floats and i8 to i64
std::vector<ElementType> floatAndIntegerTypes(); ///< floats and all integers
std::vector<ElementType> floatAndLongTypes();    ///< floats and integers of 32 and 64 bits

/// Reports inputs whose element types differ. (That the first one's is allowed was checked before.)
/// Skipped inputs are ignored.
bool checkElementTypes(const InferenceContext &context);

/// The type of the first input.
std::vector<TensorType> inferUnary(InferenceContext &context);

/// An operator on each element of one tensor of floats; how it is lowered is the family's.
Operator elementwiseOperator(std::string name, std::string summary);

/// Symbolic dimensions of an image or a sequence, input 0, whose channels have weights.
SymbolicDims anyButChannels();

/// All inputs broadcast against each other by ONNX's rule.
std::vector<TensorType> inferBroadcast(InferenceContext &context);

/// The element type that a string attribute names; reports one that is not among `allowed`.
std::optional<ElementType> requestedType(const InferenceContext &context,
                                         const std::string &attribute,
                                         const std::vector<ElementType> &allowed);

/// True if the element type of input i is among `allowed`; reports it otherwise. `what` is the
/// input's name.
bool checkInputType(const InferenceContext &context, size_t i, const std::string &what,
                    const std::vector<ElementType> &allowed);

/// An axis or dimension counted from the end if negative, as one in [0, rank); reports one outside.
std::optional<int64_t> normalizeAxis(const InferenceContext &context, int64_t axis, size_t rank);

} // namespace kgen
