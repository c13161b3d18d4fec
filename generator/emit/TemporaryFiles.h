// Files and folders that are written under a temporary name until they are complete, and take their
// place by one rename.
#pragma once

#include "emit/Library.h"

#include <llvm/Support/Error.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

namespace kgen {

/// While one lives, signals that end the process from outside (SIGINT, SIGTERM, SIGHUP) wait: what
/// is written is completed or removed first.
class SignalsWait {
public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

private:
  sigset_t before;
};

/// "<what> '<path>': <why>".
llvm::Error fileError(const std::string &what, const std::filesystem::path &path,
                      std::error_code code);
/// Returns what errno says.
std::error_code lastError();

/// Returns what the file at `path`, of a folder that kgen writes, has in it; nothing if it cannot
/// be read or is none: a folder, a device, a pipe.
std::optional<std::string> contentsOf(const std::filesystem::path &path);

/// True if there is a file at `path` with these contents.
bool hasContents(const std::filesystem::path &path, const FileContents &contents);

/// Creates `path`, which must not exist, with `contents`, and waits until they are on the disk,
/// unless the environment has KGEN_NO_SYNC. Errors name `shown`: `path` may be a temporary name. A
/// signal that waits is an error.
llvm::Error createFile(const std::filesystem::path &path, const FileContents &contents,
                       const std::filesystem::path &shown);

/// Creates the folders above `path`; `created` is the topmost one that was missing, or empty.
llvm::Error createParents(const std::filesystem::path &path, std::filesystem::path &created);

/// Undoes createParents: removes folders from `path`'s parent up to `created`, as long as they are
/// empty.
void removeParents(const std::filesystem::path &path, const std::filesystem::path &created);

/// Waits until the names in a folder are on the disk; file systems that cannot say so are trusted.
void syncFolder(const std::filesystem::path &folder);

/// Returns a name beside `path` that does not exist yet: ".mlp.kgen-<process>-<n>".
std::filesystem::path temporaryName(const std::filesystem::path &path);

/// Removes what processes of this user that are gone have left under temporary names of `path`.
void removeAbandoned(const std::filesystem::path &path);

/// Like that, but of names in `folder` that are `prefix`, the process, "-" and hexadecimal digits.
void removeAbandoned(const std::filesystem::path &folder, const std::string &prefix);

} // namespace kgen
