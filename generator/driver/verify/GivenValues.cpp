#include "driver/verify/GivenValues.h"

#include "driver/run/TensorBytes.h"
#include "emit/Sizes.h"
#include "spec/WeightFiles.h"
#include "spec/Yaml.h"

#include <llvm/ADT/STLExtras.h>

#include <cstring>

namespace kgen {
namespace {

/// True if arrays of `given` have the numbers of i4 or u4.
bool isByteOf(ElementType given, ElementType element) {
  return (element == ElementType::i4 && given == ElementType::i8) ||
         (element == ElementType::u4 && given == ElementType::u8);
}

GivenTensor rounded(const GivenTensor &tensor, ElementType element) {
  auto bytes = std::make_shared<std::vector<char>>();
  for (int64_t i = 0; i < tensor.type.elementCount(); ++i)
    appendFloat(*bytes, element, elementAt(tensor.type, tensor.bytes.data(), i));
  llvm::StringRef view(bytes->data(), bytes->size());
  return {{element, tensor.type.shape}, view, std::move(bytes)};
}

class Reader {
public:
  Reader(const GivenRequest &request, std::vector<std::string> &notes, Diagnostics &diagnostics)
      : path(request.path), graph(request.graph), inner(request.inner), request(request),
        notes(notes), diagnostics(diagnostics) {}

  std::optional<GivenValues> read() {
    auto opened = openTensors(path, graph, diagnostics);
    if (!opened)
      return std::nullopt;
    for (TensorSource &source : *opened)
      if (auto [known, isNew] = sources.try_emplace(source.name, source); !isNew)
        reportTwice(source.name, source, known->second);
    for (const auto *tensors : {&graph.inputs, &graph.outputs})
      for (const TensorInterface &tensor : *tensors)
        bindSource(tensor);
    GivenValues values;
    if (request.frames && !(frames = framesInArrays()))
      return std::nullopt;
    values.frames = frames;
    for (const DimSymbol &dim : graph.dims)
      if (std::optional<int64_t> size = dim.state.empty() ? sizeInArrays(dim) : heldSize(dim))
        values.sizes[dim.name] = *size;
    if (values.sizes.size() != graph.dims.size()) // no type is known
      return std::nullopt;
    bind(values.sizes);
    for (const TensorInterface &input : graph.inputs)
      values.inputs.push_back(begins(input) ? beginningOf(input) : readDeclared("input", input));
    for (const TensorInterface &output : graph.outputs)
      values.outputs.push_back(mayLack(output) ? std::nullopt
                                               : std::optional(readDeclared("output", output)));
    for (const auto &[name, source] : sources)
      if (!taken.count(name))
        readOther(source, values);
    return diagnostics.hasErrors() ? std::nullopt : std::optional(std::move(values));
  }

private:
  /// True for a state before the first call, which has no axis of calls.
  bool isStart(const TensorInterface &tensor) const {
    return !tensor.state.empty() && llvm::any_of(graph.inputs, [&](const TensorInterface &input) {
      return input.name == tensor.name;
    });
  }

  /// True for a state that no array says, which is what the library begins it with.
  bool begins(const TensorInterface &input) const {
    return frames && !input.state.empty() && !bound.count(input.name);
  }

  bool mayLack(const TensorInterface &output) const {
    bool isEnough = !request.needsOutputs || !output.state.empty();
    return frames && isEnough && !bound.count(output.name);
  }

  TensorType withFrames(TensorType type) const {
    if (frames)
      type.shape.insert(type.shape.begin(), *frames);
    return type;
  }

  /// The leading axis of the first array that has one; others are compared with it.
  std::optional<int64_t> framesInArrays() {
    for (const auto *tensors : {&graph.inputs, &graph.outputs})
      for (const TensorInterface &tensor : *tensors) {
        auto source = bound.find(tensor.name);
        if (isStart(tensor) || source == bound.end())
          continue;
        llvm::Expected<GivenTensor> given = source->second->read();
        bool hasAxis = given && !given->type.shape.empty() && given->type.shape.front() > 0;
        if (hasAxis)
          return given->type.shape.front();
        diagnostics.error({source->second->where, 0, 0},
                          given ? "expected a leading axis of calls, found " + given->type.str()
                                : llvm::toString(given.takeError()),
                          "--frames takes arrays of as many calls as their first axis says");
        return std::nullopt;
      }
    diagnostics.error({path, 0, 0},
                      "no array is an input or an output of graph '" + graph.name +
                          "': there are no calls",
                      "--frames takes arrays of as many calls as their first axis says");
    return std::nullopt;
  }

  GivenTensor beginningOf(const TensorInterface &input) const {
    auto bytes = std::make_shared<std::vector<char>>(static_cast<size_t>(input.type.byteCount()));
    auto state = llvm::find_if(request.states, [&](const StateInterface &each) {
      return each.name == input.state && !each.init.empty();
    });
    if (state != request.states.end())
      for (size_t i = 0; i < bytes->size(); ++i)
        (*bytes)[i] = static_cast<char>(state->init[i % state->init.size()]);
    llvm::StringRef view(bytes->data(), bytes->size());
    return {input.type, view, std::move(bytes)};
  }

  /// The size of the first array that has `dim` as a dimension; other arrays are compared with
  /// it. Reports a size that the function does not take, and one that no array tells.
  std::optional<int64_t> sizeInArrays(const DimSymbol &dim) {
    for (const auto *tensors : {&graph.inputs, &graph.outputs})
      for (const TensorInterface &tensor : *tensors)
        if (auto source = bound.find(tensor.name); source != bound.end())
          if (std::optional<size_t> axis = axisOf(tensor.type, dim))
            return checkedSize(*source->second, *axis + (frames && !isStart(tensor)), dim);
    diagnostics.error({path, 0, 0},
                      "no array has '" + dim.name + "' of graph '" + graph.name +
                          "' as a dimension, so that its size is not known",
                      "bind it: --dim " + dim.name + "=N");
    return std::nullopt;
  }

  /// Returns what the state is before the first call. Reports arrays of frames whose type has such
  /// a size.
  std::optional<int64_t> heldSize(const DimSymbol &dim) {
    for (const auto *tensors : {&graph.inputs, &graph.outputs})
      for (const TensorInterface &tensor : *tensors)
        if (frames && tensor.type.shape.elements().symbols().count(dim.name)) {
          diagnostics.error({path, 0, 0},
                            "the shape of '" + tensor.name +
                                "' changes from frame to frame with '" + dim.name +
                                "', which the state '" + dim.state + "' holds",
                            "--frames takes arrays of one shape: verify one call at a time");
          return std::nullopt;
        }
    auto state = llvm::find_if(
        graph.inputs, [&](const TensorInterface &input) { return input.state == dim.state; });
    GivenTensor held = begins(*state) ? beginningOf(*state) : readDeclared("input", *state);
    if (held.type != state->type) // was reported
      return std::nullopt;
    int64_t size = 0;
    std::memcpy(&size, held.bytes.data(), sizeof size);
    if (dim.contains(size))
      return size;
    diagnostics.error({path, 0, 0}, "the state '" + dim.state + "' holds '" + dim.name +
                                        "', from " + dim.range() + ", found " +
                                        std::to_string(size));
    return std::nullopt;
  }

  std::optional<int64_t> checkedSize(const TensorSource &source, size_t axis,
                                     const DimSymbol &dim) {
    llvm::Expected<GivenTensor> tensor = source.read();
    if (!tensor) {
      diagnostics.error({source.where, 0, 0}, llvm::toString(tensor.takeError()));
      return std::nullopt;
    }
    int64_t size = axis < tensor->type.shape.size() ? tensor->type.shape[axis] : dim.min;
    if (dim.contains(size))
      return size;
    diagnostics.error({source.where, 0, 0}, "dimension " + std::to_string(axis) + " is '" +
                                                dim.name + "', from " + dim.range() + ", found " +
                                                std::to_string(size));
    return std::nullopt;
  }

  /// Sizes become numbers.
  void bind(const SizeValues &sizes) {
    graph = atSizes(graph, sizes);
    for (auto &[name, type] : inner.results)
      type = atSizes(type, sizes);
  }

  void reportTwice(const std::string &name, const TensorSource &source, const TensorSource &other) {
    diagnostics.error({source.where, 0, 0}, quoteText(name) + " is given twice",
                      "the other one is " + other.where);
  }

  static const std::string &modelName(const TensorInterface &tensor) {
    return tensor.original.empty() ? tensor.name : tensor.original;
  }

  /// Returns how many inputs and outputs have the name in the model: an output may be an input.
  int64_t countOf(const std::string &name) const {
    auto isCalledSo = [&](const TensorInterface &tensor) { return modelName(tensor) == name; };
    return llvm::count_if(graph.inputs, isCalledSo) + llvm::count_if(graph.outputs, isCalledSo);
  }

  /// The array of an input or output has its name in the model, or that in the graph if no other
  /// value of the model has this one.
  void bindSource(const TensorInterface &tensor) {
    auto inModel = sources.find(modelName(tensor)), inGraph = sources.find(tensor.name);
    bool isOthers = tensor.name != modelName(tensor) && countOf(tensor.name) != 0;
    if (isOthers)
      inGraph = sources.end();
    if (inModel != sources.end() && inGraph != sources.end() && inModel != inGraph) {
      if (countOf(modelName(tensor)) == 1)
        reportTwice(tensor.name, inGraph->second, inModel->second);
      inModel = inGraph;
      taken.insert(modelName(tensor));
    }
    auto source = inModel == sources.end() ? inGraph : inModel;
    if (source == sources.end())
      return;
    taken.insert(source->first);
    bound[tensor.name] = &source->second;
  }

  GivenTensor readDeclared(const char *what, const TensorInterface &tensor) {
    auto source = bound.find(tensor.name);
    if (source != bound.end())
      return readAs(*source->second, isStart(tensor) ? tensor.type : withFrames(tensor.type));
    std::vector<std::string> names;
    for (const auto &[name, other] : sources)
      names.push_back(name);
    diagnostics.error({path, 0, 0},
                      std::string(what) + " '" + tensor.name + "' of graph '" + graph.name +
                          "' is missing" + didYouMean(tensor.name, names),
                      "expected " + withFrames(tensor.type).str());
    return {};
  }

  void readOther(const TensorSource &source, GivenValues &values) {
    if (inner.severalOf.count(source.name)) {
      notes.push_back(source.where + " is not read: several values of the model have this name");
      return;
    }
    auto inModel = inner.modelNames.find(source.name);
    const std::string &inGraph = inModel == inner.modelNames.end() ? source.name : inModel->second;
    auto result = inner.results.find(inGraph);
    if (result != inner.results.end()) {
      if (values.results.count(inGraph))
        return reportTwice(inGraph, source, source);
      values.results[inGraph] = readAs(source, withFrames(result->second));
    } else if (inner.weights.count(inGraph)) {
      notes.push_back(source.where + " is not read: it is a weight");
    } else if (llvm::is_contained(graph.modelInputs, source.name)) {
      notes.push_back(source.where + " is not read: the function does not take this input");
    } else {
      std::vector<std::string> names;
      for (const auto *tensors : {&graph.inputs, &graph.outputs})
        for (const TensorInterface &tensor : *tensors)
          names.push_back(tensor.name);
      for (const auto &[name, type] : inner.results)
        names.push_back(name);
      std::string text = "graph '" + graph.name + "' has no " + quoteText(source.name) +
                         didYouMean(source.name, names);
      if (inner.areKnown)
        diagnostics.error({source.where, 0, 0}, text);
      else
        notes.push_back(source.where + " is not read: as far as the manifest says, " + text);
    }
  }

  GivenTensor readAs(const TensorSource &source, const TensorType &type) {
    llvm::Expected<GivenTensor> tensor = source.read();
    if (!tensor) {
      diagnostics.error({source.where, 0, 0}, llvm::toString(tensor.takeError()));
      return {};
    }
    bool isRounded = type.element == ElementType::bf16 || isFloat8(type.element);
    if (isRounded && tensor->type.element == ElementType::f32)
      tensor = rounded(*tensor, type.element);
    if (type.element == ElementType::bf16 && tensor->type.element == ElementType::u16)
      tensor->type.element = type.element; // its bits
    if (isByteOf(tensor->type.element, type.element))
      tensor->type.element = type.element;
    if (tensor->type != type)
      diagnostics.error({source.where, 0, 0},
                        "expected " + type.str() + ", found " + tensor->type.str(),
                        tensor->type.element == type.element
                            ? ""
                            : "convert it with astype(" + numpyName(type.element) + ")");
    else if (type.element == ElementType::boolean &&
             llvm::any_of(tensor->bytes, [](char c) { return c & ~1; }))
      diagnostics.error({source.where, 0, 0}, "a bool is neither 0 nor 1");
    return std::move(*tensor);
  }

  const std::string &path;
  GraphInterface graph;
  InnerValues inner;
  const GivenRequest &request;
  std::optional<int64_t> frames; ///< if they are requested
  std::vector<std::string> &notes;
  Diagnostics &diagnostics;
  std::map<std::string, TensorSource> sources; ///< by the name that each is given
  std::map<std::string, const TensorSource *>
      bound;                   ///< of inputs and outputs, by name in the graph
  std::set<std::string> taken; ///< names of sources that are bound
};

} // namespace

std::optional<GivenValues> readGivenValues(const GivenRequest &request,
                                           std::vector<std::string> &notes,
                                           Diagnostics &diagnostics) {
  return Reader(request, notes, diagnostics).read();
}

} // namespace kgen
