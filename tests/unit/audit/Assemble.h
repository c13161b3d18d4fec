// Objects from assembly text, by GNU as.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kgen::test {

/// Runs GNU as on `text` (Intel syntax, lines counted from 1); `folder` is where the files are.
struct Assembler {
  std::string folder = (std::filesystem::temp_directory_path() / "kgen-audit-XXXXXX").string();
  Assembler() {
    if (!mkdtemp(folder.data()))
      std::abort();
  }
  ~Assembler() { std::filesystem::remove_all(folder); }
  bool run(const std::string &text, const std::string &march) const {
    std::ofstream(folder + "/a.s") << ".intel_syntax noprefix; .text\n" << text << "\n";
    std::string option = march.empty() ? "" : "-march=" + march + " ";
    return std::system(("as " + option + "-o " + folder + "/a.o " + folder + "/a.s 2>" + folder +
                        "/messages")
                           .c_str()) == 0;
  }
};

/// The object for `text`; nothing if as refuses it.
inline std::optional<std::vector<char>> assemble(const std::string &text) {
  Assembler assembler;
  if (!assembler.run(text, ""))
    return std::nullopt;
  std::ifstream stream(assembler.folder + "/a.o", std::ios::binary);
  return std::vector<char>(std::istreambuf_iterator<char>(stream), {});
}

/// The lines of `text` that `as -march=<march>` refuses.
inline std::set<size_t> refusedLines(const std::string &text, const std::string &march) {
  Assembler assembler;
  std::set<size_t> lines;
  if (assembler.run(text, march))
    return lines;
  std::ifstream messages(assembler.folder + "/messages");
  for (std::string line; std::getline(messages, line);)
    if (size_t at = line.find("a.s:");
        at != std::string::npos && line.find("Error:") != std::string::npos)
      lines.insert(std::stoul(line.substr(at + 4)) - 1); // the first line is ours
  return lines;
}

} // namespace kgen::test
