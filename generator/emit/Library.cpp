// The whole folder from its parts.
#include "emit/Library.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

FileSet emitLibrary(const LibraryInterface &library, const FileSet &objects) {
  FileSet files = objects;
  files[library.name + ".h"] = emitHeader(library);
  files[library.name + ".c"] = emitDispatcher(library);
  FileSet code; // without what is for machines
  for (const auto &[path, bytes] : objects)
    if (path.rfind("objects/", 0) == 0)
      code[path] = bytes;
  files["CMakeLists.txt"] = emitConsumerCMake(library, code);
  files[library.name + ".pc.in"] = emitPkgConfigTemplate(library);
  if (library.python)
    files[library.name + ".py"] = emitPythonModule(library);
  files[library.name + ".manifest.json"] = emitManifest(library, files);
  return files;
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
