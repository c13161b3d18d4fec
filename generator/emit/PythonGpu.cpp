// Class Gpu of <library>.py: the functions on graphics cards. What all modules share is
// runtime/module_gpu.py.
#include "emit/Gpu.h"
#include "emit/GpuLayout.h"
#include "emit/PythonNames.h"
#include "emit/Template.h"

namespace kgen {
namespace {

constexpr const char *gpuClassText =
#include "PythonGpuText.inc"
    ;

constexpr char tablesTemplate[] = R"(

GPU_WORDS, GPU_HAS_CUDA = @words@, @has_cuda@
GPU_STATUSES = (
@statuses@)
GPU_TARGETS = {@targets@}  # bytes of device memory
)";

constexpr char classTemplate[] = R"(


class Gpu(_Gpu):
    __doc__ = _Gpu.__doc__
@methods@)";

constexpr char methodTemplate[] = R"(

    def @method@(self@parameters@, *, out=None):
        """@doc@"""
        return self._run(@index@, (@inputs@), out)
)";

std::string gpuMethod(const GraphInterface &graph, size_t index) {
  std::string parameters, inputs;
  for (const TensorInterface &tensor : graph.inputs) {
    parameters += ", " + parameterName(tensor);
    inputs += (inputs.empty() ? "" : " ") + parameterName(tensor) + ",";
  }
  const std::string method = gpuMethodName(graph), doc = pythonDocstring(graph);
  return fillTemplate(methodTemplate, {{"method", method},
                                       {"parameters", parameters},
                                       {"doc", method + doc.substr(methodName(graph).size())},
                                       {"index", std::to_string(index)},
                                       {"inputs", inputs}});
}

} // namespace

std::string pythonGpuRuntime(const LibraryInterface &library) {
  return library.gpus.empty() ? "" : "\n\n" + std::string(gpuClassText);
}

std::string pythonGpuTables(const LibraryInterface &library) {
  if (library.gpus.empty())
    return "";
  std::string statuses, targets;
  for (const GpuStatus &status : gpuStatuses())
    statuses += "    (" + pythonString(upperCase(library.name) + "_GPU_" + status.name) + ", " +
                pythonString(status.meaning) + "),\n";
  for (const GpuTargetInterface &target : library.gpus)
    targets += (targets.empty() ? "" : ", ") + pythonString(target.target) + ": " +
               std::to_string(layOutGpuMemory(library, target).memoryBytes);
  return fillTemplate(tablesTemplate, {{"words", std::to_string(gpuObjectBytes(library) / 8)},
                                       {"has_cuda", hasCuda(library) ? "True" : "False"},
                                       {"statuses", statuses},
                                       {"targets", targets}});
}

std::string pythonGpuClass(const LibraryInterface &library) {
  if (library.gpus.empty())
    return "";
  std::string methods;
  for (size_t i = 0; i < library.graphs.size(); ++i)
    methods += gpuMethod(library.graphs[i], i);
  return fillTemplate(classTemplate, {{"methods", methods}});
}

} // namespace kgen
