// Loads a weight's bytes from the source that the spec names, and checks them against the declared
// type.
#include "spec/Weights.h"

#include "spec/WeightFiles.h"
#include "spec/Yaml.h"
#include "support/InputFile.h"
#include "support/LargePages.h"

#include <algorithm>

namespace kgen {

/// A file that weights were read from.
struct WeightLoader::File {
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::optional<SafetensorsFile> safetensors; ///< none: .npy
};

namespace {

constexpr uint64_t maxWeightFileBytes = uint64_t(1) << 40;

using Files = std::map<std::string, std::shared_ptr<const WeightLoader::File>>;

/// The file, read and parsed when it is first asked for.
llvm::Expected<std::shared_ptr<const WeightLoader::File>> open(const std::string &path,
                                                               Files &files) {
  std::shared_ptr<const WeightLoader::File> &known = files[path];
  if (known)
    return known;
  auto buffer = readInputFile(path, maxWeightFileBytes);
  if (!buffer)
    return buffer.takeError();
  auto file = std::make_shared<WeightLoader::File>();
  file->bytes = std::move(*buffer);
  if (!llvm::StringRef(path).ends_with(".npy")) {
    llvm::Expected<SafetensorsFile> parsed = SafetensorsFile::parse(file->bytes->getBuffer());
    if (!parsed)
      return parsed.takeError();
    file->safetensors = std::move(*parsed);
  }
  return known = std::move(file);
}

struct Loader {
  const WeightSpec &weight;
  Files &files;
  Diagnostics &diagnostics;

  WeightData operator()(const WeightFromFile &source) const {
    std::string path = resolvePath(source.path.value, source.path.where.file);
    std::string what = "weight '" + weight.name.value + "': file " + quotePath(path);
    auto fail = [&](const std::string &reason, const std::string &hint = "") {
      diagnostics.error(source.path.where, what + ": " + reason, hint);
      return nullptr;
    };
    auto file = open(path, files);
    if (!file)
      return fail(llvm::toString(file.takeError()));
    auto tensor = (*file)->safetensors
                      ? (*file)->safetensors->find(
                            source.tensor.value.empty() ? weight.name.value : source.tensor.value)
                      : readNpy((*file)->bytes->getBuffer());
    if (!tensor)
      return fail(llvm::toString(tensor.takeError()));
    if (isPacked(tensor->type))
      return std::make_shared<const std::vector<char>>(
          unpackedNibbles(tensor->bytes, weight.type.value));
    if (bitWidth(weight.type.value.element) == 4)
      return fail("expected " + std::to_string(packedBytes()) +
                  " elements of u8 or i8, each with two of " + weight.type.value.str() +
                  ", found " + tensor->type.str());
    if (tensor->type != weight.type.value)
      return fail("expected " + weight.type.value.str() + ", found " + tensor->type.str(),
                  conversionHint(tensor->type));
    if (weight.type.value.element == ElementType::boolean &&
        std::any_of(tensor->bytes.begin(), tensor->bytes.end(), [](char c) { return c & ~1; }))
      return fail("a bool is neither 0 nor 1");
    std::vector<char> bytes;
    bytes.reserve(tensor->bytes.size());
    useLargePages(bytes.data(), bytes.capacity());
    bytes.assign(tensor->bytes.begin(), tensor->bytes.end());
    return std::make_shared<const std::vector<char>>(std::move(bytes));
  }

  /// Returns what makes the file one of the weight's type, where its shape is right.
  std::string conversionHint(const TensorType &found) const {
    const TensorType &wanted = weight.type.value;
    if (found.shape != wanted.shape || found.element == wanted.element)
      return "";
    const std::string type = "write \"" + found.str() + "\" here";
    return wanted.element == ElementType::bf16 || isFloat8(wanted.element)
               ? type
               : "convert the array with astype(" + numpyName(wanted.element) + "), or " + type;
  }

  int64_t packedBytes() const { return (weight.type.value.elementCount() + 1) / 2; }

  /// True if bytes of a file are the weight's elements of four bits, two in each.
  bool isPacked(const TensorType &found) const {
    bool isByte = found.element == ElementType::u8 || found.element == ElementType::i8;
    return bitWidth(weight.type.value.element) == 4 && isByte &&
           found.elementCount() == packedBytes();
  }

  WeightData operator()(const WeightFromValue &source) const {
    const TensorType &type = weight.type.value;
    std::vector<char> bytes;
    bytes.reserve(static_cast<size_t>(type.byteCount()));
    size_t count = static_cast<size_t>(type.elementCount());
    bool splat = source.numbers.size() == 1;
    for (size_t i = 0; i < count; ++i) {
      size_t at = splat ? 0 : i;
      if (isFloat(type.element))
        appendFloat(bytes, type.element, source.numbers[at]);
      else
        appendInteger(bytes, type.element, source.integers[at]);
    }
    return std::make_shared<const std::vector<char>>(std::move(bytes));
  }

  WeightData operator()(const WeightFromRandom &source) const {
    return std::make_shared<const std::vector<char>>(randomBytes(weight.type.value, source.seed));
  }
};
} // namespace

WeightData WeightLoader::load(const WeightSpec &weight, Diagnostics &diagnostics) {
  return std::visit(Loader{weight, files, diagnostics}, weight.source);
}

std::vector<std::string> weightFiles(const LibrarySpec &spec) {
  std::vector<std::string> files;
  auto add = [&](const WeightSpec &weight) {
    if (auto *source = std::get_if<WeightFromFile>(&weight.source))
      files.push_back(resolvePath(source->path.value, source->path.where.file));
  };
  for (const GraphSpec &graph : spec.graphs)
    for (const WeightSpec &weight : graph.weights)
      add(weight);
  for (const StateSpec &state : spec.states)
    if (state.source)
      add(*state.source);
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

} // namespace kgen
