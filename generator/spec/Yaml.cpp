// The only caller of yaml-cpp. Text is checked before it is parsed: yaml-cpp gets valid UTF-8
// without control characters.
#include "spec/Yaml.h"

#include "spec/YamlBuilder.h"
#include "support/ForeignFormat.h"
#include "support/InputFile.h"
#include "support/TensorType.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ConvertUTF.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace kgen {

std::string quoteText(llvm::StringRef text, size_t limit) {
  llvm::StringRef line = text.take_until([](char c) { return c == '\n' || c == '\r'; });
  if (line.size() == text.size() && line.size() <= limit)
    return "'" + line.str() + "'";
  size_t end = std::min(limit, line.size());
  auto continues = [&](size_t i) { return i < line.size() && (line[i] & 0xC0) == 0x80; };
  while (end > 0 && continues(end))
    --end;
  return "'" + line.take_front(end).str() + "...'";
}

std::string YamlNode::describe() const {
  switch (kind) {
  case Kind::sequence:
    return "a list";
  case Kind::map:
    return "a map";
  case Kind::scalar:
    return text.empty() && !quoted ? "nothing" : quoteText(text);
  case Kind::invalid:
    break;
  }
  return "something invalid";
}

/// The location of a byte offset in the text.
static SourceLoc locate(llvm::StringRef text, size_t offset, const std::string &file) {
  llvm::StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n');
  lineStart = lineStart == llvm::StringRef::npos ? 0 : lineStart + 1;
  return {file, static_cast<unsigned>(before.count('\n') + 1),
          static_cast<unsigned>(offset - lineStart + 1)};
}

/// True if a text begins as UTF-16 does: with its byte order mark, or with an ASCII character and a
/// zero byte.
static bool isUtf16(llvm::StringRef text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return true;
  return text.size() >= 2 && (text[0] == 0) != (text[1] == 0);
}

/// Reports the first byte that no text file has: YAML allows no control characters, and only UTF-8
/// is read here.
static bool isText(llvm::StringRef text, const std::string &file, Diagnostics &diagnostics) {
  if (const std::string foreign = foreignFormatHint(text); !foreign.empty()) {
    diagnostics.error({file, 1, 1}, "expected text, found bytes of another format", foreign);
    return false;
  }
  if (isUtf16(text)) {
    diagnostics.error({file, 1, 1}, "the file is in UTF-16, expected UTF-8",
                      "save the file as UTF-8");
    return false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = text[i];
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f) {
      diagnostics.error(locate(text, i, file),
                        "expected text, found the control character " + std::to_string(c),
                        "is this a YAML file?");
      return false;
    }
  }
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin()), *at = begin;
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  if (llvm::isLegalUTF8String(&at, end))
    return true;
  diagnostics.error(locate(text, at - begin, file), "expected text in UTF-8, found other bytes",
                    "save the file as UTF-8");
  return false;
}

/// The hint for a syntax error in a line. A type without quotes inside { } ends at its bracket, and
/// yaml-cpp only reports what follows.
static std::string syntaxHint(llvm::StringRef text, unsigned line) {
  for (unsigned i = 1; i < line; ++i)
    text = text.split('\n').second;
  text = text.split('\n').first;
  for (ElementType type : allElementTypes()) {
    std::string start(toString(type));
    if (text.contains(": " + start + "["))
      return "inside { } a type must be in quotes: \"" + start + "[2, 3]\"";
  }
  if (text.contains('\t'))
    return "YAML does not allow tabs for indentation";
  return "";
}

std::optional<YamlNode> parseYaml(const std::string &source, const std::string &file,
                                  Diagnostics &diagnostics) {
  llvm::StringRef body(source);
  if (body.size() > yamlMaxBytes) {
    diagnostics.error({file, 0, 0},
                      "the file has more than " + std::to_string(yamlMaxBytes) + " bytes");
    return std::nullopt;
  }
  if (llvm::StringRef(file).ends_with_insensitive(".onnx")) {
    diagnostics.error(
        {file, 1, 1}, "this is an ONNX file, expected a spec in YAML",
        "`kgen import` makes a spec of one whose name ends in .onnx, and a graph of a "
        "spec has it as 'onnx: FILE'");
    return std::nullopt;
  }
  body.consume_front("\xEF\xBB\xBF");
  if (!isText(body, file, diagnostics))
    return std::nullopt;
  std::string text = body.str();
  YamlBuilder builder(text, file, diagnostics);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YamlAbandoned &) {
    return std::nullopt;
  } catch (const YAML::DeepRecursion &e) {
    diagnostics.error({file, unsigned(e.mark.line + 1), unsigned(e.mark.column + 1)},
                      "lists and maps are nested too deep");
    return std::nullopt;
  } catch (const YAML::Exception &e) {
    unsigned line = e.mark.is_null() ? 1 : e.mark.line + 1,
             column = e.mark.is_null() ? 1 : e.mark.column + 1;
    diagnostics.error({file, line, column}, "YAML syntax: " + e.msg, syntaxHint(text, line));
    return std::nullopt;
  }
  if (!builder.hasRoot ||
      (builder.root.kind == YamlNode::Kind::scalar && builder.root.text.empty())) {
    diagnostics.error({file, 1, 1}, "the file is empty");
    return std::nullopt;
  }
  return std::move(builder.root);
}

std::optional<std::string> readYamlText(const std::string &path, Diagnostics &diagnostics) {
  auto buffer = readInputFile(path, yamlMaxBytes);
  if (buffer)
    return (*buffer)->getBuffer().str();
  diagnostics.error({path, 0, 0}, "cannot read the file: " + llvm::toString(buffer.takeError()));
  return std::nullopt;
}

} // namespace kgen
