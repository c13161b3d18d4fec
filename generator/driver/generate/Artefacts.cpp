#include "driver/generate/Artefacts.h"

#include "codegen/Audit.h"
#include "codegen/ObjectCode.h"
#include "codegen/ObjectFormat.h"
#include "support/InputFile.h"
#include "support/Json.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>

namespace kgen {

static const char *suffix(ObjectKind kind) { return kind == ObjectKind::assembly ? ".s" : ".o"; }

std::string partMetadataPath(const std::string &part, const std::string &target) {
  return "objects/" + part + "." + target + ".json";
}

std::string weightObjectPath(const std::string &symbol, ObjectKind kind) {
  return "objects/weights." + symbol.substr(symbol.rfind('_') + 1) + suffix(kind);
}

llvm::Expected<FileContents> weightFile(const WeightBlob &weight, const std::string &triple,
                                        ObjectKind kind,
                                        const std::shared_ptr<ScratchFile> &scratch) {
  constexpr size_t smallestOnDisk = 64 << 10;
  llvm::StringRef bytes(weight.bytes().data(), weight.bytes().size());
  if (kind == ObjectKind::object && bytes.size() >= smallestOnDisk && canStretch(triple)) {
    llvm::Expected<DataObject> object = dataObject(weight.symbol, bytes.size(), triple);
    if (!object)
      return object.takeError();
    return FileContents::stored({object->head, bytes, object->tail}, scratch);
  }
  llvm::Expected<std::string> code =
      emitData(weight.symbol, bytes, triple,
               kind == ObjectKind::assembly ? CodeKind::assembly : CodeKind::object);
  if (!code)
    return code.takeError();
  return FileContents::stored(llvm::StringRef(*code),
                              code->size() < smallestOnDisk ? nullptr : scratch);
}

/// Returns what budgets ask about, if there are any.
static Json costsAsJson(const PartCosts &costs) {
  Json json = {{"stack_bytes", costs.code.stackBytes},
               {"functions", Json::array()},
               {"buffers", Json::array()},
               {"weights", Json::array()}};
  for (const CodeFunction &one : costs.code.functions)
    json["functions"].push_back({one.symbol, one.textBytes, one.stackBytes});
  for (const Contributor &one : costs.buffers)
    json["buffers"].push_back({one.name, one.bytes});
  for (const WeightCost &one : costs.weights)
    json["weights"].push_back({one.symbol, one.name, one.bytes});
  return json;
}

/// Throws what at() and get() of JSON throw.
static PartCosts costsFromJson(const SortedJson &json) {
  PartCosts costs;
  costs.code.stackBytes = json.at("stack_bytes");
  for (const SortedJson &one : json.at("functions"))
    costs.code.functions.push_back({one.at(0), one.at(1), one.at(2)});
  for (const SortedJson &one : json.at("buffers"))
    costs.buffers.push_back({one.at(0), one.at(1)});
  for (const SortedJson &one : json.at("weights"))
    costs.weights.push_back({one.at(0), one.at(1), one.at(2)});
  return costs;
}

llvm::Error checkPart(const FileSet &objects, const std::string &part, const std::string &target,
                      const std::string &symbol, ObjectKind kind) {
  auto lacks = [&] {
    return llvm::createStringError(part + "." + target + ": its code lacks the function '" +
                                   symbol + "'");
  };
  auto found = objects.find(objectPath(part, target, kind));
  if (found == objects.end())
    return lacks();
  llvm::Expected<std::string> code = found->second.read();
  if (!code)
    return code.takeError();
  if (kind == ObjectKind::assembly) // where a label begins a line
    return ("\n" + *code).find("\n" + symbol + ":") == std::string::npos ? lacks()
                                                                         : llvm::Error::success();
  llvm::Expected<bool> isDefined = definesFunction(*code, symbol);
  if (!isDefined)
    return isDefined.takeError();
  return *isDefined ? llvm::Error::success() : lacks();
}

llvm::Error addWeightFiles(const std::vector<WeightBlob> &weights, const std::string &triple,
                           ObjectKind kind, const std::shared_ptr<ScratchFile> &scratch,
                           FileSet &files) {
  for (const WeightBlob &weight : weights) {
    const std::string path = weightObjectPath(weight.symbol, kind);
    if (files.count(path) != 0)
      continue;
    llvm::Expected<FileContents> file = weightFile(weight, triple, kind, scratch);
    if (!file)
      return file.takeError();
    files[path] = std::move(*file);
  }
  return llvm::Error::success();
}

std::string partMetadata(const Part &part) {
  Json json = {
      {"graph", part.graph},
      {"target", part.target},
      {"spec_hash", part.specHash},
      {"workspace", part.workspaceBytes},
      {"text_bytes", part.textBytes},
      {"stack_bytes", part.stackBytes},
      {"instructions", part.instructions},
      {"weights", part.weights},
  };
  if (!part.workspaceSizes.empty())
    json["workspace_sizes"] = part.workspaceSizes;
  if (!part.costs.code.functions.empty())
    json["costs"] = costsAsJson(part.costs);
  return formatJson(json);
}

static llvm::Expected<std::string> readFile(const std::string &path) {
  auto buffer = readInputFile(path, UINT64_MAX);
  if (!buffer)
    return llvm::createStringError(path + ": " + llvm::toString(buffer.takeError()));
  return (*buffer)->getBuffer().str();
}

llvm::Expected<Part> readPart(const std::string &directory, const std::string &graph,
                              const SizeValues &sizes, const std::string &target,
                              const std::string &specHash, ObjectKind kind, FileSet &objects) {
  const std::string name = partName(graph, sizes);
  std::string path = directory + "/" + partMetadataPath(name, target);
  if (!llvm::sys::fs::exists(path))
    return llvm::createStringError(directory + ": has no part " + graph + ":" + target +
                                   "; make it with --only " + graph + ":" + target +
                                   ", or add it to GRAPHS and TARGETS of kgen_add_library");
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  SortedJson json = parsedJson(*text);
  Part part;
  part.graph = graph;
  part.sizes = sizes;
  part.target = target;
  part.specHash = specHash;
  try {
    if (json.at("spec_hash") != specHash)
      return llvm::createStringError(
          path + ": was made from another version of the spec; compile the part again");
    part.workspaceBytes = json.at("workspace");
    part.textBytes = json.at("text_bytes");
    part.stackBytes = json.at("stack_bytes");
    part.instructions = json.at("instructions");
    part.weights = json.at("weights").get<std::vector<std::string>>();
    if (json.contains("workspace_sizes"))
      part.workspaceSizes = json.at("workspace_sizes");
    if (json.contains("costs"))
      part.costs = costsFromJson(json.at("costs"));
  } catch (const SortedJson::exception &) {
    return llvm::createStringError(path + ": is not a part's metadata; compile the part again");
  }
  std::vector<std::string> names{objectPath(name, target, kind)};
  for (const std::string &symbol : part.weights)
    names.push_back(weightObjectPath(symbol, kind));
  for (const std::string &name : names) {
    llvm::Expected<std::string> bytes = readFile(directory + "/" + name);
    if (!bytes)
      return bytes.takeError();
    objects[name] = std::move(*bytes);
  }
  return part;
}

} // namespace kgen
