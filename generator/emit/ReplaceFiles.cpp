// Files that are no folder of their own: each takes its place by one rename, and the old ones are
// kept until the last one has done so.
#include "emit/Folder.h"
#include "emit/TemporaryFiles.h"

#include <llvm/Support/Errc.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kgen {
namespace {
namespace fs = std::filesystem;

/// One of the files.
class Replacement {
public:
  explicit Replacement(const std::string &path)
      : given(path), target(fs::absolute(path)), temporary(temporaryName(target)) {}

  /// Writes the file beside its place, unless what is there has these contents.
  llvm::Error prepare(const FileContents &contents) {
    std::error_code code;
    if (fs::is_directory(target, code))
      return llvm::createStringError(llvm::errc::is_a_directory,
                                     "'%s' is a folder; expected the name of a file",
                                     given.c_str());
    removeAbandoned(target);
    if (hasContents(target, contents))
      return llvm::Error::success();
    wasThere = fs::exists(target, code);
    if (llvm::Error error = createParents(target, createdParent))
      return error;
    isPrepared = true;
    return createFile(temporary, contents, target);
  }

  /// Puts it in its place. Unless it is the last one, the old file stays beside it.
  llvm::Error put(bool isLast) {
    constexpr unsigned exchange = 2; // RENAME_EXCHANGE, which older headers lack
    if (!isPrepared)
      return llvm::Error::success();
    isKept = wasThere && !isLast &&
             syscall(SYS_renameat2, AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(),
                     exchange) == 0;
    if (!isKept && rename(temporary.c_str(), target.c_str()) != 0)
      return fileError("cannot replace", target, lastError());
    isPut = true;
    return llvm::Error::success();
  }

  /// Puts the old file in its place again, where it was kept; a new one goes.
  void undo() {
    std::error_code code;
    if (isKept && rename(temporary.c_str(), target.c_str()) == 0)
      isKept = false;
    else if (isPut && !wasThere)
      fs::remove(target, code);
    else if (isPrepared && !isPut)
      fs::remove(temporary, code);
    removeParents(target, createdParent);
  }

  /// Removes the old file, if it was kept.
  void finish() {
    std::error_code code;
    if (isKept)
      fs::remove(temporary, code);
    if (isPut)
      syncFolder(target.parent_path());
  }

private:
  std::string given;
  fs::path target, temporary, createdParent;
  bool wasThere = false, isPrepared = false, isPut = false, isKept = false;
};

using NamedContents = std::pair<std::string, const FileContents *>;

llvm::Error replaceAll(const std::vector<NamedContents> &files) {
  SignalsWait signals;
  std::vector<Replacement> replacements;
  llvm::Error error = llvm::Error::success();
  for (const auto &[path, contents] : files)
    if (!error)
      error = replacements.emplace_back(path).prepare(*contents);
  for (Replacement &one : replacements)
    if (!error)
      error = one.put(/*isLast=*/&one == &replacements.back());
  if (error)
    for (Replacement &one : replacements)
      one.undo();
  for (Replacement &one : replacements)
    one.finish();
  return error;
}

} // namespace

llvm::Error replaceFile(const std::string &path, const FileContents &contents) {
  return replaceAll({{path, &contents}});
}

llvm::Error replaceFiles(const FileSet &files) {
  std::vector<NamedContents> list;
  for (const auto &[path, contents] : files)
    list.emplace_back(path, &contents);
  return replaceAll(list);
}

} // namespace kgen
