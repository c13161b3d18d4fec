#include "tools/Arguments.h"

#include "driver/generate/Generate.h"
#include "driver/load/BackendChecks.h"
#include "explain/Svg.h"
#include "measure/Processors.h"
#include "measure/ThreadPool.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace kgen {

std::string providerList(const char *separator) { return llvm::join(providerNames(), separator); }

std::string checkProvider(const std::string &name) {
  std::vector<std::string> names = providerNames();
  if (std::find(names.begin(), names.end(), name) != names.end())
    return "";
  return "there is no provider '" + name + "'" + didYouMean(name, names) + "; there are " +
         providerList(", ");
}

std::string checkSeconds(const std::string &text) {
  double seconds = 0;
  if (!llvm::StringRef(text).getAsDouble(seconds) && std::isfinite(seconds) && seconds > 0)
    return "";
  return "expected seconds above 0, found '" + text + "'";
}

std::string checkReplaceable(const std::string &path, const std::vector<std::string> &marks,
                             const std::string &what) {
  constexpr size_t markedBytes = 512;
  if (!llvm::sys::fs::is_regular_file(path))
    return "";
  std::ifstream file(path, std::ios::binary);
  std::string begin(markedBytes, '\0');
  begin.resize(file.read(begin.data(), markedBytes).gcount());
  auto isMarked = [&](const std::string &mark) { return begin.find(mark) != std::string::npos; };
  if (begin.empty() || std::any_of(marks.begin(), marks.end(), isMarked))
    return "";
  return "'" + path + "' is there, and is no " + what +
         " of kgen's, which alone is replaced: expected another name, or remove it";
}

std::string checkReport(const std::string &path) {
  return checkReplaceable(path, {"// kgen "}, "report");
}

std::string checkPage(const std::string &path) {
  return checkReplaceable(path, {pageMark}, "page");
}

std::string checkJson(const std::string &path) {
  return checkReplaceable(path, {"{\n  \"library\"", "{\n  \"graphs\""}, "JSON");
}

std::string checkSvg(const std::string &path) {
  if (llvm::StringRef(path).ends_with_insensitive(".svg"))
    return checkReplaceable(path, {drawingMark}, "drawing");
  return "the drawing is SVG: expected a name that ends in .svg, found '" + path + "'";
}

std::string checkTolerance(const std::string &text) {
  double tolerance = 0;
  if (!llvm::StringRef(text).getAsDouble(tolerance) && std::isfinite(tolerance) && tolerance >= 0)
    return "";
  return "expected a number from 0 on, found '" + text + "'";
}

constexpr unsigned maxThreads = 1024;

/// Returns 0 if the text is no number from 1 to maxThreads.
static unsigned parseCount(llvm::StringRef text) {
  unsigned count = 0;
  return text.trim().getAsInteger(10, count) || count > maxThreads ? 0 : count;
}

std::string parseThreads(const std::string &text, std::vector<unsigned> &threads) {
  threads.clear();
  llvm::StringRef rest = text;
  do {
    auto [part, following] = rest.split(',');
    size_t dots = part.find("..");
    unsigned first = parseCount(part.take_front(dots)),
             last = dots == llvm::StringRef::npos ? first : parseCount(part.drop_front(dots + 2));
    if (!first || last < first)
      return "expected numbers of threads from 1 to " + std::to_string(maxThreads) +
             ", such as 4, 1,2,4 or 1..4, found '" + text + "'";
    for (unsigned count = first; count <= last; ++count)
      if (std::find(threads.begin(), threads.end(), count) == threads.end())
        threads.push_back(count);
    rest = following;
  } while (!rest.empty());
  if (!ThreadPool::available() && threads != std::vector<unsigned>{1})
    return "this kgen was built without pthreadpool (Debian: libpthreadpool-dev): only 1 thread";
  return "";
}

std::vector<unsigned> defaultThreads() {
  std::vector<unsigned> threads{1};
  if (ThreadPool::available() && cpuCount() > 1)
    threads.push_back(cpuCount());
  return threads;
}

} // namespace kgen
