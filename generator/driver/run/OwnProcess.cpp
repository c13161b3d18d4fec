#include "driver/run/OwnProcess.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace kgen {
namespace {

llvm::Error failure(const char *what) {
  return llvm::createStringError(std::string(what) + ": " + std::strerror(errno));
}

/// The end of the new process: writes all of `text`, and leaves without what this process would do
/// at its end.
[[noreturn]] void answer(int pipe, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t count = write(pipe, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR)
      _exit(1);
    done += count < 0 ? 0 : size_t(count);
  }
  _exit(0);
}

std::string readAll(int pipe) {
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(buffer, size_t(count));
  }
}

} // namespace

llvm::Expected<std::string> runInOwnProcess(const std::function<std::string()> &run) {
  int ends[2];
  if (pipe(ends) != 0)
    return failure("cannot make a pipe");
  pid_t process = fork();
  if (process < 0) {
    llvm::Error error = failure("cannot start a process");
    close(ends[0]), close(ends[1]);
    return std::move(error);
  }
  if (process == 0) {
    close(ends[0]);
    // A signal that ends this process is told by the other one, and is no defect of kgen's.
    for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
      signal(number, SIG_DFL);
    answer(ends[1], run());
  }
  close(ends[1]);
  std::string text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED(status))
    return llvm::createStringError("ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                   strsignal(WTERMSIG(status)) + ")");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return llvm::createStringError("ended without an answer");
  return text;
}

} // namespace kgen
