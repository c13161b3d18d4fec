// Objects from assembly text, by GNU as.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace kgen::test {

/// The object for `text` in Intel syntax; nothing if `as -march=<march>` refuses it.
inline std::optional<std::vector<char>> assemble(const std::string &text,
                                                 const std::string &march = "") {
  std::string base = (std::filesystem::temp_directory_path() / "kgen-audit-XXXXXX").string();
  if (!mkdtemp(base.data()))
    std::abort();
  std::ofstream(base + "/a.s") << ".intel_syntax noprefix\n.text\n" << text << "\n";
  std::string option = march.empty() ? "" : "-march=" + march + " ";
  int code =
      std::system(("as " + option + "-o " + base + "/a.o " + base + "/a.s 2>/dev/null").c_str());
  std::optional<std::vector<char>> object;
  if (code == 0) {
    std::ifstream stream(base + "/a.o", std::ios::binary);
    object.emplace(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  std::filesystem::remove_all(base);
  return object;
}

} // namespace kgen::test
