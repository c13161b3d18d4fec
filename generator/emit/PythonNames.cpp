#include "emit/PythonNames.h"

#include "emit/State.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/JSON.h>

namespace kgen {
namespace {
const llvm::StringSet<> &pythonKeywords() {
  static const llvm::StringSet<> words = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return words;
}

/// A name that a method, or a parameter of one, may have. Names of specs end in no underscore.
std::string pythonName(const std::string &name, const llvm::StringSet<> &taken) {
  return pythonKeywords().contains(name) || taken.contains(name) ? name + "_" : name;
}
} // namespace

PythonType pythonType(ElementType type) {
  switch (type) {
  case ElementType::f32:
    return {"float32", nullptr};
  case ElementType::f16:
    return {"float16", nullptr};
  case ElementType::bf16:
    return {"uint16", "bfloat16"};
  case ElementType::f64:
    return {"float64", nullptr};
  case ElementType::i8:
  case ElementType::i4:
    return {"int8", nullptr};
  case ElementType::u8:
  case ElementType::u4:
    return {"uint8", nullptr};
  case ElementType::i32:
    return {"int32", nullptr};
  case ElementType::i64:
    return {"int64", nullptr};
  case ElementType::boolean:
    return {"bool", nullptr};
  case ElementType::i16:
    return {"int16", nullptr};
  case ElementType::u16:
    return {"uint16", nullptr};
  case ElementType::u32:
    return {"uint32", nullptr};
  case ElementType::u64:
    return {"uint64", nullptr};
  case ElementType::f8e4m3fn:
    return {"uint8", "float8_e4m3fn"};
  case ElementType::f8e5m2:
    return {"uint8", "float8_e5m2"};
  }
  return {"uint8", nullptr};
}

std::string pythonEscaped(const std::string &text) {
  bool isUtf8 = llvm::json::isUTF8(text);
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool isPlain = c == '\n' || (byte >= ' ' && byte != 0x7f && (byte < 0x80 || isUtf8));
    if (c == '\\' || c == '"')
      result += '\\';
    if (isPlain)
      result += c;
    else
      result += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
  }
  return result;
}

std::string pythonString(const std::string &text) {
  std::string result = "\"" + pythonEscaped(text) + "\"";
  for (size_t at = 0; (at = result.find('\n', at)) != std::string::npos; at += 2)
    result.replace(at, 1, "\\n");
  return result;
}

std::string methodName(const GraphInterface &graph) {
  static const llvm::StringSet<> ofTheLibrary = {"State", "bind", "path", "variant", "variants"};
  return pythonName(graph.name, ofTheLibrary);
}

std::string gpuMethodName(const GraphInterface &graph) {
  static const llvm::StringSet<> ofTheClass = {"close", "device_name", "enqueue",
                                               "path",  "target",      "wait"};
  return pythonName(graph.name, ofTheClass);
}

std::string parameterName(const TensorInterface &tensor) {
  static const llvm::StringSet<> ofTheMethod = {"out", "self"};
  return pythonName(tensor.name, ofTheMethod);
}

std::string dtypeName(ElementType type) { return "_" + std::string(toString(type)); }

std::string storageName(ElementType type) {
  return dtypeName(type) + (pythonType(type).optional ? "_bits" : "");
}

std::string shapeText(const TensorType &type) {
  std::string dims;
  for (const Dim &dim : type.shape.dims())
    dims += (dims.empty() ? "" : ", ") + (dim.isNumber() ? dim.str() : pythonString(dim.str()));
  return "(" + dims + (type.shape.size() == 1 ? ",)" : ")");
}

std::string arrayText(const TensorType &type) {
  PythonType names = pythonType(type.element);
  std::string text = type.str();
  std::string name = names.optional ? names.optional : names.storage;
  bool isPart = type.element == ElementType::i4 || type.element == ElementType::u4;
  return name + text.substr(text.find('[')) +
         (isPart ? " of " + std::string(toString(type.element)) : "");
}

std::string pythonSignature(const GraphInterface &graph) {
  std::string inputs, outputs;
  const GraphInterface passed = withoutState(graph);
  for (const TensorInterface &tensor : passed.inputs)
    inputs += (inputs.empty() ? "" : ", ") + parameterName(tensor);
  if (usesState(graph))
    inputs += inputs.empty() ? "state" : ", state";
  for (const TensorInterface &tensor : passed.outputs)
    outputs += (outputs.empty() ? "" : ", ") + tensor.name;
  return methodName(graph) + "(" + inputs + ") -> " + outputs;
}

std::string pythonDocstring(const GraphInterface &whole) {
  const GraphInterface graph = withoutState(whole);
  const std::string indent = "\n        ";
  size_t width = 0;
  std::string text = pythonSignature(whole) + "\n";
  for (const auto *list : {&graph.inputs, &graph.outputs})
    for (const TensorInterface &tensor : *list)
      width = std::max(width, tensor.name.size());
  for (const auto *list : {&graph.inputs, &graph.outputs})
    for (const TensorInterface &tensor : *list) {
      text += indent + tensor.name + std::string(width + 2 - tensor.name.size(), ' ') +
              arrayText(tensor.type);
      if (!tensor.original.empty())
        text += ", in the model " + pythonString(tensor.original);
    }
  if (!graph.numerics.empty())
    text += "\n";
  for (const std::string &line : graph.numerics)
    text += indent + line;
  return pythonEscaped(text) + indent;
}

std::string pythonStateProblem(const GraphInterface &graph) {
  for (const TensorInterface &input : withoutState(graph).inputs)
    if (usesState(graph) && input.name == "state")
      return "graph '" + graph.name +
             "' has an input 'state', and its method takes the block by "
             "this name";
  return "";
}

std::string pythonNameProblem(const std::string &name) {
  static const llvm::StringSet<> imported = {"collections", "concurrent", "ctypes",
                                             "itertools",   "math",       "ml_dtypes",
                                             "numpy",       "os",         "threading"};
  if (pythonKeywords().contains(name))
    return "'" + name + "' is a keyword of Python: a module cannot be called so";
  if (imported.contains(name))
    return "'" + name + "' is a module of Python that " + name + ".py would hide";
  return "";
}

} // namespace kgen
