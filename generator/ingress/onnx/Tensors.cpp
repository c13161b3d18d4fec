// Tensors of a model: typed fields, raw bytes, external data.
#include "ingress/onnx/Model.h"

#include "spec/WeightFiles.h"
#include "support/HalfBits.h"
#include "support/InputFile.h"
#include "support/TensorLimits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <cstring>

namespace kgen::onnx {
namespace {

/// Appends each number as an element of type T.
template <typename T, typename List> void append(std::vector<char> &bytes, const List &numbers) {
  bytes.resize(sizeof(T) * static_cast<size_t>(numbers.size()));
  char *to = bytes.data();
  for (auto number : numbers) {
    T element = static_cast<T>(number);
    std::memcpy(to, &element, sizeof element);
    to += sizeof element;
  }
}

/// The elements of the field that the standard names for the type.
std::vector<char> typedElements(const TensorProto &tensor, ElementType type) {
  std::vector<char> bytes;
  switch (type) {
  case ElementType::f32:
    append<float>(bytes, tensor.float_data());
    break;
  case ElementType::f64:
    append<double>(bytes, tensor.double_data());
    break;
  case ElementType::i64:
    append<int64_t>(bytes, tensor.int64_data());
    break;
  case ElementType::i32:
    append<int32_t>(bytes, tensor.int32_data());
    break;
  case ElementType::f16:
  case ElementType::bf16:
    append<uint16_t>(bytes, tensor.int32_data());
    break;
  case ElementType::i16:
  case ElementType::u16:
    append<uint16_t>(bytes, tensor.int32_data());
    break;
  case ElementType::u32:
    append<uint32_t>(bytes, tensor.uint64_data());
    break;
  case ElementType::u64:
    append<uint64_t>(bytes, tensor.uint64_data());
    break;
  case ElementType::i8:
  case ElementType::u8:
  case ElementType::boolean:
  case ElementType::f8e4m3fn:
  case ElementType::f8e5m2:
  case ElementType::i4: // two in a byte, a byte in an integer
  case ElementType::u4:
    append<uint8_t>(bytes, tensor.int32_data());
    break;
  }
  return bytes;
}

std::string entry(const TensorProto &tensor, const std::string &key) {
  for (const StringStringEntryProto &pair : tensor.external_data())
    if (pair.key() == key)
      return pair.value();
  return "";
}

/// The path of external data, which must be a file in the model's folder or below, links resolved.
std::string externalPath(const std::string &location, const std::string &modelPath,
                         std::string &problem) {
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(modelPath)), real, realFolder;
  if (folder.empty())
    folder = ".";
  llvm::SmallString<256> path = folder;
  llvm::sys::path::append(path, location);
  if (location.empty() || llvm::sys::path::is_absolute(location))
    problem = "its external data has the location '" + location +
              "', expected a path relative to the model's folder";
  else if (llvm::sys::fs::real_path(path, real) || llvm::sys::fs::real_path(folder, realFolder))
    problem = "its external data '" + location + "' cannot be read: no such file";
  else if (!real.str().starts_with(std::string(realFolder) + "/"))
    problem = "its external data '" + location + "' is outside of the model's folder";
  return std::string(path);
}

/// `size` bytes of the file, which are read once.
WeightData readPart(const std::string &path, uint64_t offset, uint64_t size, Model &model,
                    std::string &problem) {
  WeightData &known = model.external[{path, offset, size}];
  if (known)
    return known;
  auto file = readInputFile(path, UINT64_MAX);
  if (!file) {
    problem = "its external data '" + path + "' cannot be read: " + toString(file.takeError());
    return nullptr;
  }
  llvm::StringRef bytes = (*file)->getBuffer();
  if (offset > bytes.size() || bytes.size() - offset < size) {
    problem = "its external data ends behind the end of '" + path + "', which has " +
              std::to_string(bytes.size()) + " bytes";
    return nullptr;
  }
  // Different parts may overlap; that each byte is read twice is more than a model needs.
  uint64_t &budget = model.fileBudget.emplace(path, 2 * bytes.size()).first->second;
  if (budget < size) {
    problem = "its external data overlaps that of other tensors more than once";
    return nullptr;
  }
  budget -= size;
  if (std::find(model.files.begin(), model.files.end(), path) == model.files.end())
    model.files.push_back(path);
  bytes = bytes.substr(offset, size);
  return known = std::make_shared<const std::vector<char>>(bytes.begin(), bytes.end());
}

WeightData externalElements(const TensorProto &tensor, uint64_t size, Model &model,
                            std::string &problem) {
  std::string path = externalPath(entry(tensor, "location"), model.path, problem);
  if (!problem.empty())
    return nullptr;
  uint64_t offset = 0, length = size;
  std::string offsetText = entry(tensor, "offset"), lengthText = entry(tensor, "length");
  if ((!offsetText.empty() && !llvm::to_integer(offsetText, offset, 10)) ||
      (!lengthText.empty() && !llvm::to_integer(lengthText, length, 10)) || length != size) {
    problem = "its external data has offset '" + offsetText + "' and length '" + lengthText +
              "', expected the " + std::to_string(size) + " bytes of the tensor";
    return nullptr;
  }
  return readPart(path, offset, size, model, problem);
}

/// The type, or nothing and a problem.
std::optional<TensorType> typeOf(const TensorProto &tensor, std::string &problem) {
  std::optional<ElementType> element = elementTypeOf(tensor.data_type());
  if (!element) {
    problem = "its element type is " + dataTypeName(tensor.data_type());
    return std::nullopt;
  }
  TensorType type{*element, {tensor.dims().begin(), tensor.dims().end()}};
  if (type.shape.size() > maxRank || !boundedByteCount(type, maxTensorBytes)) {
    problem = "its shape has more than " + std::to_string(maxRank) +
              " dimensions, a negative one, or more than 1 TiB";
    return std::nullopt;
  }
  return type;
}

WeightData ownElements(const TensorProto &tensor, ElementType type) {
  std::vector<char> bytes;
  if (tensor.has_raw_data())
    bytes.assign(tensor.raw_data().begin(), tensor.raw_data().end());
  else
    bytes = typedElements(tensor, type);
  return std::make_shared<const std::vector<char>>(std::move(bytes));
}

} // namespace

std::optional<ElementType> elementTypeOf(int32_t dataType) {
  switch (dataType) {
  case TensorProto::FLOAT:
    return ElementType::f32;
  case TensorProto::FLOAT16:
    return ElementType::f16;
  case TensorProto::BFLOAT16:
    return ElementType::bf16;
  case TensorProto::DOUBLE:
    return ElementType::f64;
  case TensorProto::INT8:
    return ElementType::i8;
  case TensorProto::UINT8:
    return ElementType::u8;
  case TensorProto::INT32:
    return ElementType::i32;
  case TensorProto::INT64:
    return ElementType::i64;
  case TensorProto::INT16:
    return ElementType::i16;
  case TensorProto::UINT16:
    return ElementType::u16;
  case TensorProto::UINT32:
    return ElementType::u32;
  case TensorProto::UINT64:
    return ElementType::u64;
  case TensorProto::FLOAT8E4M3FN:
    return ElementType::f8e4m3fn;
  case TensorProto::FLOAT8E5M2:
    return ElementType::f8e5m2;
  case TensorProto::INT4:
    return ElementType::i4;
  case TensorProto::UINT4:
    return ElementType::u4;
  case TensorProto::BOOL:
    return ElementType::boolean;
  }
  return std::nullopt;
}

std::string dataTypeName(int32_t dataType) {
  return TensorProto::DataType_IsValid(dataType)
             ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(dataType))
             : std::to_string(dataType);
}

std::optional<ModelTensor> readTensor(const TensorProto &tensor, Model &model,
                                      std::string &problem) {
  std::optional<TensorType> type = typeOf(tensor, problem);
  if (!type)
    return std::nullopt;
  if (tensor.has_segment()) {
    problem = "it is a segment of a tensor";
    return std::nullopt;
  }
  bool isPacked = bitWidth(type->element) == 4;
  auto size = static_cast<uint64_t>(isPacked ? (type->elementCount() + 1) / 2 : type->byteCount());
  bool isExternal = tensor.data_location() == TensorProto::EXTERNAL;
  WeightData data = isExternal ? externalElements(tensor, size, model, problem)
                               : ownElements(tensor, type->element);
  if (!data)
    return std::nullopt;
  if (data->size() != size) {
    problem = "it has " + std::to_string(data->size()) + " bytes, expected the " +
              std::to_string(size) + " of " + type->str();
    return std::nullopt;
  }
  if (isPacked)
    data = std::make_shared<const std::vector<char>>(
        unpackedNibbles({data->data(), data->size()}, *type));
  auto isTruth = [](char byte) { return byte == 0 || byte == 1; };
  if (type->element == ElementType::boolean && !llvm::all_of(*data, isTruth)) {
    std::vector<char> truths(*data);
    for (char &byte : truths)
      byte = byte != 0;
    data = std::make_shared<const std::vector<char>>(std::move(truths));
  }
  return ModelTensor{std::move(*type), std::move(data)};
}

std::optional<ModelTensor> parseTensor(llvm::StringRef bytes, std::string &problem) {
  TensorProto tensor;
  if (!parseMessage(bytes, tensor)) {
    problem = "expected an ONNX tensor, found bytes that are no protobuf of one";
    return std::nullopt;
  }
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    problem = "its data is in another file";
    return std::nullopt;
  }
  Model none;
  return readTensor(tensor, none, problem);
}

std::optional<ModelTensor> readTensorFile(const std::string &path, std::string &problem) {
  auto file = readInputFile(path, UINT64_MAX);
  if (!file) {
    problem = llvm::toString(file.takeError());
    return std::nullopt;
  }
  if (!llvm::StringRef(path).ends_with(".npy"))
    return parseTensor((*file)->getBuffer(), problem);
  llvm::Expected<FileTensor> array = readNpy((*file)->getBuffer());
  if (!array) {
    problem = llvm::toString(array.takeError());
    return std::nullopt;
  }
  return ModelTensor{array->type, std::make_shared<const std::vector<char>>(array->bytes.begin(),
                                                                            array->bytes.end())};
}

} // namespace kgen::onnx
