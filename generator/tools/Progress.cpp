#include "tools/Progress.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace kgen {

Progress::Progress(double after) : after(after), terminal(isatty(STDERR_FILENO)) {}

void Progress::show(const std::string &line) {
  std::lock_guard<std::mutex> lock(mutex);
  showLine(line);
}

void Progress::showLine(const std::string &line) {
  auto elapsed = std::chrono::steady_clock::now() - start;
  if (!shown && std::chrono::duration<double>(elapsed).count() < after)
    return;
  shown = true;
  if (terminal)
    std::cerr << "\r\033[K" << line << std::flush;
  else
    std::cerr << line << "\n";
}

void Progress::bar(double done, const std::string &what) {
  constexpr size_t width = 24;
  std::lock_guard<std::mutex> lock(mutex);
  if (!terminal) {
    if (what != last)
      showLine(what);
    last = what;
    return;
  }
  size_t full = static_cast<size_t>(std::clamp(done, 0.0, 1.0) * width);
  showLine(fmt::format("[{:.<{}}] {:3.0f} %  {}", std::string(full, '#'), width, 100 * done, what));
}

void Progress::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  if (shown && terminal)
    std::cerr << "\r\033[K" << std::flush;
  shown = false;
}

} // namespace kgen
