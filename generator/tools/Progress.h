// The progress of a command, on stderr.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace kgen {

/// On a terminal each line overwrites the one before. Safe to use from several threads.
class Progress {
public:
  /// Nothing is shown in the first `after` seconds.
  explicit Progress(double after);
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;

  bool isTerminal() const { return terminal; }
  void show(const std::string &line);
  /// "[#####.....]  50 %  what" on a terminal; elsewhere `what` as a line, when it changes.
  void bar(double done, const std::string &what);
  /// Removes the line.
  void finish();

private:
  void showLine(const std::string &line);

  std::mutex mutex;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double after;
  bool terminal, shown = false;
  std::string last;
};

} // namespace kgen
