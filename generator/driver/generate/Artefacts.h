// Parts: a graph compiled for a target as files, so that a build system can compile each on its own
// and assemble them.
#pragma once

#include "driver/generate/Generate.h"

#include <llvm/Support/Error.h>

namespace kgen {

/// "objects/forward.x86-64-v4.json" for a part's name.
std::string partMetadataPath(const std::string &part, const std::string &target);
/// The file at weightObjectPath. Large ones are on disk, if there is a scratch file.
llvm::Expected<FileContents> weightFile(const WeightBlob &weight, const std::string &triple,
                                        ObjectKind kind,
                                        const std::shared_ptr<ScratchFile> &scratch);

/// Adds the files of weights that `files` does not have yet.
llvm::Error addWeightFiles(const std::vector<WeightBlob> &weights, const std::string &triple,
                           ObjectKind kind, const std::shared_ptr<ScratchFile> &scratch,
                           FileSet &files);

std::string partMetadata(const Part &part);

/// "objects/weights.<hash>.o" for a weight symbol, which ends in the hash.
std::string weightObjectPath(const std::string &symbol, ObjectKind kind);

/// Reads what `kgen generate --only graph:target -o directory` wrote, its objects into `objects`.
/// An error if something is missing or was made from another spec.
/// `sizes` are those of a version.
llvm::Expected<Part> readPart(const std::string &directory, const std::string &graph,
                              const SizeValues &sizes, const std::string &target,
                              const std::string &specHash, ObjectKind kind, FileSet &objects);

/// An error unless there is code for the function `symbol` of the part, which callers link.
llvm::Error checkPart(const FileSet &objects, const std::string &part, const std::string &target,
                      const std::string &symbol, ObjectKind kind);

} // namespace kgen
