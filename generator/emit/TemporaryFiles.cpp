#include "emit/TemporaryFiles.h"

#include <llvm/ADT/StringExtras.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kgen {
namespace fs = std::filesystem;

static sigset_t signalsFromOutside() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&set, number);
  return set;
}

static bool isSignalWaiting() {
  sigset_t waiting, asked = signalsFromOutside();
  sigpending(&waiting);
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    if (sigismember(&waiting, number) && sigismember(&asked, number))
      return true;
  return false;
}

/// KGEN_NO_SYNC is for what can be made again at once, as in build folders: a file takes some
/// milliseconds to reach a disk.
static bool waitsForDisk() {
  const char *setting = std::getenv("KGEN_NO_SYNC");
  return !setting || *setting == '\0' || std::strcmp(setting, "0") == 0;
}

SignalsWait::SignalsWait() {
  sigset_t set = signalsFromOutside();
  pthread_sigmask(SIG_BLOCK, &set, &before);
}

SignalsWait::~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

llvm::Error fileError(const std::string &what, const fs::path &path, std::error_code code) {
  return llvm::createStringError(code, "%s '%s': %s", what.c_str(), path.c_str(),
                                 code.message().c_str());
}

std::error_code lastError() { return {errno, std::generic_category()}; }

std::optional<std::string> contentsOf(const fs::path &path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

bool hasContents(const fs::path &path, const FileContents &contents) {
  std::error_code code;
  if (!fs::is_regular_file(path, code) || fs::file_size(path, code) != contents.size())
    return false;
  std::ifstream stream(path, std::ios::binary);
  std::string present;
  llvm::Error error = contents.forEachPiece([&](llvm::StringRef piece) -> llvm::Error {
    present.resize(piece.size());
    stream.read(present.data(), static_cast<std::streamsize>(piece.size()));
    return stream && present == piece ? llvm::Error::success() : llvm::createStringError("differs");
  });
  return !llvm::errorToBool(std::move(error));
}

llvm::Error createFile(const fs::path &path, const FileContents &contents, const fs::path &shown) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return fileError("cannot create", shown, lastError());
  llvm::Error error = contents.forEachPiece([&](llvm::StringRef piece) -> llvm::Error {
    while (!piece.empty()) {
      if (isSignalWaiting())
        return fileError("interrupted while writing", shown,
                         std::make_error_code(std::errc::interrupted));
      ssize_t n = write(file, piece.data(), piece.size());
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fileError("cannot write", shown, lastError());
      piece = piece.drop_front(static_cast<size_t>(n));
    }
    return llvm::Error::success();
  });
  // Some file systems tell only now that there is no space. Pipes and the like have no disk.
  if (!error && waitsForDisk() && fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP)
    error = fileError("cannot write", shown, lastError());
  if (error) {
    close(file);
    unlink(path.c_str());
    return error;
  }
  if (close(file) != 0) {
    error = fileError("cannot write", shown, lastError());
    unlink(path.c_str());
  }
  return error;
}

llvm::Error createParents(const fs::path &path, fs::path &created) {
  std::error_code code;
  for (fs::path p = path.parent_path(); !p.empty() && !fs::exists(p, code); p = p.parent_path())
    created = p;
  fs::create_directories(path.parent_path(), code);
  return code ? fileError("cannot create", path.parent_path(), code) : llvm::Error::success();
}

void removeParents(const fs::path &path, const fs::path &created) {
  std::error_code code;
  if (created.empty())
    return;
  for (fs::path p = path.parent_path(); fs::remove(p, code) && p != created; p = p.parent_path())
    continue;
}

fs::path temporaryName(const fs::path &path) {
  static std::atomic<unsigned> counter{0};
  std::string suffix = ".kgen-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
  return path.parent_path() / ("." + path.filename().string() + suffix);
}

void syncFolder(const fs::path &folder) {
  if (!waitsForDisk())
    return;
  int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return;
  fsync(file);
  close(file);
}

void removeAbandoned(const fs::path &folder, const std::string &prefix) {
  std::error_code code;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    const std::string name = it->path().filename().string();
    llvm::StringRef rest = name;
    pid_t process = 0;
    struct stat status;
    if (rest.consume_front(prefix) && !rest.consumeInteger(10, process) &&
        rest.consume_front("-") && !rest.empty() && llvm::all_of(rest, llvm::isHexDigit) &&
        process > 0 && kill(process, 0) != 0 && errno == ESRCH &&
        lstat(it->path().c_str(), &status) == 0 && status.st_uid == geteuid())
      abandoned.push_back(it->path());
  }
  for (const fs::path &one : abandoned)
    fs::remove_all(one, code);
}

void removeAbandoned(const fs::path &path) {
  removeAbandoned(path.parent_path(), "." + path.filename().string() + ".kgen-");
}

} // namespace kgen
