#include "driver/run/TensorFiles.h"

#include "spec/Npz.h"
#include "spec/Yaml.h"
#include "support/InputFile.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#ifdef KGEN_HAS_ONNX
#include "ingress/onnx/Model.h"
#endif

#include <filesystem>

namespace kgen {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t maxFileBytes = uint64_t(1) << 40;
constexpr const char *archiveExtension = ".npz";

using SharedFile = std::shared_ptr<llvm::MemoryBuffer>;

/// A tensor whose bytes are in `storage`.
template <typename T>
llvm::Expected<GivenTensor> owned(llvm::Expected<FileTensor> tensor, std::shared_ptr<T> storage) {
  if (!tensor)
    return tensor.takeError();
  return GivenTensor{tensor->type, tensor->bytes, std::move(storage)};
}

llvm::Expected<GivenTensor> readArrayFile(const SharedFile &file) {
  return owned(readNpy(file->getBuffer()), file);
}

/// A file format that holds one tensor.
struct TensorFormat {
  const char *extension;
  llvm::Expected<GivenTensor> (*read)(const SharedFile &file);
};

#ifdef KGEN_HAS_ONNX
llvm::Expected<GivenTensor> readModelTensor(const SharedFile &file) {
  std::string problem;
  std::optional<onnx::ModelTensor> tensor = onnx::parseTensor(file->getBuffer(), problem);
  if (!tensor)
    return llvm::createStringError(problem);
  llvm::StringRef bytes(tensor->data->data(), tensor->data->size());
  return GivenTensor{tensor->type, bytes, tensor->data};
}
#endif

constexpr TensorFormat formats[] = {{".npy", readArrayFile},
#ifdef KGEN_HAS_ONNX
                                    {".pb", readModelTensor}
#endif
};

const TensorFormat *formatOf(const std::string &path) {
  for (const TensorFormat &format : formats)
    if (llvm::StringRef(path).ends_with(format.extension))
      return &format;
  return nullptr;
}

std::string extensions() {
  return llvm::join(llvm::map_range(formats, [](const auto &each) { return each.extension; }),
                    ", ");
}

/// An array of an archive, which has to be read only if it is stored.
llvm::Expected<GivenTensor> readArray(const NpzArchive &archive, const std::string &name,
                                      const SharedFile &file) {
  auto inflated = std::make_shared<std::string>();
  llvm::Expected<FileTensor> tensor = archive.read(name, *inflated);
  if (inflated->empty())
    return owned(std::move(tensor), file);
  return owned(std::move(tensor), inflated);
}

std::optional<std::vector<TensorSource>> openArchive(const std::string &path,
                                                     Diagnostics &diagnostics) {
  auto file = readInputFile(path, maxFileBytes);
  if (!file) {
    diagnostics.error({path, 0, 0}, llvm::toString(file.takeError()));
    return std::nullopt;
  }
  SharedFile shared = std::move(*file);
  auto parsed = NpzArchive::parse(shared->getBuffer());
  if (!parsed) {
    diagnostics.error({path, 0, 0}, llvm::toString(parsed.takeError()));
    return std::nullopt;
  }
  auto archive = std::make_shared<const NpzArchive>(std::move(*parsed));
  std::vector<TensorSource> sources;
  for (const std::string &name : archive->names())
    sources.push_back({name, path + ": array " + quoteText(name),
                       [archive, name, shared] { return readArray(*archive, name, shared); }});
  return sources;
}

/// The graph's name of input `index` of the model that it comes from; "" if it does not take it,
/// nothing if the model does not have it.
std::optional<std::string> inputOfModel(const GraphInterface &graph, size_t index) {
  if (index >= graph.modelInputs.size())
    return std::nullopt;
  const std::string &name = graph.modelInputs[index];
  for (const TensorInterface &input : graph.inputs)
    if ((input.original.empty() ? input.name : input.original) == name)
      return input.name;
  return "";
}

/// The tensor that a file's stem means: input_0 is the first input. Nothing if there are not so
/// many.
std::optional<std::string> valueOf(llvm::StringRef stem, const GraphInterface &graph) {
  for (auto [prefix, tensors] :
       {std::pair("input_", &graph.inputs), std::pair("output_", &graph.outputs)}) {
    llvm::StringRef number = stem;
    size_t index = 0;
    if (!number.consume_front(prefix) || number.getAsInteger(10, index))
      continue;
    if (tensors == &graph.inputs && !graph.modelInputs.empty())
      return inputOfModel(graph, index);
    return index < tensors->size() ? std::optional((*tensors)[index].name) : std::nullopt;
  }
  return stem.str();
}

/// Names of the folder's files, sorted.
std::vector<std::string> filesOf(const std::string &directory, Diagnostics &diagnostics) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(directory, code), end; !code && it != end; it.increment(code))
    if (std::error_code ignored; it->is_regular_file(ignored))
      names.push_back(it->path().filename().string());
  if (code)
    diagnostics.error({directory, 0, 0}, code.message());
  llvm::sort(names);
  return names;
}

std::optional<std::vector<TensorSource>>
openFolder(const std::string &directory, const GraphInterface &graph, Diagnostics &diagnostics) {
  std::vector<TensorSource> sources;
  for (const std::string &name : filesOf(directory, diagnostics)) {
    std::string path = (fs::path(directory) / name).string(), stem = fs::path(name).stem().string();
    bool isTensor = isTensorFile(path);
    if (!isTensor && !llvm::StringRef(name).starts_with("input_") &&
        !llvm::StringRef(name).starts_with("output_"))
      continue; // notes, for example
    std::optional<std::string> value = valueOf(stem, graph);
    if (!isTensor)
      diagnostics.error({path, 0, 0}, "it has no extension of a format that kgen reads",
                        "kgen reads " + extensions());
    else if (!value)
      diagnostics.error({path, 0, 0},
                        "graph '" + graph.name + "' has no such input or output; it has " +
                            std::to_string(graph.inputs.size()) + " inputs and " +
                            std::to_string(graph.outputs.size()) + " outputs",
                        "they are counted from 0");
    else if (!value->empty())
      sources.push_back({*value, path, [path] { return readTensorFile(path); }});
  }
  if (sources.empty() && !diagnostics.hasErrors())
    diagnostics.error({directory, 0, 0}, "there are no tensors in this folder",
                      "input_0 and output_0 are the first ones; kgen reads " + extensions());
  return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(sources));
}

} // namespace

bool isTensorFile(const std::string &path) { return formatOf(path); }

llvm::Expected<GivenTensor> readTensorFile(const std::string &path) {
  const TensorFormat *format = formatOf(path);
  if (!format)
    return llvm::createStringError("it has no extension of a format that kgen reads: " +
                                   extensions());
  auto file = readInputFile(path, maxFileBytes);
  if (!file)
    return file.takeError();
  return format->read(std::move(*file));
}

std::optional<std::vector<TensorSource>>
openTensors(const std::string &path, const GraphInterface &graph, Diagnostics &diagnostics) {
  std::error_code code;
  if (fs::is_directory(path, code))
    return openFolder(path, graph, diagnostics);
  if (llvm::StringRef(path).ends_with(archiveExtension) || !fs::exists(path, code))
    return openArchive(path, diagnostics);
  diagnostics.error({path, 0, 0}, "expected a .npz file or a folder with .npy files",
                    "numpy.savez(" + quoteText(path) + ", x=...) writes one with an array 'x'");
  return std::nullopt;
}

} // namespace kgen
