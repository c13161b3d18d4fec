// safetensors: 8 bytes of header length, a JSON header, then the tensors' bytes without gaps.
#include "spec/WeightFiles.h"

#include "spec/Fields.h"
#include "support/TensorLimits.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Endian.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace kgen {
namespace {

using nlohmann::json;

constexpr uint64_t maxHeaderBytes = 16u << 20;
constexpr int maxHeaderDepth = 4;

struct Malformed {
  std::string reason;
};

struct Entry {
  std::string name;
  std::optional<ElementType> element; ///< none: a type that kgen does not support
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;
};

constexpr std::pair<const char *, ElementType> knownTypes[] = {
    {"F32", ElementType::f32},       {"F64", ElementType::f64},
    {"F16", ElementType::f16},       {"BF16", ElementType::bf16},
    {"I8", ElementType::i8},         {"U8", ElementType::u8},
    {"I16", ElementType::i16},       {"U16", ElementType::u16},
    {"I32", ElementType::i32},       {"U32", ElementType::u32},
    {"I64", ElementType::i64},       {"U64", ElementType::u64},
    {"BOOL", ElementType::boolean},  {"F8_E4M3", ElementType::f8e4m3fn},
    {"F8_E5M2", ElementType::f8e5m2}};

std::optional<ElementType> elementTypeOf(const std::string &dtype) {
  for (auto [name, type] : knownTypes)
    if (dtype == name)
      return type;
  return std::nullopt;
}

/// Refuses what the library's parser accepts: it keeps the last of several equal keys and nests
/// without limit. (With its callback it would look at all members again at the end of each.)
class HeaderChecks : public nlohmann::json_sax<json> {
public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override {
    keys.emplace_back();
    return enter();
  }
  bool end_object() override {
    keys.pop_back();
    return leave();
  }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t &name) override {
    if (!keys.back().insert(name).second)
      throw Malformed{"its header has a duplicate key"};
    return true;
  }
  bool parse_error(size_t, const std::string &, const nlohmann::detail::exception &) override {
    throw Malformed{"its header is not valid JSON"};
  }

private:
  bool enter() {
    if (depth++ > maxHeaderDepth)
      throw Malformed{"its header is nested too deep"};
    return true;
  }
  bool leave() {
    --depth;
    return true;
  }

  std::vector<std::set<std::string>> keys;
  int depth = 0;
};

json parseHeader(llvm::StringRef text) {
  HeaderChecks checks;
  json::sax_parse(text.begin(), text.end(), &checks);
  return json::parse(text.begin(), text.end());
}

uint64_t unsignedOf(const json &value) {
  if (!value.is_number_unsigned())
    throw Malformed{"its header has a size that is not a non-negative integer"};
  return value.get<uint64_t>();
}

Entry readEntry(const std::string &name, const json &value) {
  auto field = [&](const char *key, bool (json::*is)() const noexcept) -> const json & {
    auto it = value.find(key);
    if (it == value.end() || !((*it).*is)())
      throw Malformed{"its header lacks a valid '" + std::string(key) + "' for a tensor"};
    return *it;
  };
  if (!value.is_object())
    throw Malformed{"its header has an entry that is not an object"};
  Entry entry;
  entry.name = name;
  entry.dtype = field("dtype", &json::is_string).get<std::string>();
  entry.element = elementTypeOf(entry.dtype);
  const json &shape = field("shape", &json::is_array),
             &offsets = field("data_offsets", &json::is_array);
  if (shape.size() > maxRank || offsets.size() != 2)
    throw Malformed{"its header has a tensor with too many dimensions or without two offsets"};
  for (const json &dim : shape) {
    uint64_t size = unsignedOf(dim);
    if (size > static_cast<uint64_t>(maxTensorBytes))
      throw Malformed{"its header has a dimension that is too large"};
    entry.shape.push_back(static_cast<int64_t>(size));
  }
  entry.begin = unsignedOf(offsets[0]);
  entry.end = unsignedOf(offsets[1]);
  return entry;
}

/// Tensors must fill the data exactly, each with the size that its type and shape need.
void checkLayout(std::vector<Entry> &entries, uint64_t dataBytes) {
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  uint64_t at = 0;
  for (const Entry &e : entries) {
    if (e.begin > e.end)
      throw Malformed{"a tensor in it has offsets in the wrong order"};
    if (e.end > dataBytes)
      throw Malformed{"it is truncated: a tensor ends at byte " + std::to_string(e.end) +
                      " of the data, which has " + std::to_string(dataBytes)};
    if (e.begin != at)
      throw Malformed{e.begin < at ? "tensors in it overlap"
                                   : "there is a gap between tensors in it"};
    at = e.end;
    if (!e.element)
      continue;
    auto bytes = boundedByteCount({*e.element, e.shape}, maxTensorBytes);
    if (!bytes || static_cast<uint64_t>(*bytes) != e.end - e.begin)
      throw Malformed{"the offsets of a tensor in it do not fit its shape"};
  }
  if (at != dataBytes)
    throw Malformed{"it is oversized: " + std::to_string(dataBytes - at) +
                    " bytes belong to no tensor"};
}

} // namespace

struct SafetensorsFile::Contents {
  llvm::StringRef data;
  std::map<std::string, Entry> tensors;

  explicit Contents(llvm::StringRef file);
  /// A hint: the tensor with the nearest name, or else the first names of the file.
  std::string whatThereIs(const std::string &tensor) const;
};

SafetensorsFile::Contents::Contents(llvm::StringRef file) {
  if (file.size() < 8)
    throw Malformed{"it is truncated in the header"};
  uint64_t length = llvm::support::endian::read64le(file.data());
  file = file.drop_front(8);
  if (length > maxHeaderBytes)
    throw Malformed{"its header length is too large: it is not a safetensors file"};
  if (length > file.size())
    throw Malformed{"it is truncated in the header"};
  json header = parseHeader(file.take_front(length));
  data = file.drop_front(length);
  if (!header.is_object())
    throw Malformed{"its header is not a JSON object"};
  std::vector<Entry> entries;
  for (auto it = header.begin(); it != header.end(); ++it)
    if (it.key() != "__metadata__")
      entries.push_back(readEntry(it.key(), it.value()));
  checkLayout(entries, data.size());
  for (Entry &entry : entries)
    tensors.emplace(entry.name, std::move(entry));
}

std::string SafetensorsFile::Contents::whatThereIs(const std::string &tensor) const {
  constexpr size_t shown = 5, compared = 1000;
  std::vector<std::string> names;
  for (const auto &[name, entry] : tensors)
    if (names.size() < compared)
      names.push_back(name);
  if (std::string near = didYouMean(tensor.substr(0, 64), names); !near.empty() || names.empty())
    return near;
  std::vector<std::string> some;
  for (const std::string &name : llvm::ArrayRef(names).take_front(shown))
    some.push_back(quoteText(name));
  return "; it has " + llvm::join(some, ", ") +
         (tensors.size() > shown ? " and " + std::to_string(tensors.size() - shown) + " more" : "");
}

llvm::Expected<SafetensorsFile> SafetensorsFile::parse(llvm::StringRef bytes) {
  SafetensorsFile file;
  try {
    file.contents = std::make_shared<const Contents>(bytes);
  } catch (const Malformed &malformed) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), malformed.reason);
  }
  return file;
}

llvm::Expected<FileTensor> SafetensorsFile::find(const std::string &tensor) const {
  auto found = contents->tensors.find(tensor);
  if (found == contents->tensors.end())
    return llvm::createStringError("it has no tensor " + quoteText(tensor) +
                                   contents->whatThereIs(tensor));
  const Entry &entry = found->second;
  if (!entry.element)
    return llvm::createStringError("its tensor " + quoteText(tensor) + " has the type " +
                                   quoteText(entry.dtype) + ", which kgen does not have");
  return FileTensor{{*entry.element, entry.shape}, contents->data.slice(entry.begin, entry.end)};
}

const char *safetensorsName(ElementType type) {
  for (auto [name, known] : knownTypes)
    if (type == known)
      return name;
  return "U8";
}

} // namespace kgen
