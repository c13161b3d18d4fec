// Generated folders are swapped in as a whole: whoever looks sees the old folder or the new one,
// never a mixture.
//
// Where the file system cannot exchange two folders, files are moved in one by one. The manifest
// then goes first and comes last, and a folder without one is refused by its own CMakeLists.txt;
// while it is away, it is called "<library>.manifest.json.incomplete", so that kgen still knows the
// folder as its own after a crash. A folder that was empty has the new manifest under this name.
#include "emit/Folder.h"

#include "emit/TemporaryFiles.h"
#include "support/Json.h"

#include <llvm/Support/Errc.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kgen {
namespace {
namespace fs = std::filesystem;
constexpr char manifestEnding[] = ".manifest.json", incompleteEnding[] = ".incomplete";

bool endsWith(const std::string &text, const std::string &ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// Relative paths of all files below `directory`; empty folders count too, with a trailing '/'.
llvm::Expected<std::set<std::string>> filesBelow(const fs::path &directory) {
  std::set<std::string> files;
  std::error_code code;
  for (fs::recursive_directory_iterator it(directory, code), end; !code && it != end;
       it.increment(code)) {
    std::string relative = it->path().lexically_relative(directory).generic_string();
    std::error_code ignored;
    if (it->is_symlink() || !it->is_directory(ignored))
      files.insert(relative);
    else if (fs::is_empty(it->path(), ignored))
      files.insert(relative + "/");
  }
  if (code)
    return fileError("cannot read", directory, code);
  return files;
}

/// True for the names of manifests in a generated folder.
bool isManifest(const std::string &name) {
  return name.find('/') == std::string::npos &&
         (endsWith(name, manifestEnding) ||
          endsWith(name, std::string(manifestEnding) + incompleteEnding));
}

/// True for the name of the folder's own manifest, once it is whole; folders of architectures have
/// their own.
bool isWholeManifest(const std::string &name) {
  return name.find('/') == std::string::npos && endsWith(name, manifestEnding);
}

/// The files that the manifest in `directory` lists, itself included; nothing if there is no
/// manifest of kgen.
std::optional<std::set<std::string>> filesOfManifest(const fs::path &directory,
                                                     const std::set<std::string> &files) {
  for (const std::string &name : files) {
    if (!isManifest(name))
      continue;
    SortedJson json = parsedJson(contentsOf(directory / name).value_or(""));
    if (!json.is_object() || json.value("generator", SortedJson()) != "kgen")
      continue;
    std::set<std::string> listed = {name};
    for (const auto &file : json.value("files", SortedJson::array()))
      if (file.is_object() && file.contains("path") && file["path"].is_string())
        listed.insert(file["path"].get<std::string>());
    return listed;
  }
  return std::nullopt;
}

/// The library that kgen wrote into the folder, by its manifest; "" if there is none.
std::string libraryIn(const std::set<std::string> &files) {
  for (const std::string &name : files)
    if (isManifest(name))
      return name.substr(0, name.find(manifestEnding));
  return "";
}

/// Refuses to destroy what kgen did not write, and another library than that of `newFiles`.
llvm::Error checkReplaceable(const fs::path &directory, const FileSet &newFiles) {
  std::error_code code;
  fs::file_status status = fs::status(directory, code);
  if (status.type() == fs::file_type::not_found)
    return llvm::Error::success();
  if (status.type() == fs::file_type::none)
    return fileError("cannot use", directory, code);
  if (status.type() != fs::file_type::directory)
    return llvm::createStringError(llvm::errc::not_a_directory, "'%s' exists and is not a folder",
                                   directory.c_str());
  llvm::Expected<std::set<std::string>> present = filesBelow(directory);
  if (!present)
    return present.takeError();
  if (present->empty())
    return llvm::Error::success();
  std::optional<std::set<std::string>> listed = filesOfManifest(directory, *present);
  for (const std::string &name : *present)
    if (!listed && isManifest(name))
      return llvm::createStringError(
          llvm::errc::file_exists,
          "'%s' is no manifest of kgen, or a damaged one; its folder stays as it is: if kgen wrote "
          "the folder, remove it and generate again, else choose another folder",
          (directory / name).c_str());
  if (!listed)
    return llvm::createStringError(
        llvm::errc::file_exists,
        "'%s' is not empty and kgen did not write it (it has no kgen manifest); it stays as "
        "it is: choose another folder or remove it",
        directory.c_str());
  std::set<std::string> written;
  for (const auto &[name, contents] : newFiles)
    written.insert(name);
  if (const std::string there = libraryIn(*listed), now = libraryIn(written);
      !now.empty() && there != now)
    return llvm::createStringError(
        llvm::errc::file_exists,
        "'%s' holds the library '%s', which '%s' does not replace; expected a folder of its own: "
        "-o says another one, or remove it",
        directory.c_str(), there.c_str(), now.c_str());
  bool wasInterrupted = endsWith(*listed->begin(), incompleteEnding);
  for (const std::string &name : *listed)
    wasInterrupted |= endsWith(name, incompleteEnding);
  // A folder in which nothing has been put yet is called by its name and a slash.
  auto isOfNewFiles = [&](const std::string &name) {
    auto next = newFiles.lower_bound(name);
    return next != newFiles.end() &&
           (next->first == name ||
            (endsWith(name, "/") && next->first.compare(0, name.size(), name) == 0));
  };
  for (const std::string &name : *present)
    if (!listed->count(name) && !(wasInterrupted && isOfNewFiles(name)))
      return llvm::createStringError(
          llvm::errc::file_exists,
          "'%s' contains '%s', which kgen did not write; nothing is replaced: move it away",
          directory.c_str(), name.c_str());
  return llvm::Error::success();
}

/// Creates the files below `directory`, which is called `shown` in errors.
llvm::Error createFiles(const fs::path &directory, const FileSet &files, const fs::path &shown) {
  std::set<fs::path> folders = {directory};
  for (const auto &[name, contents] : files) {
    std::error_code code;
    fs::create_directories((directory / name).parent_path(), code);
    if (code)
      return fileError("cannot create", (shown / name).parent_path(), code);
    if (llvm::Error error = createFile(directory / name, contents, shown / name))
      return error;
    folders.insert((directory / name).parent_path());
  }
  for (const fs::path &folder : folders)
    syncFolder(folder);
  return llvm::Error::success();
}

/// Moves `files` from `from` over those in `to`, the manifest last, and removes the old ones.
llvm::Error moveFiles(const fs::path &from, const fs::path &to, const FileSet &files) {
  llvm::Expected<std::set<std::string>> old = filesBelow(to);
  if (!old)
    return old.takeError();
  std::error_code code;
  std::set<std::string> obsolete;
  for (const std::string &name : *old) {
    bool wasWhole = isWholeManifest(name);
    if (wasWhole)
      fs::rename(to / name, to / (name + incompleteEnding), code);
    if (code)
      return fileError("cannot rename", to / name, code);
    if (wasWhole || !files.count(name))
      obsolete.insert(wasWhole ? name + incompleteEnding : name);
  }
  fs::path last = from; // where the new manifest is
  for (const auto &[name, contents] : files)
    if (isWholeManifest(name) && old->empty()) {
      last = to / (name + incompleteEnding);
      fs::rename(from / name, last, code);
      if (code)
        return fileError("cannot create", last, code);
    }
  for (bool manifests : {false, true})
    for (const auto &[name, contents] : files) {
      if (isWholeManifest(name) != manifests)
        continue;
      fs::create_directories((to / name).parent_path(), code);
      if (!code)
        fs::rename(manifests && last != from ? last : from / name, to / name, code);
      if (code)
        return fileError("cannot replace", to / name, code);
    }
  for (const std::string &name : obsolete) {
    fs::remove(to / name, code);
    for (fs::path parent = (to / name).parent_path(); parent != to && fs::is_empty(parent, code);
         parent = parent.parent_path())
      fs::remove(parent, code);
  }
  return llvm::Error::success();
}

/// Replaces `directory` by the finished folder `built`. What is at `built` afterwards is
/// rubbish.
llvm::Error swapIn(const fs::path &built, const fs::path &directory, const FileSet &files,
                   bool mayExchange) {
  if (mayExchange) {
    // Works if there is nothing there or an empty folder.
    if (rename(built.c_str(), directory.c_str()) == 0)
      return llvm::Error::success();
    constexpr unsigned exchange =
        2; // RENAME_EXCHANGE; the C library's header may be older than the kernel
    if (syscall(SYS_renameat2, AT_FDCWD, built.c_str(), AT_FDCWD, directory.c_str(), exchange) == 0)
      return llvm::Error::success();
    bool isMissing = errno == ENOSYS || errno == EINVAL || errno == EXDEV || errno == EBUSY;
    if (!isMissing)
      return fileError("cannot replace", directory, lastError());
  }
  std::error_code code;
  fs::create_directories(directory, code);
  if (code)
    return fileError("cannot create", directory, code);
  return moveFiles(built, directory, files);
}

/// The folder's canonical path: links resolved, no trailing slash.
fs::path canonicalPath(const std::string &directory) {
  std::error_code code;
  fs::path target = fs::weakly_canonical(fs::absolute(directory, code), code);
  if (code) // links without end; who opens it says what is wrong
    target = fs::absolute(directory).lexically_normal();
  return target.filename().empty() ? target.parent_path() : target;
}
} // namespace

llvm::Error replaceFolder(const std::string &directory, const FileSet &files, bool mayExchange) {
  SignalsWait signals;
  fs::path target = canonicalPath(directory), createdParent, built = temporaryName(target);
  if (llvm::Error error = checkReplaceable(target, files))
    return error;
  removeAbandoned(target);
  std::error_code code;
  llvm::Error error = createParents(target, createdParent);
  if (!error) {
    if (mkdir(built.c_str(), 0777) != 0)
      error = fileError("cannot create", target, lastError());
    else if (!(error = createFiles(built, files, target)))
      error = swapIn(built, target, files, mayExchange);
    syncFolder(target.parent_path());
    fs::remove_all(built, code);
  }
  if (error)
    removeParents(target, createdParent);
  return error;
}

void removeUnfinished(const std::string &directory) { removeAbandoned(canonicalPath(directory)); }

llvm::Error createFolder(const std::string &path) {
  std::error_code code;
  fs::create_directories(path, code);
  return code ? fileError("cannot create the folder", path, code) : llvm::Error::success();
}

std::vector<std::string> compareFolder(const std::string &directory, const FileSet &files) {
  std::vector<std::string> differences;
  fs::path target = canonicalPath(directory);
  for (const auto &[name, contents] : files) {
    std::error_code code;
    fs::file_type type = fs::symlink_status(target / name, code).type();
    if (type != fs::file_type::regular)
      differences.push_back(name + (type == fs::file_type::not_found ? ": missing" : ": no file"));
    else if (!hasContents(target / name, contents))
      differences.push_back(name + ": differs");
  }
  llvm::Expected<std::set<std::string>> present = filesBelow(target);
  if (!present) {
    llvm::consumeError(present.takeError()); // every file has been reported as missing
    return differences;
  }
  for (const std::string &name : *present)
    if (!files.count(name))
      differences.push_back(name + ": not generated");
  return differences;
}

} // namespace kgen
