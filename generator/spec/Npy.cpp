// NumPy's .npy: magic, version, header length, a Python dict in ASCII, then the elements.
#include "spec/WeightFiles.h"

#include "spec/Fields.h"
#include "support/TensorLimits.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Endian.h>

namespace kgen {
namespace {

llvm::Error bad(const std::string &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

struct Header {
  std::string descr;
  bool hasDescr = false, hasOrder = false, hasShape = false, fortran = false;
  std::vector<int64_t> shape;
};

/// Reads the only dict that NumPy writes for plain arrays: {'descr': '<f4', 'fortran_order': False,
/// 'shape': (3, 4), }
class HeaderParser {
public:
  explicit HeaderParser(llvm::StringRef text) : rest(text) {}

  /// Nothing if the text is not such a dict.
  std::optional<Header> parse() {
    if (!take('{'))
      return std::nullopt;
    while (!take('}')) {
      if (!parseEntry())
        return std::nullopt;
      if (!take(',') && !peek('}'))
        return std::nullopt;
    }
    skipSpace();
    return rest.empty() ? std::optional(header) : std::nullopt;
  }

private:
  void skipSpace() { rest = rest.ltrim(" \t\r\n"); }
  bool peek(char c) {
    skipSpace();
    return !rest.empty() && rest.front() == c;
  }
  bool take(char c) {
    if (!peek(c))
      return false;
    rest = rest.drop_front();
    return true;
  }

  std::optional<llvm::StringRef> parseString() {
    skipSpace();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    char quote = rest.front();
    size_t end = rest.find(quote, 1);
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    llvm::StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }

  static bool first(bool &flag) { return flag ? false : (flag = true); }

  bool parseEntry() {
    std::optional<llvm::StringRef> key = parseString();
    if (!key || !take(':'))
      return false;
    if (*key == "descr" && first(header.hasDescr))
      return parseDescr();
    if (*key == "fortran_order" && first(header.hasOrder))
      return parseOrder();
    return *key == "shape" && first(header.hasShape) && parseShape();
  }

  /// Returns nothing for a list: the type is structured, which the caller reports.
  bool parseDescr() {
    if (peek('[')) {
      header.descr = "[...]";
      size_t end = rest.rfind(']');
      if (end == llvm::StringRef::npos)
        return false;
      rest = rest.drop_front(end + 1);
      return true;
    }
    std::optional<llvm::StringRef> text = parseString();
    if (text)
      header.descr = text->str();
    return text.has_value();
  }

  bool parseOrder() {
    skipSpace();
    header.fortran = rest.starts_with("True");
    return rest.consume_front("True") || rest.consume_front("False");
  }

  bool parseShape() {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      llvm::StringRef digits = rest.take_while(llvm::isDigit);
      std::optional<int64_t> dim = parseInteger(digits);
      if (!dim || header.shape.size() == maxRank)
        return false;
      rest = rest.drop_front(digits.size());
      rest.consume_front("L"); // Python 2
      header.shape.push_back(*dim);
      if (!take(',') && !peek(')'))
        return false;
    }
    return true;
  }

  llvm::StringRef rest;
  Header header;
};

llvm::Expected<ElementType> elementTypeOf(llvm::StringRef descr) {
  static const std::pair<const char *, ElementType> known[] = {
      {"<f4", ElementType::f32}, {"<f8", ElementType::f64}, {"<f2", ElementType::f16},
      {"|i1", ElementType::i8},  {"|u1", ElementType::u8},  {"<i2", ElementType::i16},
      {"<u2", ElementType::u16}, {"<i4", ElementType::i32}, {"<u4", ElementType::u32},
      {"<i8", ElementType::i64}, {"<u8", ElementType::u64}, {"|b1", ElementType::boolean}};
  for (auto [name, type] : known)
    if (descr == name)
      return type;
  std::string text = "its NumPy type '" + descr.take_front(32).str() + "' ";
  if (descr.starts_with(">"))
    return bad(text + "is big-endian; save it with astype('" + "<" +
               descr.drop_front().take_front(32).str() + "')");
  return bad(text + "is not one of <f2, <f4, <f8, |i1, |u1, <i2, <u2, <i4, <u4, <i8, <u8, |b1" +
             (descr.contains("V2") ? " (bf16 needs a safetensors file)" : ""));
}

/// Returns the dict's text and removes it from `file`, which then holds the elements.
llvm::Expected<llvm::StringRef> takeHeader(llvm::StringRef &file) {
  if (!file.consume_front("\x93NUMPY"))
    return bad("it is not a .npy file (wrong magic number)");
  if (file.size() < 2)
    return bad("it is truncated in the header");
  unsigned major = static_cast<unsigned char>(file[0]), minor = static_cast<unsigned char>(file[1]);
  if (major < 1 || major > 3 || minor != 0)
    return bad(".npy version " + std::to_string(major) + "." + std::to_string(minor) +
               " is not one of 1.0, 2.0, 3.0");
  file = file.drop_front(2);
  size_t width = major == 1 ? 2 : 4;
  if (file.size() < width)
    return bad("it is truncated in the header");
  uint64_t length = width == 2 ? llvm::support::endian::read16le(file.data())
                               : llvm::support::endian::read32le(file.data());
  file = file.drop_front(width);
  if (file.size() < length)
    return bad("it is truncated in the header");
  llvm::StringRef text = file.take_front(length);
  file = file.drop_front(length);
  return text;
}
} // namespace

llvm::Expected<FileTensor> readNpy(llvm::StringRef file) {
  auto text = takeHeader(file);
  if (!text)
    return text.takeError();
  std::optional<Header> header = HeaderParser(*text).parse();
  if (!header || !header->hasDescr || !header->hasOrder || !header->hasShape)
    return bad("its header is malformed");
  auto element = elementTypeOf(header->descr);
  if (!element)
    return element.takeError();
  if (header->fortran)
    return bad("its elements are in Fortran order; save it with numpy.ascontiguousarray");
  FileTensor tensor{{*element, header->shape}, file};
  std::optional<int64_t> bytes = boundedByteCount(tensor.type, maxTensorBytes);
  if (!bytes)
    return bad("its shape is too large");
  if (static_cast<uint64_t>(*bytes) != file.size())
    return bad(
        (file.size() < static_cast<uint64_t>(*bytes) ? "it is truncated: " : "it is oversized: ") +
        tensor.type.str() + " needs " + std::to_string(*bytes) + " bytes after the header, found " +
        std::to_string(file.size()));
  return tensor;
}

std::string numpyName(ElementType type) {
  std::string name(toString(type));
  switch (type) {
  case ElementType::bf16:
  case ElementType::f8e4m3fn:
  case ElementType::f8e5m2:
    return "numpy.float32";
  case ElementType::boolean:
    return "numpy.bool_";
  case ElementType::i4:
    return "numpy.int8";
  case ElementType::u4:
    return "numpy.uint8";
  default:
    return (name[0] == 'f'   ? "numpy.float"
            : name[0] == 'i' ? "numpy.int"
                             : "numpy.uint") +
           name.substr(1);
  }
}

} // namespace kgen
