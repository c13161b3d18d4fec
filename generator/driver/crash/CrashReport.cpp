#include "driver/crash/CrashReport.h"

#include "driver/crash/NodeOnStack.h"
#include "driver/crash/PassTrace.h"
#include "support/WorkTrace.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace kgen {
namespace {

/// Signals that mean a defect. Sanitizers have handlers of their own.
constexpr int crashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KGEN_HAS_SANITIZER
#endif
#endif
#if defined(KGEN_HAS_SANITIZER) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool takesSignals = false;
#else
constexpr bool takesSignals = true;
#endif

/// Printing entries of LLVM's takes some KiB, and the walk through the code a frame for each level.
constexpr size_t crashStackBytes = 256 << 10;
/// A report that takes longer than that hangs, for example in a lock of the allocator.
constexpr unsigned reportSeconds = 30;
/// A full stack is hit within a frame of its end; frames of more than a megabyte are unheard of.
constexpr size_t largestFrame = 1 << 20;
constexpr size_t maxEntries = 64, maxFrames = 16; ///< that are worth reading

struct Settings {
  const char *program = "kgen", *advice = "";
  std::atomic<const char *> promise{nullptr};
  int exitCode = 3;
  std::string reportFile;
};
Settings settings;

std::atomic<bool> isWritten{false}; ///< the file of --report
std::atomic<pthread_t> reporter{};  ///< the thread that crashed first
sigjmp_buf searchEnd;               ///< of the reporter, where a guess goes wrong
volatile sig_atomic_t isSearching = 0;

/// State of a thread.
struct ThreadState {
  const char *stackLow = nullptr, *stackHigh = nullptr;
  std::string reproducer;
};
thread_local ThreadState state;

/// Entries of the stack trace of the thread's work, the outermost first.
struct Work {
  std::array<const llvm::PrettyStackTraceEntry *, maxEntries> entries{};
  size_t count = 0;
  const GraphTrace *graph = nullptr;
  const OperationTrace *pass = nullptr;
  bool hasNode = false;

  Work() {
    auto *entry = static_cast<const llvm::PrettyStackTraceEntry *>(llvm::SavePrettyStackState());
    for (; entry && count < maxEntries; entry = entry->getNextEntry()) {
      entries[count++] = entry;
      if (auto *one = dynamic_cast<const GraphTrace *>(entry))
        graph = one;
      if (auto *one = dynamic_cast<const OperationTrace *>(entry)) {
        if (one->what == "pass" && !pass)
          pass = one;
        hasNode |= one->what == "node";
      }
      hasNode |= dynamic_cast<const NodeTrace *>(entry) != nullptr;
    }
    std::reverse(entries.begin(), entries.begin() + count);
  }

  void print(llvm::raw_ostream &os, const char *indent, const char *nodeOfStack) const {
    for (size_t i = 0; i < count; ++i) {
      os << indent;
      entries[i]->print(os);
    }
    if (nodeOfStack) {
      os << indent << "node '" << nodeOfStack << "'";
      if (graph)
        printNode(os, graph->graph, nodeOfStack);
      os << ", by what is on the stack\n";
    }
  }
};

void writeReport(llvm::StringRef what, const Work &work, const char *nodeOfStack) {
  int file = open(settings.reportFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return;
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true, /*unbuffered=*/true);
  os << "// kgen " KGEN_VERSION ", LLVM " LLVM_VERSION_STRING ": ";
  for (char c : what) {
    os << c;
    if (c == '\n')
      os << "// ";
  }
  os << "\n";
  work.print(os, "//   ", nodeOfStack);
  if (state.reproducer.empty())
    os << "// It happened before there was code to keep.\n";
  else
    os << state.reproducer;
  isWritten = true;
}

/// The node that the crashed pass was at, by what addresses its stack has; null if none is found.
const char *searchNode(const Work &work, const void *stackPointer) {
  static char name[256];
  if (work.hasNode || !work.pass || !stackPointer)
    return nullptr;
  isSearching = 1;
  llvm::StringRef found;
  if (sigsetjmp(searchEnd, 1) == 0)
    found = nodeOnStack(work.pass->op, work.graph ? &work.graph->graph : nullptr, stackPointer,
                        state.stackHigh);
  isSearching = 0;
  if (found.empty())
    return nullptr;
  size_t length = std::min(found.size(), sizeof name - 1);
  std::memcpy(name, found.data(), length);
  name[length] = 0;
  return name;
}

/// Ends the process with `code`, at the latest when the report hangs: prints what happened, what
/// `body` has to say of it, the promise that is set, and `advice`.
[[noreturn]] void endWithReport(int code, const llvm::Twine &what,
                                llvm::function_ref<void(llvm::raw_ostream &)> body,
                                llvm::function_ref<void(llvm::raw_ostream &)> advice) {
  static volatile sig_atomic_t exitCode;
  exitCode = code;
  signal(SIGALRM, [](int) { _exit(exitCode); });
  alarm(reportSeconds);
  llvm::raw_fd_ostream os(STDERR_FILENO, /*shouldClose=*/false, /*unbuffered=*/true);
  os << (isatty(STDERR_FILENO) ? "\r\033[K" : "") << settings.program << ": " << what << "\n";
  body(os);
  if (const char *promise = settings.promise)
    os << promise << "\n";
  advice(os);
  _exit(code);
}

/// Prints everything and ends the process; the second thread to crash waits for that.
[[noreturn]] void report(llvm::StringRef what, const void *stackPointer) {
  pthread_t none{}, self = pthread_self();
  if (!reporter.compare_exchange_strong(none, self)) {
    if (!pthread_equal(none, self))
      for (;;)
        pause();
    if (isSearching)
      siglongjmp(searchEnd, 1);
    _exit(settings.exitCode);
  }
  Work work;
  const char *node = nullptr;
  auto body = [&](llvm::raw_ostream &os) {
    node = searchNode(work, stackPointer);
    work.print(os, "  ", node);
    void *frames[maxFrames];
    backtrace_symbols_fd(frames, backtrace(frames, maxFrames), STDERR_FILENO);
  };
  auto advice = [&](llvm::raw_ostream &os) {
    if (settings.reportFile.empty()) {
      os << settings.advice << "\n";
      return;
    }
    writeReport(what, work, node);
    os << (isWritten ? "This is a defect of kgen: please report it with the file '"
                     : "This is a defect of kgen, and there can be no file '")
       << settings.reportFile << "'\n";
  };
  endWithReport(settings.exitCode, "internal error: " + what, body, advice);
}

const void *stackPointerOf([[maybe_unused]] const void *context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(
      static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RSP]);
#else
  return nullptr;
#endif
}

/// Bytes that saying that memory is out may take.
constexpr size_t reserveBytes = 1 << 20;
std::atomic<char *> reserve{nullptr};

/// The user's limits are too low, or the model too large: no defect, but all that is left is to say
/// so.
[[noreturn]] void onOutOfMemory() {
  static std::atomic<bool> isSaid{false};
  if (isSaid.exchange(true))
    for (;;)
      pause();
  delete[] reserve.exchange(nullptr);
  endWithReport(
      1,
      "error: there is no more memory; the process needs more (ulimit -v), or fewer jobs at a "
      "time (-j 1)",
      [](llvm::raw_ostream &os) { Work().print(os, "  ", nullptr); }, [](llvm::raw_ostream &) {});
}

/// Ends a process that has not even the memory for onOutOfMemory.
[[noreturn]] void endWithoutMemory(llvm::StringRef program) {
  for (llvm::StringRef part : {program, llvm::StringRef(": error: there is no more memory\n")})
    (void)!write(STDERR_FILENO, part.data(), part.size());
  _exit(1);
}

/// True if the system gives no more memory. Upstream does not check what malloc returns.
bool isMemoryOut() {
  void *probe = mmap(nullptr, reserveBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED)
    return true;
  munmap(probe, reserveBytes);
  return false;
}

void onSignal(int number, siginfo_t *info, void *context) {
  auto *address = static_cast<const char *>(info->si_addr);
  bool isFull = (number == SIGSEGV || number == SIGBUS) && state.stackLow &&
                address < state.stackLow + largestFrame / 16 &&
                address >= state.stackLow - largestFrame;
  constexpr uintptr_t firstPage = 4096;
  if (number == SIGSEGV && reinterpret_cast<uintptr_t>(address) < firstPage && isMemoryOut())
    onOutOfMemory();
  const char *name = number == SIGSEGV   ? "segmentation fault"
                     : number == SIGBUS  ? "bus error"
                     : number == SIGILL  ? "illegal instruction"
                     : number == SIGFPE  ? "arithmetic exception"
                     : number == SIGABRT ? "abort"
                                         : "crash";
  report(isFull ? "stack overflow" : name, stackPointerOf(context));
}

void onFatalError(void *, const char *reason, bool) {
  static char text[1024]; // what LLVM says may go with the frame that says it
  std::snprintf(text, sizeof text, "LLVM: %s", reason);
  report(text, __builtin_frame_address(0));
}

} // namespace

CrashStack::CrashStack() : memory(std::make_unique<char[]>(crashStackBytes)) {
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = crashStackBytes;
  sigaltstack(&stack, nullptr);
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  void *low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  state.stackLow = static_cast<const char *>(low);
  state.stackHigh = state.stackLow + size;
}

CrashStack::~CrashStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

void ensureCrashStack() {
  if (!takesSignals)
    return;
  thread_local CrashStack stack;
  (void)stack;
}

void handleCrashes(const char *program, int exitCode, const char *advice) {
  settings.program = program;
  settings.exitCode = exitCode;
  settings.advice = advice;
  void *first;
  backtrace(&first, 1); // loads the unwinder, which takes memory
  reserve = new (std::nothrow) char[reserveBytes];
  if (!reserve)
    endWithoutMemory(program);
  std::set_new_handler(onOutOfMemory);
  ensureCrashStack();
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { onOutOfMemory(); });
  struct sigaction action {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int number : crashSignals)
    if (takesSignals)
      sigaction(number, &action, nullptr);
}

void setCrashPromise(const char *text) { settings.promise = text; }
void setReportFile(const std::string &path) { settings.reportFile = path; }
bool isReportWanted() { return !settings.reportFile.empty() && !isWritten; }

void keepText(const std::string &text) {
  if (isReportWanted())
    state.reproducer = text;
}

void reportDefect(const std::string &what) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (isReportWanted())
    writeReport(what, Work(), nullptr);
}

} // namespace kgen
