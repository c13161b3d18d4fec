#include "ingress/onnx/Model.h"

#include "spec/Yaml.h"
#include "support/ForeignFormat.h"
#include "support/InputFile.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>

#include <set>

namespace kgen::onnx {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Of ONNX 1.21.
constexpr int64_t newestIrVersion = 13, newestOpset = 26;
/// The first IR version whose models say which operators they mean.
constexpr int64_t firstWithOpsets = 3;
/// The limit of protobuf itself.
constexpr uint64_t maxModelBytes = (uint64_t(1) << 31) - 1;
/// Messages within messages: a subgraph in a subgraph is one in an attribute, which is one in a
/// node.
constexpr int maxNesting = 200, levelsOfSubgraph = 3;
/// Characters of the name of a domain that are shown.
constexpr size_t maxShownDomain = 40;
/// Fields that are unknown and shown.
constexpr size_t maxShownFields = 10;

/// Collects "GraphProto field 17" for each field of `message` and those within that the schema does
/// not have. The parser has limited the nesting.
void findUnknownFields(const Message &message, std::set<std::string> &found) {
  const google::protobuf::Reflection &reflection = *message.GetReflection();
  const google::protobuf::UnknownFieldSet &unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count() && found.size() <= maxShownFields; ++i)
    found.insert(message.GetDescriptor()->name() + " field " +
                 std::to_string(unknown.field(i).number()));
  std::vector<const FieldDescriptor *> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    if (!field->is_repeated())
      findUnknownFields(reflection.GetMessage(message, field), found);
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i)
      findUnknownFields(reflection.GetRepeatedMessage(message, field, i), found);
  }
}

/// protobuf prints what is wrong to standard error unless it is told not to.
class QuietParser {
public:
  QuietParser() : before(google::protobuf::SetLogHandler(nullptr)) {}
  ~QuietParser() { google::protobuf::SetLogHandler(before); }

private:
  google::protobuf::LogHandler *before;
};

/// Reports opsets that are missing, doubled or unknown: a newer opset may have changed what an
/// operator computes.
void checkOpsets(const ModelProto &model, const SourceLoc &where, Diagnostics &diagnostics) {
  std::set<std::string> domains;
  for (const OperatorSetIdProto &opset : model.opset_import()) {
    const std::string domain = opset.domain() == "ai.onnx" ? "" : opset.domain();
    const std::string what = "opset " + std::to_string(opset.version()) +
                             (domain.empty() ? "" : " of " + quoteText(domain, maxShownDomain));
    if (!domains.insert(domain).second)
      diagnostics.error(where, "the model imports a second opset, " + what,
                        "a model imports one opset of each domain: export it again");
    else if (opset.version() < 1)
      diagnostics.error(where, "there is no " + what, "the first opset is 1");
    else if (domain.empty() && opset.version() > newestOpset)
      diagnostics.error(where,
                        "the model is of " + what + ", and kgen knows those up to " +
                            std::to_string(newestOpset),
                        "export the model for opset " + std::to_string(newestOpset) +
                            ", or convert it with onnx.version_converter");
  }
  if (model.opset_import().empty() && model.ir_version() >= firstWithOpsets)
    diagnostics.error(where, "the model imports no opset, so that its operators have no meaning",
                      "models from IR version " + std::to_string(firstWithOpsets) +
                          " on have 'opset_import': export it again");
}

} // namespace

bool parseMessage(llvm::StringRef bytes, Message &message) {
  if (bytes.size() > maxModelBytes)
    return false;
  QuietParser quiet;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(maxNesting);
  return message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

std::unique_ptr<Model> readModel(const std::string &path, Diagnostics &diagnostics) {
  SourceLoc where{path, 0, 0};
  auto file = readInputFile(path, maxModelBytes);
  if (!file) {
    diagnostics.error(where, "cannot read the file: " + llvm::toString(file.takeError()));
    return nullptr;
  }
  return parseModel((*file)->getBuffer(), path, diagnostics);
}

std::unique_ptr<Model> parseModel(llvm::StringRef bytes, const std::string &path,
                                  Diagnostics &diagnostics) {
  SourceLoc where{path, 0, 0};
  auto model = std::make_unique<Model>();
  model->path = path;
  model->files = {path};
  if (!parseMessage(bytes, model->proto)) {
    const std::string foreign = foreignFormatHint(bytes);
    diagnostics.error(where, "expected an ONNX model, found bytes that are no protobuf of one",
                      foreign.empty()
                          ? "the file is truncated or damaged, of another format, or has subgraphs "
                            "that are nested more than " +
                                std::to_string(maxNesting / levelsOfSubgraph) + " deep"
                          : foreign);
    return nullptr;
  }
  std::set<std::string> unknown;
  findUnknownFields(model->proto, unknown);
  if (unknown.size() > maxShownFields)
    unknown.erase(std::next(unknown.begin(), maxShownFields), unknown.end());
  for (const std::string &field : unknown)
    diagnostics.error(where, "the model has " + field + ", which kgen does not know",
                      "it is damaged, or of a newer version of ONNX than " +
                          std::to_string(newestIrVersion));
  if (model->proto.ir_version() > newestIrVersion)
    diagnostics.error(where, "the model is of IR version " +
                                 std::to_string(model->proto.ir_version()) + ", and kgen knows " +
                                 std::to_string(newestIrVersion));
  else if (!model->proto.has_graph())
    diagnostics.error(where, "expected an ONNX model, found one without a graph");
  else
    checkOpsets(model->proto, where, diagnostics);
  return diagnostics.hasErrors() ? nullptr : std::move(model);
}

} // namespace kgen::onnx
