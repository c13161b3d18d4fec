// Writes a generated folder in one step, and compares a folder with what would be generated.
#pragma once

#include "emit/Library.h"

#include <llvm/Support/Error.h>

#include <filesystem>

namespace kgen {

/// Builds the folder beside `directory` and swaps it in (renameat2 with RENAME_EXCHANGE; where that
/// is missing, or `mayExchange` is off, see the source). Refuses a folder that contains anything
/// that kgen did not write: one that is not empty and has no kgen manifest, or has files that its
/// manifest does not list. On an error the old folder is as it was and nothing else is left over.
llvm::Error replaceFolder(const std::string &directory, const FileSet &files,
                          bool mayExchange = true);

/// Removes what processes that are gone have left beside the folder; replaceFolder does so, too.
void removeUnfinished(const std::string &directory);

/// Writes one file through a temporary and a rename; unchanged contents keep their time stamp.
llvm::Error replaceFile(const std::string &path, const FileContents &contents);

/// Writes files, by path, so that all of them are replaced, or none where one of them cannot be.
/// Each is whole at any time.
llvm::Error replaceFiles(const FileSet &files);

/// Creates a folder and those above it, as far as they are missing, with the permissions that the
/// umask leaves.
llvm::Error createFolder(const std::string &path);

/// One line per difference ("objects/x.o: differs", "extra.txt: not generated", ...); empty:
/// identical.
std::vector<std::string> compareFolder(const std::string &directory, const FileSet &files);

/// True if `directory` is what this kgen wrote, after `since`, for a library of that name, hash and
/// kind: its manifest says so, and all files are as the manifest says. Of `library` nothing else is
/// read.
bool isUpToDate(const std::string &directory, const LibraryInterface &library,
                std::filesystem::file_time_type since);

} // namespace kgen
