// The whole folder from its parts.
#include "emit/Library.h"

#include "emit/Gpu.h"
#include "emit/HostText.h"
#include "emit/State.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

namespace {

/// True for a file that goes into the program: none for machines, none of a folder's other files.
bool isObject(const LibraryInterface &library, llvm::StringRef path) {
  if (library.architectures.empty())
    return path.starts_with("objects/");
  return llvm::any_of(library.architectures, [&](const ArchitectureInterface &one) {
    return path.starts_with(one.folder + "/objects/");
  });
}

} // namespace

FileSet emitLibrary(const LibraryInterface &library, const FileSet &objects) {
  const bool chooses = !library.architectures.empty();
  FileSet files = objects;
  files[library.name + ".h"] = chooses ? emitChoosingHeader(library) : emitHeader(library);
  files[library.name + ".c"] = chooses ? emitChoosingSource(library) : emitDispatcher(library);
  if (!library.gpus.empty()) {
    files[library.name + "_gpu.h"] =
        chooses ? emitChoosingGpu(library, "_gpu.h") : emitGpuHeader(library);
    files[library.name + "_gpu.c"] =
        chooses ? emitChoosingGpu(library, "_gpu.c") : emitGpuSource(library);
  }
  if (!chooses && isForWindows(library))
    files[library.name + ".def"] = emitExports(library);
  FileSet code;
  for (const auto &[path, bytes] : objects)
    if (isObject(library, path))
      code[path] = bytes;
  files["CMakeLists.txt"] = emitConsumerCMake(library, code);
  files[library.name + ".pc.in"] = emitPkgConfigTemplate(library);
  if (library.python && !chooses)
    files[library.name + ".py"] = emitPythonModule(library);
  files[library.name + ".manifest.json"] = emitManifest(library, files);
  return files;
}

int64_t largestWorkspaceBytes(const GraphInterface &graph) {
  int64_t largest = 0;
  for (const auto &[target, bytes] : graph.workspaceBytes)
    largest = std::max(largest, callerWorkspaceBytes(withUpdates(graph, bytes)));
  return largest;
}

bool hasOriginalNames(const LibraryInterface &library) {
  auto hasOne = [](const std::vector<TensorInterface> &tensors) {
    return llvm::any_of(tensors, [](const auto &tensor) { return !tensor.original.empty(); });
  };
  return llvm::any_of(library.graphs, [&](const GraphInterface &graph) {
    return hasOne(graph.inputs) || hasOne(graph.outputs);
  });
}

} // namespace kgen
