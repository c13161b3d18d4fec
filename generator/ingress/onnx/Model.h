// An ONNX model file in memory.
#pragma once

#include "support/Diagnostics.h"
#include "support/TensorType.h"
#include "support/WeightData.h"

#include "ingress/onnx/onnx.pb.h"

#include <llvm/ADT/StringRef.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kgen::onnx {

/// A part of a file: its path, offset and size.
using FilePart = std::tuple<std::string, uint64_t, uint64_t>;

struct Model {
  std::string path;                           ///< as it was given
  ModelProto proto;                           ///< every field is known
  std::vector<std::string> files;             ///< that were read: the model, and external data
  std::map<FilePart, WeightData> external;    ///< external data that was read
  std::map<std::string, uint64_t> fileBudget; ///< bytes of files that may still be read
};

/// Parses the bytes of the file `path`. Reports what is no model, has fields that the schema lacks,
/// or is from a newer version of the format, and returns null.
std::unique_ptr<Model> parseModel(llvm::StringRef bytes, const std::string &path,
                                  Diagnostics &diagnostics);
/// Reads and parses the file. Reports one that cannot be read as well, and returns null.
std::unique_ptr<Model> readModel(const std::string &path, Diagnostics &diagnostics);

struct ModelTensor {
  TensorType type;
  WeightData data;
};

/// Parses without a message to standard error; limits nesting.
bool parseMessage(llvm::StringRef bytes, google::protobuf::Message &message);

/// kgen's element type of a TensorProto::DataType, or nothing if there is none.
std::optional<ElementType> elementTypeOf(int32_t dataType);
/// The standard's name of a TensorProto::DataType ("UINT16"), or its number.
std::string dataTypeName(int32_t dataType);

/// The tensor's elements, from the message or from external data in the model's folder or below,
/// which is added to the model's files. On an error, `problem` says what is wrong.
std::optional<ModelTensor> readTensor(const TensorProto &tensor, Model &model,
                                      std::string &problem);

/// A TensorProto in a file of its own, as tests of models have them: without external data.
std::optional<ModelTensor> parseTensor(llvm::StringRef bytes, std::string &problem);
/// A .npy file, or one of a TensorProto.
std::optional<ModelTensor> readTensorFile(const std::string &path, std::string &problem);

} // namespace kgen::onnx
