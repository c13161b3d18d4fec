// Names and types in generated Python.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// The numpy dtypes of an element type: of its C type, and that of ml_dtypes, if any.
struct PythonType {
  const char *storage;
  const char *optional;
};
PythonType pythonType(ElementType type);

/// Text as it stands between the quotes of a literal of Python, or of a docstring.
std::string pythonEscaped(const std::string &text);
/// The literal itself.
std::string pythonString(const std::string &text);

/// The name of a graph's method. Words of Python, and the module's own, get an underscore; names of
/// specs end in none.
std::string methodName(const GraphInterface &graph);
/// Like methodName, but of class Gpu.
std::string gpuMethodName(const GraphInterface &graph);
/// The name of a method's parameter.
std::string parameterName(const TensorInterface &tensor);
/// "_f32": the variable that has the dtype.
std::string dtypeName(ElementType type);
/// "_bf16_bits": the variable that has the dtype of the C type.
std::string storageName(ElementType type);
/// "(1, 256)", "(4,)", "()", "("batch", 256)".
std::string shapeText(const TensorType &type);
/// "float32[1, 256]".
std::string arrayText(const TensorType &type);
/// "classify(image) -> probabilities".
std::string pythonSignature(const GraphInterface &graph);
/// A method's docstring, between the quotes: its signature, and types and shapes of its tensors.
std::string pythonDocstring(const GraphInterface &graph);

} // namespace kgen
