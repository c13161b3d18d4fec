// Every file in tests/errors must fail with exactly the errors that its "# expect: LINE:COLUMN:
// part of message" lines name, in that order. 0:0 stands for an error about the whole file.
#include "FrontEnd.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kgen;
namespace fs = std::filesystem;

namespace {

struct Expectation {
  unsigned line = 0, column = 0;
  std::string message;
};

std::vector<Expectation> expectationsOf(const fs::path &path) {
  std::vector<Expectation> list;
  std::ifstream file(path, std::ios::binary);
  const std::string prefix = "# expect: ";
  for (std::string line; std::getline(file, line) && line.rfind(prefix, 0) == 0;) {
    std::istringstream text(line.substr(prefix.size()));
    Expectation e;
    char colon = 0;
    text >> e.line >> colon >> e.column >> colon >> std::ws;
    std::getline(text, e.message);
    list.push_back(e);
  }
  return list;
}

std::vector<fs::path> errorFiles() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(KGEN_SOURCE_DIR "/tests/errors"))
    if (entry.path().extension() == ".yaml")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

TEST_CASE("files in tests/errors give the errors they name") {
  std::vector<fs::path> files = errorFiles();
  REQUIRE(files.size() >= 40);
  for (const fs::path &path : files) {
    DYNAMIC_SECTION(path.filename().string()) {
      std::vector<Expectation> expected = expectationsOf(path);
      REQUIRE(!expected.empty());
      Diagnostics diagnostics;
      test::checkFile(path.string(), diagnostics);
      std::vector<Diagnostic> found = test::sorted(diagnostics);
      INFO(diagnostics.str());
      REQUIRE(found.size() == expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].where.file == path.string());
        CHECK(found[i].where.line == expected[i].line);
        CHECK(found[i].where.column == expected[i].column);
        REQUIRE(!expected[i].message.empty());
        CHECK_THAT(found[i].message, Catch::Contains(expected[i].message));
      }
    }
  }
}
