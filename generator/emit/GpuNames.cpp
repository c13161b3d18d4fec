// Names on which the header and the source of a library's part for graphics cards agree.
#include "emit/Gpu.h"
#include "support/LibraryNames.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace kgen {
namespace {

/// A function that returns a status, as many parameters a line as fit.
std::string prototype(const LibraryInterface &library, const std::string &name,
                      const std::vector<std::string> &parameters) {
  std::string line = library.name + "_gpu_status " + name + "(", text;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string item = parameters[i] + (i + 1 == parameters.size() ? ")" : ", ");
    if (line.size() + item.size() > 100) {
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line = std::string(8, ' ');
    }
    line += item;
  }
  return text + line;
}

bool hasApi(const LibraryInterface &library, GpuApi api) {
  return llvm::any_of(library.gpus,
                      [&](const GpuTargetInterface &target) { return target.api == api; });
}

} // namespace

const std::vector<GpuStatus> &gpuStatuses() {
  static const std::vector<GpuStatus> statuses = {
      {"OK", "the call did what it says"},
      {"NO_DRIVER", "there is no library of a driver, or no driver"},
      {"OLD_DRIVER", "the driver or the device is too old"},
      {"NO_DEVICE", "the driver has no such device"},
      {"LACKS_FEATURE", "the device has not what the kernels need"},
      {"OUT_OF_MEMORY", "the device or the driver has not enough memory"},
      {"LOST_DEVICE", "the device is lost; the object can only be finished"},
      {"DRIVER_FAILED", "the driver reports another error"},
      {"NOT_INITIALIZED", "the object is NULL, not initialized, or finished"},
      {"NULL_POINTER", "a tensor with elements is NULL, or the object of a call of init"},
      {"MISALIGNED_POINTER", "a device pointer is no multiple of its alignment"},
      {"BAD_OPTIONS", "options are wrong, unknown, or not for this target"},
      {"UNKNOWN_TARGET", "the target asked for is not in this library"},
      {"WRONG_TARGET", "the object's target has no such call"},
      {"BAD_INDEX", "there is no such function"},
      {"EXTERN_FAILED", "a function that the CPU's part calls returned something but 0"}};
  return statuses;
}

void declareGpuNames(
    const LibraryInterface &library,
    llvm::function_ref<void(const std::string &name, const std::string &what)> declare) {
  if (library.gpus.empty())
    return;
  const std::string functions = library.name + "_", macros = upperCase(library.name) + "_";
  auto declareOwn = [&](const std::string &name) { declare(name, "kgen's own " + name); };
  for (const char *name : gpuLibraryMacroWords)
    declareOwn(macros + name);
  for (const GpuStatus &status : gpuStatuses())
    declareOwn(macros + "GPU_" + status.name);
  for (const char *name : gpuLibraryWords)
    declareOwn(functions + name);
  for (const GraphInterface &graph : library.graphs)
    for (const char *name : {"_gpu_run", "_gpu_enqueue"})
      declare(functions + graph.name + name,
              "the function for graphics cards of graph '" + graph.name + "'");
}

bool hasCuda(const LibraryInterface &library) { return hasApi(library, GpuApi::cuda); }
bool hasVulkan(const LibraryInterface &library) { return hasApi(library, GpuApi::vulkan); }

int64_t gpuObjectBytes(const LibraryInterface &library) {
  constexpr int64_t head = 4096; // <library>_gpu.c checks that it is enough
  int64_t handles = 0;
  for (const GpuTargetInterface &target : library.gpus) {
    size_t launches = 0; // and twice the calls on the CPU
    for (const GpuGraph &graph : target.graphs)
      launches += graph.launches.size() + 2 * graph.cpuSteps.size();
    handles = std::max(handles, static_cast<int64_t>(3 * target.kernels.size() + launches +
                                                     target.graphs.size() + 1));
  }
  return head + 8 * handles;
}

std::string gpuParameterName(const LibraryInterface &library, const GraphInterface &graph,
                             const std::string &wanted) {
  std::string name = wanted;
  const std::vector<Parameter> tensors = graphParameters(library, graph);
  while (llvm::any_of(tensors, [&](const Parameter &tensor) { return tensor.name == name; }))
    name += "_";
  return name;
}

std::string gpuRunPrototype(const LibraryInterface &library, const GraphInterface &graph) {
  std::vector<std::string> parameters = {library.name + "_gpu *" +
                                         gpuParameterName(library, graph, "gpu")};
  for (const Parameter &tensor : graphParameters(library, graph))
    parameters.push_back(tensor.declaration());
  return prototype(library, library.name + "_" + graph.name + "_gpu_run", parameters);
}

std::string gpuEnqueuePrototype(const LibraryInterface &library, const GraphInterface &graph) {
  std::vector<std::string> parameters = {library.name + "_gpu *" +
                                         gpuParameterName(library, graph, "gpu")};
  for (const Parameter &tensor : graphParameters(library, graph))
    parameters.push_back(library.name + "_gpu_pointer " + tensor.name);
  parameters.push_back("void *" + gpuParameterName(library, graph, "stream"));
  return prototype(library, library.name + "_" + graph.name + "_gpu_enqueue", parameters);
}

} // namespace kgen
