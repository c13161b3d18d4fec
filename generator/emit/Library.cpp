// The whole folder from its parts.
#include "emit/Library.h"

namespace kgen {

FileSet emitLibrary(const LibraryInterface &library, const FileSet &objects) {
  FileSet files = objects;
  files[library.name + ".h"] = emitHeader(library);
  files[library.name + ".c"] = emitDispatcher(library);
  files["CMakeLists.txt"] = emitConsumerCMake(library, objects);
  files[library.name + ".pc.in"] = emitPkgConfigTemplate(library);
  files[library.name + ".manifest.json"] = emitManifest(library, files);
  return files;
}

} // namespace kgen
