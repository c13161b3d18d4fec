#include "driver/run/TemporaryFolder.h"

#include "emit/TemporaryFiles.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

namespace kgen {
namespace {

/// The folders of this process. A handler of signals may not remove files: it writes the signal's
/// number to a pipe, and a thread that reads from it removes them and ends the process.
class LivingFolders {
public:
  /// Is never destroyed: the thread runs until the process ends.
  static LivingFolders &get() {
    static auto *one = new LivingFolders;
    return *one;
  }
  llvm::Expected<std::string> make(const std::string &prefix) {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::SmallString<128> path;
    if (std::error_code code =
            llvm::sys::fs::createUniqueDirectory(prefix + "-" + std::to_string(getpid()), path))
      return llvm::createStringError("there can be no temporary folder: " + code.message());
    return *paths.insert(path.str().str()).first;
  }
  void remove(const std::string &path) {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::sys::fs::remove_directories(path);
    paths.erase(path);
  }

private:
  LivingFolders() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      return; // without descriptors nothing else works, either
    std::thread([this] { wait(); }).detach();
    struct sigaction action = {}, present = {};
    action.sa_handler = tell;
    action.sa_flags = SA_RESTART;
    for (int number : {SIGINT, SIGTERM, SIGHUP})
      if (sigaction(number, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
        sigaction(number, &action, nullptr);
  }
  static void tell(int number) {
    int before = errno;
    auto byte = static_cast<unsigned char>(number);
    if (write(ends[1], &byte, 1) != 1)
      _exit(128 + number);
    errno = before;
  }
  void wait() {
    unsigned char number = 0;
    while (read(ends[0], &number, 1) != 1)
      continue;
    std::lock_guard<std::mutex> lock(mutex); // no other folder appears
    for (const std::string &path : paths)
      llvm::sys::fs::remove_directories(path);
    signal(number, SIG_DFL);
    kill(getpid(), number);
    pause();
  }

  static int ends[2];
  std::mutex mutex;
  std::set<std::string> paths;
};

int LivingFolders::ends[2];

} // namespace

llvm::Expected<TemporaryFolder> TemporaryFolder::make(const std::string &prefix) {
  llvm::SmallString<128> system;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, system);
  removeAbandoned(system.str().str(), prefix + "-");
  llvm::Expected<std::string> path = LivingFolders::get().make(prefix);
  if (!path)
    return path.takeError();
  return TemporaryFolder(*path);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    LivingFolders::get().remove(path);
}

} // namespace kgen
