#include "tools/ModelArguments.h"

#include "spec/DimExpression.h"
#include "spec/DimText.h"
#include "spec/Fields.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

/// Splits "NAME=TEXT" at the last '=': names of a model may have any character.
std::pair<std::string, std::string> split(const std::string &option, const std::string &text) {
  size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw CLI::ValidationError(option, "expected NAME=NUMBER, found '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// "OP=symbol:TYPE;TYPE"; the symbol is called like the operator where it is missing.
ExternChoice parseExtern(llvm::StringRef text) {
  auto [node, call] = text.rsplit('=');
  auto [symbol, types] = call.split(':');
  if (node.empty())
    throw CLI::ValidationError("--extern", "expected OP or OP=SYMBOL, found '" + text.str() + "'");
  llvm::StringRef op = node.rsplit('.').second;
  return {node.str(), (symbol.empty() ? (op.empty() ? node : op) : symbol).str(), types.str()};
}

} // namespace

std::string shellWord(const std::string &word) {
  bool isPlain = !word.empty() && llvm::all_of(word, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_-+=./:,@%").contains(c);
  });
  if (isPlain)
    return word;
  std::string quoted;
  for (char c : word)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + quoted + "'";
}

std::string modelOptionsText(const CLI::App &sub) {
  std::string text;
  for (const char *name :
       {"--library", "--dim", "--value", "--function", "--outputs", "--inputs", "--extern"}) {
    const CLI::Option &option = *sub.get_option(name);
    if (option.empty())
      continue;
    if (option.get_delimiter() != '\0') {
      text += std::string(" ") + name + " " + shellWord(llvm::join(option.results(), ","));
      continue;
    }
    for (const std::string &value : option.results())
      text += std::string(" ") + name + " " + shellWord(value);
  }
  return text;
}

void addSizes(CLI::App &sub, SizeLists &sizes) {
  sub.add_option_function<std::vector<std::string>>(
         "--size",
         [&sizes](const std::vector<std::string> &texts) {
           for (const std::string &text : texts) {
             auto [name, list] = split("--size", text);
             llvm::SmallVector<llvm::StringRef> numbers;
             llvm::StringRef(list).split(numbers, ',');
             for (llvm::StringRef number : numbers) {
               std::optional<int64_t> size = parseInteger(number.str());
               if (!size || *size < 0)
                 throw CLI::ValidationError("--size", "expected sizes for '" + name + "', found '" +
                                                          list + "'");
               sizes[name].push_back(*size);
             }
           }
         },
         "Sizes that functions are called with, as batch=1,7,64, where they are given some "
         "(default: the "
         "greatest);\nmay be repeated: all combinations")
      ->allow_extra_args(false)
      ->type_name("NAME=N,N...");
}

void addSizesAndValues(CLI::App &sub, ModelBindings &bindings) {
  sub.add_option_function<std::vector<std::string>>(
         "--dim",
         [&bindings](const std::vector<std::string> &texts) {
           for (const std::string &text : texts) {
             auto [name, sizeText] = split("--dim", text);
             if (!namesOfSizes(sizeText).empty()) {
               bindings.dimNames[name] = sizeText;
               continue;
             }
             std::string problem;
             std::optional<Dim> size = parseDimText(name, sizeText, problem);
             if (!size)
               throw CLI::ValidationError(
                   "--dim", !problem.empty()
                                ? problem
                                : "expected a size for '" + name + "', found '" + sizeText +
                                      "': a number, bounds such as "
                                      "1..64 or ..2048/16, or names of sizes");
             bindings.dims.insert_or_assign(name, *size);
           }
         },
         "The size of a dimension of the spec's `dims`, or a model's symbolic one, as batch=1, or "
         "of a\nmodel's input's axis, as x:0=1. With bounds, as batch=1..64 or length=..2048/16 (a "
         "multiple of 16),\nfunctions are given it. With a name, as x:0=batch, axes are one size, "
         "which "
         "another --dim\nsays; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=N|MIN..MAX/MULTIPLE|NAMES");
  sub.add_option_function<std::vector<std::string>>(
         "--value",
         [&bindings](const std::vector<std::string> &texts) {
           for (const std::string &text : texts) {
             auto [name, number] = split("--value", text);
             if (llvm::StringRef(number).ends_with(".npy") ||
                 llvm::StringRef(number).ends_with(".pb")) {
               bindings.valueFiles[name] = number;
               continue;
             }
             std::optional<double> value = parseReal(number);
             if (!value)
               throw CLI::ValidationError("--value", "expected a number for '" + name +
                                                         "', found '" + number + "'");
             bindings.values[name] = *value;
           }
         },
         "A model's input that becomes a constant, as sr=16000 or pads=pads.npy: the function "
         "does\n"
         "not take it; may be repeated")
      ->allow_extra_args(false)
      ->type_name("INPUT=NUMBER|FILE");
}

void addModelBindings(CLI::App &sub, ModelBindings &bindings) {
  sub.add_option("--library", bindings.library,
                 "The name of a model's library (default: the file's)")
      ->type_name("NAME");
  addSizesAndValues(sub, bindings);
  sub.add_option("--function", bindings.functions,
                 "A function of an MLIR file, and what it names, instead of all public ones; what "
                 "stands outside of it\nneed not be MLIR that kgen knows; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  sub.add_option(
         "--outputs", bindings.outputs,
         "Values of an ONNX model that become its outputs, a,b, instead of its own: what they "
         "do not depend on\nis left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  sub.add_option(
         "--inputs", bindings.inputs,
         "Values of an ONNX model that become inputs, a,b: what only they depend on is left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  sub.add_option_function<std::vector<std::string>>(
         "--extern",
         [&bindings](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             bindings.externs.push_back(parseExtern(text));
         },
         "An operator, or the name of a node, of an ONNX model that becomes a call of a C function "
         "of yours,\nas NonMaxSuppression=my_nms; with the types of its results where the model "
         "does "
         "not say them,\nas NonMaxSuppression=my_nms:i64[100,3]; may be repeated")
      ->allow_extra_args(false)
      ->type_name("OP[=SYMBOL[:TYPE;TYPE...]]");
}

} // namespace kgen
